public import Foundation
public import Longhaul
public import LonghaulCore

/// Calls that start transfers, with Foundation's types. `Longhaul` documents the parameters.
extension TransferSession {
    /// Downloads to a file. The file appears when it is complete; the directory is created if it is missing.
    @discardableResult
    public func download(
        from url: URL, to directory: URL, fileName: String? = nil, collision: TransferSpec.Collision = .number,
        expectedDigest: Digest? = nil, headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await download(
            from: url.absoluteString, to: try directory.localPath, fileName: fileName, collision: collision,
            expectedDigest: expectedDigest, headers: headers, key: key, group: group, options: options,
            network: network)
    }

    /// Uploads a file as the body of one request. On Linux, the file must not change until it has been sent. On Apple systems, the session
    /// keeps a copy. The URL may be security-scoped, or that of a picker's temporary file.
    @discardableResult
    public func upload(
        file: URL, to url: URL, method: String = "PUT", headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await file.accessing { path throws(TransferFailure) in
            try await upload(
                file: path, to: url.absoluteString, method: method, headers: headers, key: key, group: group,
                options: options, network: network)
        }
    }

    /// Uploads bytes as the body of one request. They are stored in the session's directory until the transfer has ended.
    @discardableResult
    public func upload(
        data: Data, to url: URL, method: String = "PUT", headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await upload(
            data: Array(data), to: url.absoluteString, method: method, headers: headers, key: key, group: group,
            options: options, network: network)
    }

    /// Uploads a form as `multipart/form-data`. If the URL of a field is security-scoped, call `startAccessingSecurityScopedResource` on it
    /// before this call.
    @discardableResult
    public func upload(
        form fields: [FormField], to url: URL, method: String = "POST", headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await upload(
            form: fields, to: url.absoluteString, method: method, headers: headers, key: key, group: group,
            options: options, network: network)
    }

    /// Uploads a file with tus 1.0, which resumes at the server's offset after an interruption. `url` creates uploads.
    @discardableResult
    public func uploadResumably(
        file: URL, to url: URL, metadata: [String: String] = [:], headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await file.accessing { path throws(TransferFailure) in
            try await uploadResumably(
                file: path, to: url.absoluteString, metadata: metadata, headers: headers, key: key, group: group,
                options: options, network: network)
        }
    }

    /// Sends a small request, whose response is stored with the transfer: see ``Longhaul/Transfer/response()``.
    @discardableResult
    public func request(
        _ url: URL, method: String = "GET", body: Data = Data(), headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await request(
            url.absoluteString, method: method, body: Array(body), headers: headers, key: key, group: group,
            options: options, network: network)
    }
}

extension Transfer {
    /// Moves an unfinished download, with the bytes received so far, to another directory. `nil` keeps its name.
    public func move(to directory: URL, fileName: String? = nil) async throws(TransferFailure) {
        try await move(to: try directory.localPath, fileName: fileName)
    }

    /// Replaces the URL with another one for the same content, and its header fields unless `headers` is `nil`.
    public func replaceURL(with url: URL, headers: (any HeaderFields)? = nil) async throws(TransferFailure) {
        try await replaceURL(with: url.absoluteString, headers: headers)
    }
}
