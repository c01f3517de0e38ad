import LonghaulClient

/// One field of a form that is uploaded.
public enum FormField: Equatable, Sendable {
    /// A text value, sent byte for byte: its line breaks stay as they are.
    case text(name: String, value: String)
    /// A file. Without a name and a content type, both follow from the path.
    case file(name: String, path: String, fileName: String? = nil, contentType: String? = nil)

    /// Returns the field with its file pinned.
    func part(_ inspect: SourceInspection) throws(TransferFailure) -> FormPart {
        switch self {
        case .text(let name, let value): return FormPart(name: name, content: .text(value))
        case .file(let name, let path, let fileName, let contentType):
            let fileName = fileName ?? path.baseName ?? path
            let type = contentType ?? MediaType.guess(fileName: fileName)
            let source = try inspect(path)
            return FormPart(name: name, content: .file(source, fileName: fileName, contentType: type))
        }
    }
}
