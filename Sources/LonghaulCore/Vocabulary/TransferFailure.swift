/// Why something failed: a stable code, words for a person, and where it came from. It never holds a secret.
public struct TransferFailure: Error, Equatable, Sendable {
    /// The stable code: the raw value is what `--json` prints and stores keep.
    public var code: FailureCode
    /// What failed, and mostly what to do about it, in one or two sentences.
    public var summary: String
    /// The server's own words about it, in one line, where it said something that a person can read.
    public var serverWords: String?
    /// What to do about it, where the summary does not say it: `check the URL`.
    public var advice: String?
    /// The number below it, if there is one.
    public var origin: Origin
    /// What the server showed, where it is not trusted and that could be read: `certificateRejected`.
    public var certificate: ServerCertificate? {
        get { shown.first }
        set { shown = newValue.map { [$0] } ?? [] }
    }
    /// One at the most. A list, since an error that carries so many words would be copied by all that never have any.
    private var shown: [ServerCertificate] = []

    /// The number below a failure.
    public enum Origin: Equatable, Sendable {
        /// Longhaul itself decided.
        case longhaul
        /// A libcurl result code.
        case curl(Int)
        /// An HTTP status.
        case status(Int)
        /// A system error number.
        case system(Int)
        /// An SQLite result code.
        case sqlite(Int)
    }

    /// Describes a failure.
    public init(
        _ code: FailureCode, _ summary: String, serverWords: String? = nil, advice: String? = nil,
        origin: Origin = .longhaul
    ) {
        self.code = code
        self.summary = summary
        self.serverWords = serverWords
        self.advice = advice
        self.origin = origin
    }

    /// What failed, what the server said, and what to do about it, in one or two sentences.
    public var message: String {
        var text = summary
        if let serverWords {
            // Beside the status, where one is named: `The server forbids this (403: read-only folder)`.
            text = text.last == ")" ? text.dropLast() + ": \(serverWords))" : text + " (\(serverWords))"
        }
        return advice.map { text + ": \($0)." } ?? text
    }
}

extension TransferFailure: CustomStringConvertible {
    /// The sentence, with the code in brackets: what `print(error)` shows.
    public var description: String { "\(message) [\(code.rawValue)]" }
}
