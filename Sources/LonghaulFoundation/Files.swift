public import Foundation
public import Longhaul
public import LonghaulCore

extension TransferSnapshot {
    /// The finished file, the place where it will be, or the source; `nil` for a request.
    public var fileURL: URL? { path.map { URL(fileURLWithPath: $0) } }
}

extension TransferResult {
    /// The finished file of a download.
    public var fileURL: URL? { path.map { URL(fileURLWithPath: $0) } }
}

extension ResponseSummary {
    /// The body's first bytes, up to the transfer's `responseLimit`.
    public var data: Data { Data(body) }
}

extension FormField {
    /// A file. Without a name and a content type, both follow from the path. Fails with `invalidArgument` for a URL that is
    /// not a file's.
    public static func file(
        name: String, url: URL, fileName: String? = nil, contentType: String? = nil
    ) throws(TransferFailure) -> FormField {
        .file(name: name, path: try url.localPath, fileName: fileName, contentType: contentType)
    }
}

extension URL {
    /// The path of a file or directory on this machine, without a slash at its end.
    var localPath: String {
        get throws(TransferFailure) {
            guard isFileURL else {
                throw TransferFailure(
                    .invalidArgument,
                    "A URL of a file is needed here, such as file:///home/me/film. This one is remote.")
            }
            let local = path(percentEncoded: false)
            return local.count > 1 && local.hasSuffix("/") ? String(local.dropLast()) : local
        }
    }
}
