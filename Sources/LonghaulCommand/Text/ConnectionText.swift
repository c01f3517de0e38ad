import LonghaulCore

/// How many connections a download uses, and why, in words.
enum ConnectionText {
    static func sentence(_ report: ConnectionReport) -> String {
        "It uses \(HumanText.count(report.count, "connection")): \(phrase(report.reason))."
    }

    private static func phrase(_ reason: ConnectionReason) -> String {
        switch reason {
        case .measuring: "it measures how fast they are before it tries more"
        case .trying: "it tries whether another number is faster"
        case .noGain: "more were no faster; it tries again within a minute"
        case .fast: "each is so fast that more would not help"
        case .most: "it uses no more unless --split says so"
        case .nearEnd: "the rest is too short for another one"
        case .fullLine: "the line is full"
        case .far: "the server is far away, and a single connection would be slow to start"
        case .limited: "a rate limit or a budget decides how fast it is"
        case .hostLimit: "the limit for this host leaves no more (longhaul limits)"
        case .refused: "the server refused another one; it tries again within a minute"
        case .chosen: "as --split says, if enough is left"
        }
    }
}
