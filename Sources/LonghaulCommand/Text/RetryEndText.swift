import LonghaulCore

/// The reason why Longhaul does not retry a failed transfer.
enum RetryEndText {
    /// How often a command that waits for its transfer retries a host that does not exist. The
    /// waits before two retries take 3 s together at most, so that a misspelled name fails within 5
    /// s.
    static let unknownHostRetries = 2

    /// The word in JSON.
    static func word(_ end: RetryEnd) -> String {
        switch end {
        case .pointless: "pointless"
        case .mightRepeat: "mightRepeat"
        case .triesUsedUp: "triesUsedUp"
        case .timeUsedUp: "timeUsedUp"
        case .credentials: "credentials"
        case .unknownHost: "unknownHost"
        }
    }

    /// The reason, as the end of a sentence.
    static func phrase(_ end: RetryEnd) -> String {
        switch end {
        case .pointless: tr("a retry would fail in the same way")
        case .mightRepeat: tr("the server may have processed the request, and a repetition could do harm")
        case .triesUsedUp: tr("the attempts that --retry allows have failed without progress")
        case .timeUsedUp: tr("its time limit has passed")
        case .credentials: tr("it requires other credentials")
        case .unknownHost:
            tr(
                "the host does not exist, and an attached command retries an unknown name only \(unknownHostRetries) times"
            )
        }
    }
}
