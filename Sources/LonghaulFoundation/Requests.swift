public import Foundation
public import Longhaul
public import LonghaulCore

/// Calls that start transfers from a `URLRequest`. They use its URL, method, header fields, and body. Time limits and the permitted networks
/// are part of `TransferOptions` and `NetworkOptions`.
extension TransferSession {
    /// Downloads to a file. Fails with `invalidArgument` for a request that is not a GET without a body.
    @discardableResult
    public func download(
        for request: URLRequest, to directory: URL, fileName: String? = nil,
        collision: TransferSpec.Collision = .number, expectedDigest: Digest? = nil,
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let parts = try RequestParts(request)
        guard parts.method == "GET", parts.body.isEmpty else {
            throw TransferFailure(.invalidArgument, "A download must be a GET without a body. Use request(_:) instead.")
        }
        return try await download(
            from: parts.url, to: try directory.localPath, fileName: fileName, collision: collision,
            expectedDigest: expectedDigest, headers: parts.headers, key: key, group: group, options: options,
            network: network)
    }

    /// Uploads a file as the body of a request. Set `httpMethod`: the default of a `URLRequest`, GET, fails with `invalidArgument`.
    @discardableResult
    public func upload(
        for request: URLRequest, file: URL,
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let parts = try RequestParts(request, upload: true)
        return try await file.accessing { path throws(TransferFailure) in
            try await upload(
                file: path, to: parts.url, method: parts.method, headers: parts.headers, key: key, group: group,
                options: options, network: network)
        }
    }

    /// Uploads bytes as the body of a request. Set `httpMethod`: the default of a `URLRequest`, GET, fails with `invalidArgument`.
    @discardableResult
    public func upload(
        for request: URLRequest, data: Data,
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let parts = try RequestParts(request, upload: true)
        return try await upload(
            data: Array(data), to: parts.url, method: parts.method, headers: parts.headers, key: key, group: group,
            options: options, network: network)
    }

    /// Sends a small request, whose response is stored with the transfer: see ``Longhaul/Transfer/response()``.
    @discardableResult
    public func request(
        _ request: URLRequest,
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let parts = try RequestParts(request)
        return try await self.request(
            parts.url, method: parts.method, body: parts.body, headers: parts.headers, key: key, group: group,
            options: options, network: network)
    }
}

extension TransferSpec {
    /// Returns a small request, for example for ``Longhaul/TransferSession/setLastWill(_:)``.
    public static func request(
        _ url: URL, method: String = "GET", body: Data = Data(), headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions = TransferOptions(),
        network: NetworkOptions = NetworkOptions()
    ) -> TransferSpec {
        .request(
            url.absoluteString, method: method, body: Array(body), headers: headers, key: key, group: group,
            options: options, network: network)
    }

    /// Returns a small request, for example for ``Longhaul/TransferSession/setLastWill(_:)``.
    public static func request(
        _ request: URLRequest, key: String? = nil, group: String? = nil, options: TransferOptions = TransferOptions(),
        network: NetworkOptions = NetworkOptions()
    ) throws(TransferFailure) -> TransferSpec {
        let parts = try RequestParts(request)
        return .request(
            parts.url, method: parts.method, body: parts.body, headers: parts.headers, key: key, group: group,
            options: options, network: network)
    }
}

/// The parts of a `URLRequest` that a transfer uses.
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
                "A stream cannot be sent again after an interruption. Pass the body as data or a file.")
        }
        self.url = url.absoluteString
        method = request.httpMethod ?? "GET"
        headers = (request.allHTTPHeaderFields ?? [:]).headerFields
        body = request.httpBody.map { Array($0) } ?? []
        guard upload else { return }
        guard method != "GET", method != "HEAD" else {
            throw TransferFailure(.invalidArgument, "An upload must have a method such as PUT or POST. Set httpMethod.")
        }
        guard body.isEmpty else {
            throw TransferFailure(
                .invalidArgument, "The request must not have a body: the upload is the body.")
        }
    }
}
