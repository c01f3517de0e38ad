/// The reason for a failure: a stable code, a message for the user, and details. It never contains a secret.
public struct TransferFailure: Error, Equatable, Sendable {
    /// The stable code. `--json` prints its raw value.
    public var code: Code
    /// The failure in one or two sentences, usually with a remedy.
    public var summary: String
    /// The server's explanation in one line, if it sent a readable one.
    public var serverMessage: String?
    /// A remedy that the summary does not contain: `check the URL`.
    public var advice: String?
    /// The underlying error number, if there is one.
    package var origin: Origin
    /// The HTTP status of the response that caused the failure.
    public var httpStatus: Int? { if case .status(let status) = origin { status } else { nil } }
    /// The certificate that the server presented, with `certificateRejected`, if it could be read.
    public var certificate: ServerCertificate? {
        get { shown.first }
        set { shown = newValue.map { [$0] } ?? [] }
    }
    /// At most one. An array, so that failures without a certificate are cheap to copy.
    private var shown: [ServerCertificate] = []

    /// The origin of the underlying number.
    package enum Origin: Equatable, Sendable {
        /// Longhaul's own decision.
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

    /// Creates a failure, for an app's own tests and error paths.
    public init(_ code: Code, _ summary: String, serverMessage: String? = nil, advice: String? = nil) {
        self.init(code, summary, serverMessage: serverMessage, advice: advice, origin: .longhaul)
    }

    package init(
        _ code: Code, _ summary: String, serverMessage: String? = nil, advice: String? = nil, origin: Origin
    ) {
        self.code = code
        self.summary = summary
        self.serverMessage = serverMessage
        self.advice = advice
        self.origin = origin
    }

    /// The summary, the server's explanation, and the remedy, in one or two sentences.
    public var message: String {
        var text = summary
        if let serverMessage {
            // Inserted after the status, if there is one: `The server forbids this (403: read-only folder)`.
            text = text.last == ")" ? text.dropLast() + ": \(serverMessage))" : text + " (\(serverMessage))"
        }
        return advice.map { text + ": \($0)." } ?? text
    }
}

extension TransferFailure: CustomStringConvertible {
    /// The message with the code in brackets, as `print(error)` shows it.
    public var description: String { "\(message) [\(code.rawValue)]" }
}
