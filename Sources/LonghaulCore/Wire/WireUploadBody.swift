/// The payload of `UploadSpec.form`.
struct FormBody: WireRecord {
    var boundary: String
    var parts: [FormPart]

    static var blank: Self { Self(boundary: "", parts: []) }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&boundary, 1)
        try wire.messages(&parts, 2)
    }
}

/// The payload of `UploadSpec.tus`.
struct TusBody: WireRecord {
    var source: SourceFile
    var metadata: [MetadataPair]

    static var blank: Self {
        Self(source: .blank, metadata: [])
    }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&source, 1)
        try wire.messages(&metadata, 2)
    }
}

extension MetadataPair: WireRecord {
    package static var blank: Self { Self(key: "", value: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&key, 1)
        try wire.text(&value, 2)
    }
}

extension FormPart: WireRecord {
    package static var blank: Self { Self(name: "", content: .text("")) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&name, 1)
        try wire.cases(&content)
    }
}

extension FormPart.Content: WireCases {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 2, { Self.text($0.text, fileName: $0.fileName, contentType: $0.contentType) }, \.text)
        try wire.message(
            &value, 3, { Self.file($0.source, fileName: $0.fileName, contentType: $0.contentType) }, \.file)
    }

    private var text: FormText? {
        guard case .text(let text, let fileName, let contentType) = self else { return nil }
        return FormText(text: text, fileName: fileName, contentType: contentType)
    }

    private var file: FormFile? {
        guard case .file(let source, let fileName, let contentType) = self else { return nil }
        return FormFile(source: source, fileName: fileName, contentType: contentType)
    }
}

/// The payload of `FormPart.Content.text`.
struct FormText: WireRecord {
    static var blank: Self { Self(text: "") }

    var text: String
    var fileName: String?
    var contentType: String?

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&text, 1)
        try wire.text(&fileName, 2)
        try wire.text(&contentType, 3)
    }
}

/// The payload of `FormPart.Content.file`.
struct FormFile: WireRecord {
    var source: SourceFile
    var fileName: String
    var contentType: String

    static var blank: Self {
        Self(source: .blank, fileName: "", contentType: "")
    }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&source, 1)
        try wire.text(&fileName, 2)
        try wire.text(&contentType, 3)
    }
}
