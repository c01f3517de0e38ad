/// The payload of `UploadSpec.form`.
struct FormBody: WireMessage {
    var boundary: String
    var parts: [FormPart]

    init(boundary: String, parts: [FormPart]) {
        self.boundary = boundary
        self.parts = parts
    }

    func encode(into writer: inout WireWriter) {
        writer.text(boundary, at: 1)
        writer.messages(parts, at: 2)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(boundary: "", parts: [])
        while let field = try reader.nextField() {
            switch field {
            case 1: boundary = try reader.text()
            case 2: parts.append(try reader.message())
            default: try reader.skip()
            }
        }
    }
}

/// The payload of `UploadSpec.tus`.
struct TusBody: WireMessage {
    var source: SourceFile
    var metadata: [MetadataPair]

    init(source: SourceFile, metadata: [MetadataPair]) {
        self.source = source
        self.metadata = metadata
    }

    func encode(into writer: inout WireWriter) {
        writer.message(source, at: 1)
        writer.messages(metadata, at: 2)
    }

    init(from reader: inout WireReader) throws(WireError) {
        var source: SourceFile?
        var metadata: [MetadataPair] = []
        while let field = try reader.nextField() {
            switch field {
            case 1: source = try reader.message()
            case 2: metadata.append(try reader.message())
            default: try reader.skip()
            }
        }
        guard let source else { throw .missingValue }
        self.init(source: source, metadata: metadata)
    }
}

extension MetadataPair: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(key, at: 1)
        writer.text(value, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(key: "", value: "")
        while let field = try reader.nextField() {
            switch field {
            case 1: key = try reader.text()
            case 2: value = try reader.text()
            default: try reader.skip()
            }
        }
    }
}

extension FormPart: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(name, at: 1)
        switch content {
        case .text(let text, let fileName, let contentType):
            writer.text(Optional(text), at: 2)
            writer.text(fileName, at: 4)
            writer.text(contentType, at: 5)
        case .file(let source, let fileName, let contentType):
            writer.message(FormFile(source: source, fileName: fileName, contentType: contentType), at: 3)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var name = ""
        var content: Content?
        var fileName: String?
        var contentType: String?
        while let field = try reader.nextField() {
            switch field {
            case 1: name = try reader.text()
            case 2: content = .text(try reader.text())
            case 3:
                let file: FormFile = try reader.message()
                content = .file(file.source, fileName: file.fileName, contentType: file.contentType)
            case 4: fileName = try reader.text()
            case 5: contentType = try reader.text()
            default: try reader.skip()
            }
        }
        switch content {
        case nil: throw .unknownValue
        case .text(let text, _, _):
            self.init(name: name, content: .text(text, fileName: fileName, contentType: contentType))
        case .file(let source, let fileName, let contentType):
            self.init(name: name, content: .file(source, fileName: fileName, contentType: contentType))
        }
    }
}

/// The payload of `FormPart.Content.file`.
struct FormFile: WireMessage {
    var source: SourceFile
    var fileName: String
    var contentType: String

    init(source: SourceFile, fileName: String, contentType: String) {
        self.source = source
        self.fileName = fileName
        self.contentType = contentType
    }

    func encode(into writer: inout WireWriter) {
        writer.message(source, at: 1)
        writer.text(fileName, at: 2)
        writer.text(contentType, at: 3)
    }

    init(from reader: inout WireReader) throws(WireError) {
        var source: SourceFile?
        var fileName = ""
        var contentType = ""
        while let field = try reader.nextField() {
            switch field {
            case 1: source = try reader.message()
            case 2: fileName = try reader.text()
            case 3: contentType = try reader.text()
            default: try reader.skip()
            }
        }
        guard let source else { throw .missingValue }
        self.init(source: source, fileName: fileName, contentType: contentType)
    }
}
