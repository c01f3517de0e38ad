public import Foundation
public import Longhaul
public import LonghaulCore

/// Starting transfers with Foundation's types. What the calls mean is said where `Longhaul` declares them.
extension TransferSession {
    /// Downloads to a file in a directory that exists. The file appears whole or not at all.
    @discardableResult
    public func download(
        from url: URL, to directory: URL, fileName: String? = nil, collision: TransferSpec.Collision = .number,
        expectedDigest: Digest? = nil, headers: [HeaderField] = [], key: String? = nil,
        options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await download(
            from: url.absoluteString, to: try directory.localPath, fileName: fileName, collision: collision,
            expectedDigest: expectedDigest, headers: headers, key: key, options: options, network: network)
    }

    /// Sends a file as the body of one request.
    @discardableResult
    public func upload(
        file: URL, to url: URL, method: String = "PUT", headers: [HeaderField] = [], key: String? = nil,
        options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await upload(
            file: try file.localPath, to: url.absoluteString, method: method, headers: headers, key: key,
            options: options, network: network)
    }

    /// Sends bytes as the body of one request. They are kept in the session's directory until the transfer has ended.
    @discardableResult
    public func upload(
        data: Data, to url: URL, method: String = "PUT", headers: [HeaderField] = [], key: String? = nil,
        options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await upload(
            data: Array(data), to: url.absoluteString, method: method, headers: headers, key: key, options: options,
            network: network)
    }

    /// Sends a form as `multipart/form-data`.
    @discardableResult
    public func upload(
        form fields: [FormField], to url: URL, method: String = "POST", headers: [HeaderField] = [],
        key: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await upload(
            form: fields, to: url.absoluteString, method: method, headers: headers, key: key, options: options,
            network: network)
    }

    /// Sends a file by tus 1.0, which goes on at the server's offset after an interruption. `url` is where uploads are
    /// created.
    @discardableResult
    public func uploadResumably(
        file: URL, to url: URL, metadata: [String: String] = [:], headers: [HeaderField] = [], key: String? = nil,
        options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await uploadResumably(
            file: try file.localPath, to: url.absoluteString, metadata: metadata, headers: headers, key: key,
            options: options, network: network)
    }

    /// Makes a small request; its response is kept.
    @discardableResult
    public func request(
        _ url: URL, method: String = "GET", body: Data = Data(), headers: [HeaderField] = [], key: String? = nil,
        options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await request(
            url.absoluteString, method: method, body: Array(body), headers: headers, key: key, options: options,
            network: network)
    }

    /// Sends the last request of an app that is about to end.
    @discardableResult
    public func send(
        _ url: URL, method: String = "POST", body: Data = Data(), headers: [HeaderField] = [], key: String? = nil,
        options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await send(
            url.absoluteString, method: method, body: Array(body), headers: headers, key: key, options: options,
            network: network)
    }
}

extension Transfer {
    /// Gives the transfer another URL for the same content.
    public func replaceURL(with url: URL, headers: [HeaderField]? = nil) async throws(TransferFailure) {
        try await replaceURL(with: url.absoluteString, headers: headers)
    }
}

extension DataRequest {
    /// Describes a request.
    public init(
        _ url: URL, method: String = "GET", headers: [HeaderField] = [], body: Data = Data(),
        answerLifetime: Duration = .seconds(3_600)
    ) {
        self.init(
            url.absoluteString, method: method, headers: headers, body: Array(body), answerLifetime: answerLifetime)
    }
}
