public import Foundation
public import Longhaul
public import LonghaulCore

extension TransferSnapshot {
    /// The downloaded file or its future location, or the source of an upload; `nil` for a request.
    public var fileURL: URL? { path.map { URL(fileURLWithPath: $0) } }
}

extension Response {
    /// The body, up to ``LonghaulCore/TransferOptions/responseLimit``.
    public var data: Data { Data(body) }
}

extension FormField {
    /// Returns a field of bytes in memory, sent as a file. The default content type is derived from the file name.
    public static func data(
        name: String, _ data: Data, fileName: String, contentType: String? = nil
    ) -> FormField {
        .data(name: name, Array(data), fileName: fileName, contentType: contentType)
    }

    /// Returns a file field. The file name and the content type default to those of the path. Fails with `invalidArgument` if `url` is not
    /// a file URL.
    public static func file(
        name: String, url: URL, fileName: String? = nil, contentType: String? = nil
    ) throws(TransferFailure) -> FormField {
        .file(name: name, path: try url.localPath, fileName: fileName, contentType: contentType)
    }
}

extension URL {
    /// Performs an operation that reads the file, with access to it if the URL is security-scoped.
    func accessing<Value: Sendable>(
        _ body: (_ path: String) async throws(TransferFailure) -> Value
    ) async throws(TransferFailure) -> Value {
        let path = try localPath
        let isScoped = startAccessingSecurityScopedResource()
        defer { if isScoped { stopAccessingSecurityScopedResource() } }
        return try await body(path)
    }

    /// The path of a file or directory on this machine, without a slash at its end.
    var localPath: String {
        get throws(TransferFailure) {
            guard isFileURL else {
                throw TransferFailure(
                    .invalidArgument,
                    "The URL must be a file URL, such as file:///home/me/film.")
            }
            let local = path(percentEncoded: false)
            return local.count > 1 && local.hasSuffix("/") ? String(local.dropLast()) : local
        }
    }
}
