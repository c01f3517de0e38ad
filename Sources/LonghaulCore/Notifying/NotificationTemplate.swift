/// A text with placeholders, parsed once and filled in often.
package struct NotificationTemplate: Equatable, Sendable {
    /// A name between braces.
    package enum Placeholder: String, Equatable, Sendable, CaseIterable {
        case name, count, done, total, percent, reason, host
    }

    private enum Piece: Equatable, Sendable {
        case text(String)
        case value(Placeholder)
    }

    private var pieces: [Piece] = []

    /// Fails with `invalidArgument` for an unknown placeholder or an unmatched brace.
    package init(parsing text: String) throws(TransferFailure) {
        var rest = Substring(text)
        var literal = ""
        while let next = rest.popFirst() {
            guard next == "{" || next == "}" else {
                literal.append(next)
                continue
            }
            if rest.first == next {
                literal.append(rest.removeFirst())
                continue
            }
            guard next == "{", let end = rest.firstIndex(of: "}") else {
                throw Self.refusal("The text \"\(text)\" has an unmatched brace. Write a literal brace as {{ or }}.")
            }
            let word = String(rest[..<end])
            guard let placeholder = Placeholder(rawValue: word) else {
                throw Self.refusal(
                    "The text \"\(text)\" contains the unknown placeholder {\(word)}. Known are "
                        + Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ") + ".")
            }
            if !literal.isEmpty { pieces.append(.text(literal)) }
            literal = ""
            pieces.append(.value(placeholder))
            rest = rest[rest.index(after: end)...]
        }
        if !literal.isEmpty { pieces.append(.text(literal)) }
    }

    /// Returns the text with its values. Control characters in values become spaces, so that a file name cannot change the layout.
    package func filled(_ value: (Placeholder) -> String) -> String {
        pieces.reduce(into: "") { text, piece in
            switch piece {
            case .text(let literal): text += literal
            case .value(let placeholder): text += Self.plain(value(placeholder))
            }
        }
    }

    static func plain(_ value: String) -> String {
        String(
            String.UnicodeScalarView(value.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }

    private static func refusal(_ sentence: String) -> TransferFailure { TransferFailure(.invalidArgument, sentence) }
}
