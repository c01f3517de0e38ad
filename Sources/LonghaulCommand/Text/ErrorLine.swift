import LonghaulCore

/// The line that reports a failure, the same in all commands.
enum ErrorLine {
    /// Whether the line ends with the failure's code.
    @TaskLocal static var showsCode = false

    /// - Parameter id: The transfer that failed, if there is one.
    static func text(
        _ failure: TransferFailure, subject: String? = nil, id: TransferID? = nil, in session: SessionID = .commandLine
    ) -> String {
        let words = words(failure, id, in: session)
        return "longhaul: " + (subject.map { naming(DisplayText.clean($0), words) } ?? words)
    }

    /// The line for a transfer that has failed, with the number of attempts.
    static func text(_ failure: TransferFailure, of transfer: TransferSnapshot, in session: SessionID) -> String {
        let name = DisplayText.clean(transfer.name)
        return "longhaul: " + naming(name, words(failure, transfer.id, in: session, attempts: transfer.attempts))
    }

    /// Puts the subject before a sentence, unless the sentence starts with it.
    static func naming(_ subject: String, _ sentence: String) -> String {
        sentence.hasPrefix(subject + " ") ? sentence : "\(subject): \(sentence)"
    }

    /// Returns the sentence, and the command that follows its advice.
    static func words(
        _ failure: TransferFailure, _ id: TransferID?, in session: SessionID, attempts: Int = 1
    ) -> String {
        let text = (StateText.sentence(failure) + command(for: failure, id, session)).asSentence
        let end = attempts > 1 ? " " + tr("Gave up after \(attempts) attempts.") : ""
        // Text after a command to type would be copied with it.
        return text + end + (showsCode && !text.endsWithCommand ? " [\(failure.code.rawValue)]" : "")
    }

    /// Returns the command that follows the advice. In an app, the same action has another name.
    private static func command(for failure: TransferFailure, _ id: TransferID?, _ session: SessionID) -> String {
        switch failure.code {
        case .keyTaken: return " (--if-key-exists replace)"
        case .unknownTransfer where failure.message.hasSuffix("in this session."): return " (longhaul list)"
        default: break
        }
        guard failure.advice != nil, failure.advice != TransferFailure.help else { return "" }
        let name = session.hint + (id.map { " " + ShortID.text($0) } ?? " ID")
        return switch failure.origin {
        case .status(401): " (longhaul retry\(name) -u USER)"
        case .status(403), .status(410): " (longhaul replace-url\(name))"
        case .status, .longhaul, .curl, .system, .sqlite: ""
        }
    }
}

extension TransferFailure {
    /// The advice for a failure that the help of a command explains, such as an unknown option or a missing operand.
    static let help = "see longhaul help"

    /// The failure of a command line that lacks something which the help of its command explains.
    static func misuse(_ message: Message) -> TransferFailure {
        TransferFailure(.invalidArgument, tr(message), advice: help)
    }

    /// Returns the failure with the command whose help explains it.
    func namingHelp(of command: Command) -> TransferFailure {
        guard advice == Self.help else { return self }
        return TransferFailure(code, summary.asSentence + " " + tr("See longhaul help \(command.name)."))
    }

    /// The failure of a transfer that a single command runs and forgets: its advice is about the next command.
    var ofGoneTransfer: TransferFailure {
        var failure = self
        switch origin {
        case .status(401): failure.advice = tr("run the command again with -u USER or -H")
        case .status(403): failure.advice = tr("check your permissions there, and whether the URL has expired")
        case .status(410): failure.advice = tr("check the URL")
        case .status, .longhaul, .curl, .system, .sqlite: return self
        }
        return TransferFailure(code, failure.message, origin: origin)
    }

    /// Returns the failure of a server that requires a login, with the option that uses `~/.netrc` if it has an entry.
    func namingNetrc(for url: String, _ world: World) -> TransferFailure {
        guard origin == .status(401), let host = (try? TransferURL(parsing: url))?.host,
            (try? Netrc(world))?.authorization(for: host) != nil
        else { return self }
        var failure = self
        failure.advice = tr("submit it again with -n, which uses the login in ~/.netrc, or add another login")
        return failure
    }
}

extension String {
    /// The text with a period, unless it has another end. A command to type has none, so that it can be copied.
    var asSentence: String {
        endsWithCommand || last.map { ".?!".contains($0) } ?? true ? self : self + "."
    }

    /// Whether the text ends with a command to type. An operand may be a period.
    fileprivate var endsWithCommand: Bool {
        let command = [": longhaul ", "? longhaul "].compactMap { ranges(of: $0).last?.upperBound }.max()
        return command.map { !self[$0...].contains(/\S\.\s/) } ?? false
    }
}
