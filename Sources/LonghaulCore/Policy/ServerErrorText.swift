/// A server's own explanation of a refusal, for the error message: `read-only folder`.
///
/// It never repeats the transfer's secrets, even if the server echoes them.
enum ServerErrorText {
    /// The stored response, which `show` prints, has the rest.
    private static let mostCharacters = 160
    private static let mostBytes = 2_048
    /// A longer run of letters and digits is a key, a signature, or a request ID, and means nothing to the user.
    private static let longestWord = 24

    /// Returns the explanation; `nil` if it is not readable text of one line: no body, an HTML page, binary data.
    static func text(of outcome: ExchangeOutcome, hiding secrets: [String]) -> String? {
        guard let head = outcome.head, !head.isSuccess, let form = Form(head) else { return nil }
        var bytes = outcome.body.prefix(mostBytes)
        // Drop a truncated character.
        if outcome.body.count > mostBytes { while bytes.last ?? 0 >= 0x80 { bytes.removeLast() } }
        var scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
        if form == .tagged { scalars = withoutTags(scalars)[...] }
        let words = scalars.split { $0.properties.isWhitespace || isControl($0) }.map(String.init)
        let text = words.joined(separator: " ")
        guard !text.isEmpty, !text.contains("\u{FFFD}"), !secrets.contains(where: { text.contains($0) }) else {
            return nil
        }
        let shown = withoutTokens(text)
        return shown.count > mostCharacters ? String(shown.prefix(mostCharacters)) + "…" : shown
    }

    private enum Form: Equatable {
        case plain, tagged

        /// Creates the form from the media type (RFC 9110, section 8.3): text, JSON with problem details (RFC 9457), or
        /// XML, as object stores respond.
        init?(_ head: ResponseHead) {
            guard let type = head.headers.single("Content-Type")?.split(separator: ";").first else { return nil }
            switch type.trimming(while: \.isWhitespace).lowercased() {
            case "text/plain", "application/json", "text/json": self = .plain
            case "application/xml", "text/xml": self = .tagged
            case let name where name.hasSuffix("+json"): self = .plain
            case let name where name.hasSuffix("+xml") && !name.contains("html"): self = .tagged
            default: return nil
            }
        }
    }

    private static func withoutTags(_ scalars: Substring.UnicodeScalarView) -> String.UnicodeScalarView {
        var kept = String.UnicodeScalarView()
        var isInTag = false
        for scalar in scalars {
            if scalar == "<" { isInTag = true }
            kept.append(isInTag ? " " : scalar)
            if scalar == ">" { isInTag = false }
        }
        return kept
    }

    private static func withoutTokens(_ text: String) -> String {
        var shown = ""
        for part in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !shown.isEmpty { shown += " " }
            var run = ""
            for character in part + " " {
                if character.isASCII, character.isLetter || character.isNumber || "+/=_-%~".contains(character) {
                    run.append(character)
                    continue
                }
                shown += run.count > longestWord && run.contains(where: \.isNumber) ? "…" : run
                run = ""
                if character != " " { shown.append(character) }
            }
        }
        return shown
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: true
        default: false
        }
    }
}

extension RetryPolicy {
    /// Returns the failure for a final response, with the server's explanation. `url` is the requested URL if it is not
    /// the transfer's own.
    static func failure(
        of spec: TransferSpec, _ head: ResponseHead, _ outcome: ExchangeOutcome, at url: String? = nil,
        mayBeRepeated: Bool = true
    ) -> TransferFailure {
        failure(
            forStatus: head.status, head: head, url: url ?? spec.url, mayBeRepeated: mayBeRepeated,
            login: PresentedLogin(spec, at: url ?? spec.url), isDownload: spec.download != nil,
            words: ServerErrorText.text(of: outcome, hiding: spec.secretTexts))
    }
}

extension TransferSpec {
    /// The values that must not appear in a message: those of secret headers, the parts of Basic credentials, and the
    /// values in a URL.
    fileprivate var secretTexts: [String] {
        var texts: [String] = []
        for value in headers.lazy.map(\.guarded).filter(\.isSecret).map(\.value) {
            let parts = value.split(separator: " ", maxSplits: 1).map(String.init)
            texts += [value] + parts.dropFirst()
            guard parts.first?.lowercased() == "basic", parts.count == 2, let bytes = Base64.decode(parts[1]) else {
                continue
            }
            texts.append(String(decoding: bytes, as: UTF8.self))
            texts += bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1).dropFirst().map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        // An unreadable URL was refused.
        guard let url = try? TransferURL(parsing: url) else { return texts }
        if let login = url.login.map({ String(decoding: $0, as: UTF8.self) }) {
            texts += [login] + login.split(separator: ":", maxSplits: 1).dropFirst().map(String.init)
        }
        let values = url.query?.split(separator: "&").compactMap { $0.split(separator: "=", maxSplits: 1).last } ?? []
        // A short value protects nothing, and may be an ordinary word of the message.
        texts += values.filter { $0.count >= 8 }.map(String.init)
        return texts.filter { !$0.isEmpty }
    }
}
