import LonghaulCore

/// One `-F` as curl writes it: `name=value`, or `name=@path` with `;type=` and `;filename=` behind it.
enum FormField {
    static func parse(_ text: String, _ world: World) throws(TransferFailure) -> FormPart {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw .usage("a form field is written name=value or name=@file, not \"\(text)\"")
        }
        let name = String(text[..<equals])
        let value = text[text.index(after: equals)...]
        guard value.first == "@" else { return FormPart(name: name, content: .text(String(value))) }
        return try file(name, value.dropFirst(), world)
    }

    private static func file(
        _ name: String, _ text: Substring, _ world: World
    ) throws(TransferFailure) -> FormPart {
        var parts = text.split(separator: ";", omittingEmptySubsequences: false)[...]
        let path = String(parts.removeFirst())
        var type: String?
        var fileName = Substring(path.split(separator: "/").last ?? "file")
        for part in parts {
            if part.hasPrefix("type=") {
                type = String(part.dropFirst(5))
            } else if part.hasPrefix("filename=") {
                fileName = part.dropFirst(9)
            } else {
                throw .usage("after a form file there may be ;type=… and ;filename=…, not \";\(part)\"")
            }
        }
        guard path != "-" else { throw .usage("a form file cannot come from standard input; write it to a file first") }
        let source = try world.inspect(world.absolute(path))
        let contentType = type ?? MediaType.guess(fileName: path)
        return FormPart(
            name: name, content: .file(source, fileName: String(fileName), contentType: contentType))
    }
}
