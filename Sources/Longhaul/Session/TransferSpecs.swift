import LonghaulSystem

/// Descriptions of transfers for ``TransferSession/submit(_:)``.
///
/// ```swift
/// let specs = try paths.map { path in
///     try TransferSpec.upload(file: path, to: "https://example.org/photos/")
/// }
/// let transfers = try await session.submit(specs)
/// ```
///
/// A source file of unknown size, such as a pipe or a file in `/proc`, fails with `sourceUnreadable`. The methods of
/// ``TransferSession`` copy such a file first.
extension TransferSpec {
    /// Returns a download to a file in a directory. The submission creates the directory if it is missing.
    public static func download(
        from url: String, to directory: String, fileName: String? = nil, collision: Collision = .number,
        expectedDigest: Digest? = nil, headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions = TransferOptions(),
        network: NetworkOptions = NetworkOptions()
    ) -> TransferSpec {
        let destination = DownloadSpec(
            directory: AbsolutePath.of(directory), fileName: fileName, collision: collision,
            expectedDigest: expectedDigest)
        return TransferSpec(
            work: .download(destination), method: "GET", url: url, headers: headers.headerFields,
            options: options.named(key, group),
            network: network)
    }

    /// Returns the upload of a file as the body of one request. The file must not change until it has been sent.
    ///
    /// Fails with `sourceMissing` or `sourceUnreadable`.
    public static func upload(
        file path: String, to url: String, method: String = "PUT", headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions = TransferOptions(),
        network: NetworkOptions = NetworkOptions()
    ) throws(TransferFailure) -> TransferSpec {
        TransferSpec(
            work: .upload(.raw(try SourceFile.inspect(path: path))), method: method, url: url,
            headers: headers.headerFields,
            options: options.named(key, group), network: network)
    }

    /// Returns the upload of a form as `multipart/form-data` (RFC 7578). Its files must not change until they have been sent.
    ///
    /// Fails with `sourceMissing` or `sourceUnreadable`.
    public static func upload(
        form fields: [FormField], to url: String, method: String = "POST", headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions = TransferOptions(),
        network: NetworkOptions = NetworkOptions()
    ) throws(TransferFailure) -> TransferSpec {
        let form = try UploadSpec.multipart(
            fields,
            SourceInspection(
                pin: { path throws(TransferFailure) in try SourceFile.inspect(path: path) },
                stage: { _ throws(TransferFailure) in
                    throw TransferFailure(
                        .invalidArgument,
                        "A form with bytes must be staged by a session. Call TransferSession.upload(form:to:).")
                }))
        return TransferSpec(
            work: .upload(form), method: method, url: url, headers: headers.headerFields,
            options: options.named(key, group),
            network: network)
    }

    /// Returns the upload of a file with tus 1.0, which resumes at the server's offset after an interruption. `url` creates uploads.
    ///
    /// `filename` and `filetype` are added to the metadata if they are missing, because some servers need them. Fails with
    /// `sourceMissing` or `sourceUnreadable`.
    public static func uploadResumably(
        file path: String, to url: String, metadata: [String: String] = [:], headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions = TransferOptions(),
        network: NetworkOptions = NetworkOptions()
    ) throws(TransferFailure) -> TransferSpec {
        let upload = UploadSpec.resumable(try SourceFile.inspect(path: path), named: path, metadata)
        return TransferSpec(
            work: .upload(upload), method: "POST", url: url, headers: headers.headerFields,
            options: options.named(key, group),
            network: network)
    }

    /// Returns a small request, whose response is stored with the transfer.
    public static func request(
        _ url: String, method: String = "GET", body: [UInt8] = [], headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions = TransferOptions(),
        network: NetworkOptions = NetworkOptions()
    ) -> TransferSpec {
        TransferSpec(
            work: .request(body: body), method: method, url: url, headers: headers.headerFields,
            options: options.named(key, group),
            network: network)
    }
}

/// How the sources of an upload are prepared.
struct SourceInspection {
    /// Opens a file and pins its version, or copies the file.
    let pin: (_ path: String) throws(TransferFailure) -> SourceFile
    /// Writes bytes to a file of the session.
    let stage: (_ bytes: [UInt8]) throws(TransferFailure) -> SourceFile

    func callAsFunction(_ path: String) throws(TransferFailure) -> SourceFile { try pin(path) }
}

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
