import LonghaulCore

/// A field of a form upload.
@nonexhaustive public enum FormField: Equatable, Sendable {
    /// A text value, sent byte for byte with its line breaks.
    case text(name: String, value: String)
    /// A file. The default file name and content type are derived from the path.
    case file(name: String, path: String, fileName: String? = nil, contentType: String? = nil)
    /// Bytes in memory, sent as a file. The default content type is derived from the file name. They are written to the session's
    /// directory before the upload is submitted, and deleted when it has ended.
    case data(name: String, _ bytes: [UInt8], fileName: String, contentType: String? = nil)

    /// Returns the form part of the field. Inspects its file, or stages its bytes.
    func part(_ inspect: SourceInspection) throws(TransferFailure) -> FormPart {
        switch self {
        case .text(let name, let value): return FormPart(name: name, content: .text(value))
        case .file(let name, let path, let fileName, let contentType):
            return Self.part(name, try inspect(path), fileName ?? path.baseName ?? path, contentType)
        case .data(let name, let bytes, let fileName, let contentType):
            return Self.part(name, try inspect.stage(bytes), fileName, contentType)
        }
    }

    private static func part(
        _ name: String, _ source: SourceFile, _ fileName: String, _ contentType: String?
    ) -> FormPart {
        let type = contentType ?? MediaType.guess(fileName: fileName)
        return FormPart(name: name, content: .file(source, fileName: fileName, contentType: type))
    }
}
