import LonghaulCore

/// Which origins have announced HTTP/3, and at which it was tried in vain.
///
/// Announcements have their end by the wall clock, in seconds, since they outlive the process; what was in vain does not.
struct HTTP3Origins: Equatable {
    /// How long an origin is left alone with HTTP/3, in nanoseconds: a network that takes no UDP would cost each new connection a moment.
    static let rest: Int64 = 300_000_000_000
    /// How many are remembered; beyond them the one goes that would go first anyway.
    static let capacity = 1_000
    private static let heading = "longhaul alternatives 1"
    private var announced: [String: Int64] = [:]
    private var resting: [String: Int64] = [:]

    /// Whether HTTP/3 is to be tried, beside the others.
    func isToBeTried(at origin: String, as use: HTTP3Use, now: Int64, clock: Int64) -> Bool {
        switch use {
        case .never: return false
        case .tried: break
        case .announced: guard let end = announced[origin], end > clock else { return false }
        }
        return resting[origin].map { $0 <= now } ?? true
    }

    /// Notes what an origin said. Returns whether that is worth a write: an end that moves on with every response is written now and then.
    mutating func note(_ announcement: HTTP3Announcement, of origin: String, clock: Int64) -> Bool {
        switch announcement {
        case .withdrawn: return announced.removeValue(forKey: origin) != nil
        case .announced(let seconds):
            let end = clock + seconds
            let slack = seconds / 4
            if let known = announced[origin], end - known <= slack, known - end <= slack { return false }
            announced[origin] = end
            shrink(clock: clock)
            return true
        }
    }

    /// HTTP/3 was tried there, and nothing came of it.
    mutating func noteFailure(at origin: String, now: Int64) {
        resting = resting.filter { $0.value > now }
        if resting.count < Self.capacity { resting[origin] = now + Self.rest }
    }

    private mutating func shrink(clock: Int64) {
        guard announced.count > Self.capacity else { return }
        announced = announced.filter { $0.value > clock }
        while announced.count > Self.capacity, let first = announced.min(by: { $0.value < $1.value }) {
            announced[first.key] = nil
        }
    }
}

// As a file: a heading, and a line for each origin.
extension HTTP3Origins {
    /// The announcements, as they are kept.
    var text: String {
        let lines = announced.sorted { $0.key < $1.key }.map { "h3 \($0.key) \($0.value)" }
        return ([Self.heading] + lines).map { $0 + "\n" }.joined()
    }

    /// Reads what there is to be read: a line that is broken, cut off or out of date counts for nothing.
    init(text: String, clock: Int64) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // What follows the last end of a line is nothing, or was cut off.
        lines.removeLast()
        guard lines.first.map({ $0 == Self.heading }) ?? false else { return }
        for line in lines.dropFirst() {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 3, words[0] == "h3", let end = DecimalField.parse(words[2]), end > clock,
                end - clock <= HTTP3Announcement.longest, announced.count < Self.capacity,
                let url = try? TransferURL(parsing: words[1] + "/"), url.scheme == "https", url.origin == words[1]
            else { continue }
            announced[url.origin] = end
        }
    }
}
