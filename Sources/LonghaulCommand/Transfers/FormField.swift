import LonghaulCore

/// One `-F` as curl writes it: `name=value` or `name=@path`, optionally followed by `;type=` and `;filename=`. Double quotes
/// enclose a value with a semicolon, or with a space at an end. Anything that curl ignores with a warning is refused here; `<` and
/// `,` have no special meaning.
enum FormField {
    static func parse(
        _ text: String, _ world: World, _ session: SessionID
    ) throws(TransferFailure) -> FormPart {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw .usage("A form field must be name=value or name=@file, not \"\(text)\".")
        }
        let name = String(text[..<equals])
        let rest = text[text.index(after: equals)...]
        var reader = FormFieldReader(rest.first == "@" ? rest.dropFirst() : rest)
        let content = try reader.word()
        let traits = try reader.traits()
        guard rest.first == "@" else {
            return FormPart(name: name, content: .text(content, fileName: traits.fileName, contentType: traits.type))
        }
        guard content != "-" else {
            throw .usage("A form cannot read a file from standard input. Write it to a file first.")
        }
        let source = try world.inspect(world.absolute(content), session)
        let fileName = traits.fileName ?? content.baseName ?? "file"
        return FormPart(
            name: name,
            content: .file(
                source, fileName: fileName, contentType: traits.type ?? MediaType.guess(fileName: content)))
    }
}

/// Reads the rest of a form field after its name, as `get_param_part` and `get_param_word` of curl do.
private struct FormFieldReader {
    private var rest: Substring

    init(_ text: Substring) {
        rest = text
    }

    /// Reads up to the next semicolon, without surrounding white space; or a quoted text, in which a backslash escapes
    /// a quote and a backslash. An unclosed quote is an ordinary character.
    mutating func word() throws(TransferFailure) -> String {
        rest = rest.drop(while: \.isWhitespace)
        if rest.first == "\"", let quoted = quotedWord() {
            guard rest.prefix(while: { $0 != ";" }).allSatisfy(\.isWhitespace) else {
                throw .usage("The quotes of a form field must end it, or a semicolon must follow, not \"\(rest)\".")
            }
            rest = rest.drop { $0 != ";" }
            return quoted
        }
        return plainWord()
    }

    /// `;type=` and `;filename=`, in any order.
    mutating func traits() throws(TransferFailure) -> (type: String?, fileName: String?) {
        var type: String?
        var fileName: String?
        while rest.popFirst() != nil {
            rest = rest.drop(while: \.isWhitespace)
            if read("type=") {
                type = plainWord()
                guard let type, Self.isMediaType(type) else {
                    throw .usage(
                        "The type of a form field must be written such as ;type=text/plain, not \"\(type ?? "")\".")
                }
            } else if read("filename=") {
                fileName = try word()
            } else if let begun = type, !read("headers="), !read("encoder=") {
                // A parameter of the type, such as charset=utf-8.
                type = begun + "; " + plainWord()
            } else {
                throw .usage(
                    "A form field may end with ;type=… and ;filename=…, not \";\(rest)\". Put a value with a semicolon into "
                        + "double quotes, or use --form-string.")
            }
        }
        return (type, fileName)
    }

    private mutating func plainWord() -> String {
        rest = rest.drop(while: \.isWhitespace)
        var word = rest.prefix { $0 != ";" }
        rest = rest[word.endIndex...]
        while word.last?.isWhitespace == true { word.removeLast() }
        return String(word)
    }

    private mutating func quotedWord() -> String? {
        var word = ""
        var left = rest.dropFirst()
        while let character = left.popFirst() {
            switch character {
            case "\"":
                rest = left
                return word
            case "\\" where left.first == "\\" || left.first == "\"":
                word.append(left.removeFirst())
            default: word.append(character)
            }
        }
        return nil
    }

    private mutating func read(_ prefix: String) -> Bool {
        guard rest.lowercased().hasPrefix(prefix) else { return false }
        rest = rest.dropFirst(prefix.count)
        return true
    }

    private static func isMediaType(_ text: String) -> Bool {
        let halves = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        return halves.count == 2 && halves.allSatisfy { !$0.isEmpty && !$0.contains(" ") }
    }
}
