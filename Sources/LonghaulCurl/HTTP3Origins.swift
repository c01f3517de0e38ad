import LonghaulCore

/// The origins that announced HTTP/3, and those where it failed.
///
/// Announcements expire by the wall clock, in seconds, because they outlive the process. Failures do not outlive it.
struct HTTP3Origins: Equatable {
    /// How long HTTP/3 is not tried again after a failure, in nanoseconds: on a network without UDP, each attempt would
    /// delay a new connection.
    static let rest: Int64 = 300_000_000_000
    /// The maximum number of origins. Beyond it, the one that expires first is dropped.
    static let capacity = 1_000
    private static let heading = "longhaul alternatives 1"
    private var announced: [String: Int64] = [:]
    private var resting: [String: Int64] = [:]

    /// Returns whether to try HTTP/3 besides the other versions.
    func isToBeTried(at origin: String, as use: HTTP3Use, now: Int64, clock: Int64) -> Bool {
        switch use {
        case .never: return false
        case .tried: break
        case .announced: guard let end = announced[origin], end > clock else { return false }
        }
        return resting[origin].map { $0 <= now } ?? true
    }

    /// Records an origin's announcement. Returns whether to write the file: an expiry that moves with every response is
    /// written only now and then.
    mutating func update(_ announcement: HTTP3Announcement, of origin: String, clock: Int64) -> Bool {
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

    /// Records that HTTP/3 failed at an origin.
    mutating func registerFailure(at origin: String, now: Int64) {
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

// The file format: a heading, and a line for each origin.
extension HTTP3Origins {
    /// The announcements in the file format.
    var text: String {
        let lines = announced.sorted { $0.key < $1.key }.map { "h3 \($0.key) \($0.value)" }
        return ([Self.heading] + lines).map { $0 + "\n" }.joined()
    }

    /// Reads the valid lines. A line that is broken, truncated, or expired is ignored.
    init(text: String, clock: Int64) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // The text after the last newline is empty or truncated.
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
