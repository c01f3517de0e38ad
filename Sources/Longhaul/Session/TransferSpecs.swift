import LonghaulClient

/// Descriptions of transfers, for ``TransferSession/submit(_:)``.
///
/// ```swift
/// let specs = try paths.map { path in
///     try TransferSpec.upload(file: path, to: "https://example.org/photos/")
/// }
/// let transfers = try await session.submit(specs)
/// ```
///
/// A file whose size is unknown, such as a pipe or one in `/proc`, is refused with `sourceUnreadable`. The methods of
/// ``TransferSession`` copy such a file first.
extension TransferSpec {
    /// A download to a file in a directory, which is made at the submission if it is missing.
    public static func download(
        from url: String, to directory: String, fileName: String? = nil, collision: Collision = .number,
        expectedDigest: Digest? = nil, headers: [HeaderField] = [], options: TransferOptions = TransferOptions(),
        network: NetworkOptions = NetworkOptions()
    ) -> TransferSpec {
        let destination = DownloadSpec(
            directory: AbsolutePath.of(directory), fileName: fileName, collision: collision,
            expectedDigest: expectedDigest)
        return TransferSpec(
            work: .download(destination), method: "GET", url: url, headers: headers, options: options, network: network)
    }

    /// A file as the body of one request. The file is looked at now, and must be the same when it is sent.
    ///
    /// Fails with `sourceMissing` or `sourceUnreadable`.
    public static func upload(
        file path: String, to url: String, method: String = "PUT", headers: [HeaderField] = [],
        options: TransferOptions = TransferOptions(), network: NetworkOptions = NetworkOptions()
    ) throws(TransferFailure) -> TransferSpec {
        TransferSpec(
            work: .upload(.raw(try SourceFile.inspect(path: path))), method: method, url: url, headers: headers,
            options: options, network: network)
    }

    /// A form as `multipart/form-data`. Its files are looked at now, and must be the same when they are sent.
    ///
    /// Fails with `sourceMissing` or `sourceUnreadable`.
    public static func upload(
        form fields: [FormField], to url: String, method: String = "POST", headers: [HeaderField] = [],
        options: TransferOptions = TransferOptions(), network: NetworkOptions = NetworkOptions()
    ) throws(TransferFailure) -> TransferSpec {
        let form = try UploadSpec.multipart(fields) { path throws(TransferFailure) in
            try SourceFile.inspect(path: path)
        }
        return TransferSpec(
            work: .upload(form), method: method, url: url, headers: headers, options: options, network: network)
    }

    /// A file by tus 1.0, which goes on at the server's offset after an interruption. `url` is where uploads are created.
    ///
    /// `filename` and `filetype` are added to the metadata when they are missing: some servers cannot do without them. Fails
    /// with `sourceMissing` or `sourceUnreadable`.
    public static func uploadResumably(
        file path: String, to url: String, metadata: [String: String] = [:], headers: [HeaderField] = [],
        options: TransferOptions = TransferOptions(), network: NetworkOptions = NetworkOptions()
    ) throws(TransferFailure) -> TransferSpec {
        let upload = UploadSpec.resumable(try SourceFile.inspect(path: path), named: path, metadata)
        return TransferSpec(
            work: .upload(upload), method: "POST", url: url, headers: headers, options: options, network: network)
    }

    /// A small request, whose response is kept.
    public static func request(
        _ url: String, method: String = "GET", body: [UInt8] = [], headers: [HeaderField] = [],
        options: TransferOptions = TransferOptions(), network: NetworkOptions = NetworkOptions()
    ) -> TransferSpec {
        TransferSpec(
            work: .request(body: body), method: method, url: url, headers: headers, options: options, network: network)
    }
}

/// Opens a file to upload and pins it, or copies it.
typealias SourceInspection = (_ path: String) throws(TransferFailure) -> SourceFile

extension UploadSpec {
    static func multipart(
        _ fields: [FormField], _ inspect: SourceInspection
    ) throws(TransferFailure) -> UploadSpec {
        let parts = try fields.map { field throws(TransferFailure) in try field.part(inspect) }
        let boundary = FormLayout.boundary(random: (.random(in: .min ... .max), .random(in: .min ... .max)))
        return .form(boundary: boundary, parts: parts)
    }

    static func resumable(_ source: SourceFile, named path: String, _ metadata: [String: String]) -> UploadSpec {
        let name = path.baseName ?? path
        let usual = ["filename": name, "filetype": MediaType.guess(fileName: name)]
        let pairs = metadata.merging(usual) { own, _ in own }.sorted { $0.key < $1.key }
        return .tus(source, metadata: pairs.map { MetadataPair(key: $0.key, value: $0.value) })
    }
}
