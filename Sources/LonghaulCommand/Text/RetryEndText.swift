import LonghaulCore

/// Why a failed transfer is not tried again by itself, in words.
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

    /// The rest of a sentence.
    static func phrase(_ end: RetryEnd) -> String {
        switch end {
        case .pointless: "the same again would fail the same way"
        case .mightRepeat: "the server may have done it, and doing it twice might do harm"
        case .triesUsedUp: "it was tried again as often in a row, without progress, as --retry allows"
        case .timeUsedUp: "its time is over"
        case .credentials: "it takes other credentials"
        case .unknownHost:
            "no host has this name, and a command that waits retries an unknown name only \(unknownHostRetries) times without --retry"
        }
    }
}
