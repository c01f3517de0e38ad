/// What a server says about its refusal, for the sentence that tells of it: `read-only folder`.
///
/// Nothing of what the transfer keeps secret is repeated, whatever the server echoes.
enum ServerWords {
    /// More is in the kept response, which `show` prints.
    private static let mostCharacters = 160
    private static let mostBytes = 2_048
    /// So long a run of letters and digits is a key, a signature or the number of a request, and tells a person nothing.
    private static let longestWord = 24

    /// `nil` where it says nothing that a person could read in one line: no body, a page of HTML, bytes.
    static func text(of outcome: ExchangeOutcome, hiding secrets: [String]) -> String? {
        guard let head = outcome.head, !head.isSuccess, let form = Form(head) else { return nil }
        var bytes = outcome.body.prefix(mostBytes)
        // A character that was cut is none.
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

        /// By its media type (RFC 9110, section 8.3): text, JSON with its problems (RFC 9457), and XML, as object stores answer.
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
    /// The failure that a final answer means for a transfer, with what the server says about it. `url` is what was asked for, where
    /// that is not the transfer's own.
    static func failure(
        of spec: TransferSpec, _ head: ResponseHead, _ outcome: ExchangeOutcome, at url: String? = nil,
        mayBeRepeated: Bool = true
    ) -> TransferFailure {
        failure(
            forStatus: head.status, head: head, url: url ?? spec.url, mayBeRepeated: mayBeRepeated,
            hasCredentials: spec.hasCredentials, isDownload: spec.download != nil,
            words: ServerWords.text(of: outcome, hiding: spec.secretTexts))
    }
}

extension TransferSpec {
    /// What must not appear in a sentence: values of secret fields, what Basic credentials are made of, and what a URL carries.
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
        // A short one opens nothing, and may be a word of the sentence.
        texts += values.filter { $0.count >= 8 }.map(String.init)
        return texts.filter { !$0.isEmpty }
    }
}
