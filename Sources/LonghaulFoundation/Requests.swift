public import Foundation
public import Longhaul
public import LonghaulCore

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Transfers that are described by a `URLRequest`: its URL, method, header fields and body count. Everything else, such as
/// time limits and the networks that may be used, is said by `TransferOptions` and `NetworkOptions`.
extension TransferSession {
    /// Downloads to a file in a directory that exists. Fails with `invalidArgument` for a request that is not a plain GET.
    @discardableResult
    public func download(
        for request: URLRequest, to directory: URL, fileName: String? = nil,
        collision: TransferSpec.Collision = .number, expectedDigest: Digest? = nil, key: String? = nil,
        options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let parts = try RequestParts(request)
        guard parts.method == "GET", parts.body.isEmpty else {
            throw TransferFailure(.invalidArgument, "A download is a GET without a body. Use request(_:) for others.")
        }
        return try await download(
            from: parts.url, to: try directory.localPath, fileName: fileName, collision: collision,
            expectedDigest: expectedDigest, headers: parts.headers, key: key, options: options, network: network)
    }

    /// Sends a file as the body of a request, whose method must allow that: a `URLRequest` has GET unless it is told another.
    @discardableResult
    public func upload(
        for request: URLRequest, file: URL, key: String? = nil, options: TransferOptions? = nil,
        network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let parts = try RequestParts(request, upload: true)
        return try await upload(
            file: try file.localPath, to: parts.url, method: parts.method, headers: parts.headers, key: key,
            options: options, network: network)
    }

    /// Sends bytes as the body of a request, whose method must allow that: a `URLRequest` has GET unless it is told another.
    @discardableResult
    public func upload(
        for request: URLRequest, data: Data, key: String? = nil, options: TransferOptions? = nil,
        network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let parts = try RequestParts(request, upload: true)
        return try await upload(
            data: Array(data), to: parts.url, method: parts.method, headers: parts.headers, key: key,
            options: options, network: network)
    }

    /// Makes a small request; its response is kept.
    @discardableResult
    public func request(
        _ request: URLRequest, key: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let parts = try RequestParts(request)
        return try await self.request(
            parts.url, method: parts.method, body: parts.body, headers: parts.headers, key: key, options: options,
            network: network)
    }

    /// Sends the last request of an app that is about to end.
    @discardableResult
    public func send(
        _ request: URLRequest, key: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let parts = try RequestParts(request)
        return try await send(
            parts.url, method: parts.method, body: parts.body, headers: parts.headers, key: key, options: options,
            network: network)
    }

    /// Makes a request and returns the answer, whatever its status. The request goes on when its task is cancelled.
    public func data(for request: URLRequest) async throws(TransferFailure) -> ResponseSummary {
        let parts = try RequestParts(request)
        return try await data(
            for: DataRequest(parts.url, method: parts.method, headers: parts.headers, body: parts.body))
    }
}

/// What counts of a `URLRequest`.
private struct RequestParts {
    var url: String
    var method: String
    var headers: [HeaderField]
    var body: [UInt8]

    init(_ request: URLRequest, upload: Bool = false) throws(TransferFailure) {
        guard let url = request.url else { throw TransferFailure(.invalidURL, "The request has no URL.") }
        guard request.httpBodyStream == nil else {
            throw TransferFailure(
                .invalidArgument,
                "A stream cannot be sent again after an interruption. Give the body as data or a file.")
        }
        self.url = url.absoluteString
        method = request.httpMethod ?? "GET"
        headers = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) }
        body = request.httpBody.map { Array($0) } ?? []
        guard upload else { return }
        guard method != "GET", method != "HEAD" else {
            throw TransferFailure(.invalidArgument, "An upload needs a method such as PUT or POST: set httpMethod.")
        }
        guard body.isEmpty else {
            throw TransferFailure(
                .invalidArgument, "The request has a body already. Leave it out: the upload is the body.")
        }
    }
}
