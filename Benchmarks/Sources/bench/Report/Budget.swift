/// The time of a whole run by its parts.
struct Budget {
    private let begin = Clock.now
    private var last = Clock.now
    private var items: [(name: String, seconds: Double)] = []

    /// Assigns the time since the last call to this name. Returns a line that reports it.
    @discardableResult
    mutating func note(_ name: String) -> String {
        let now = Clock.now
        items.append((name, now - last))
        last = now
        return "\(name): \(items[items.count - 1].seconds.short) s"
    }

    /// The longest first.
    var text: String {
        let sorted = items.sorted { $0.seconds > $1.seconds }
        return "\((last - begin).short) s in all: "
            + sorted.map { "\($0.name) \($0.seconds.short)" }.joined(separator: ", ")
    }
}
