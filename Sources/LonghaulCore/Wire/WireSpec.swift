extension TransferSpec: WireMessage {
    package func encode(into writer: inout WireWriter) {
        switch work {
        case .download(let download): writer.message(download, at: 1)
        case .upload(let upload): writer.message(upload, at: 2)
        case .request(let body): writer.data(Optional(body), at: 3)
        }
        writer.text(method, at: 4)
        writer.text(url, at: 5)
        writer.messages(headers, at: 6)
        writer.message(options, at: 7)
        writer.message(network, at: 8)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var work: Work?
        var method = ""
        var url = ""
        var headers: [HeaderField] = []
        var options: TransferOptions?
        var network: NetworkOptions?
        while let field = try reader.nextField() {
            switch field {
            case 1: work = .download(try reader.message())
            case 2: work = .upload(try reader.message())
            case 3: work = .request(body: try reader.data())
            case 4: method = try reader.text()
            case 5: url = try reader.text()
            case 6: headers.append(try reader.message())
            case 7: options = try reader.message()
            case 8: network = try reader.message()
            default: try reader.skip()
            }
        }
        guard let work else { throw .unknownValue }
        guard let options, let network else { throw .missingValue }
        self.init(work: work, method: method, url: url, headers: headers, options: options, network: network)
    }
}

extension DownloadSpec: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(directory, at: 1)
        writer.text(fileName, at: 2)
        writer.choice(collision, at: 3)
        writer.message(expectedDigest, at: 4)
        writer.integer(creationMask, at: 5)
        writer.flag(keepsRemoteTime, at: 6)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(directory: "")
        while let field = try reader.nextField() {
            switch field {
            case 1: directory = try reader.text()
            case 2: fileName = try reader.text()
            case 3: collision = try reader.choice()
            case 4: expectedDigest = try reader.message()
            case 5: creationMask = try reader.integer()
            case 6: keepsRemoteTime = try reader.flag()
            default: try reader.skip()
            }
        }
    }
}

extension UploadSpec: WireMessage {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .raw(let source): writer.message(source, at: 1)
        case .form(let boundary, let parts): writer.message(FormBody(boundary: boundary, parts: parts), at: 2)
        case .tus(let source, let metadata): writer.message(TusBody(source: source, metadata: metadata), at: 3)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var upload: UploadSpec?
        while let field = try reader.nextField() {
            switch field {
            case 1: upload = .raw(try reader.message())
            case 2:
                let body: FormBody = try reader.message()
                upload = .form(boundary: body.boundary, parts: body.parts)
            case 3:
                let body: TusBody = try reader.message()
                upload = .tus(body.source, metadata: body.metadata)
            default: try reader.skip()
            }
        }
        guard let upload else { throw .unknownValue }
        self = upload
    }
}
