import Foundation
import FoundationDouble
import Synchronization

/// The server of a random run: upload URLs that respond slowly, and films that have versions.
final class WalkServer: Sendable {
    static let length = 150_000

    fileprivate struct State {
        var version: UInt8 = 1
        var isMute = false
        /// By path: the number of attempts without a response after a complete body.
        var silence: [String: Int] = [:]
        /// By path: the version that was last sent from its first byte.
        var given: [String: UInt8] = [:]
    }

    private let state = Mutex(State())

    func beSilent(at path: String, for count: Int) { state.withLock { $0.silence[path] = count } }
    func beMute(_ isMute: Bool) { state.withLock { $0.isMute = isMute } }
    func toggleMute() { state.withLock { $0.isMute.toggle() } }
    func changeFilms() { state.withLock { $0.version += 1 } }
    var hasOtherFilms: Bool { state.withLock { $0.version > 1 } }
    func given(_ path: String) -> UInt8? { state.withLock { $0.given[path] } }

    /// Returns a version, which shares no byte with another.
    static func film(_ version: UInt8) -> Data { Data(repeating: version, count: length) }

    /// Returns whether the film's server sends the same validator for every version, and ignores conditions.
    static func isCareless(_ path: String) -> Bool { path.hasSuffix("0") }

    /// Returns whether the film's server ignores ranges.
    static func isWhole(_ path: String) -> Bool { path.hasSuffix("1") }

    func answer(_ request: URLRequest, _ body: Data) -> SimulatedNetwork.Answer? {
        let path = request.url?.path ?? ""
        if path == "/weather" { return .init(200, [:], Data("storm".utf8)) }
        return state.withLock { state in
            request.httpMethod == "GET" ? state.film(request, path) : state.receive(body, path)
        }
    }
}

extension WalkServer.State {
    fileprivate mutating func receive(_ body: Data, _ path: String) -> SimulatedNetwork.Answer? {
        guard !isMute else { return nil }
        let left = silence[path] ?? 0
        silence[path] = left - 1
        if left > 0 { return nil }
        // For a response without a body, only its end is reported.
        return path.hasSuffix("2") || path.hasSuffix("4") ? .init(204) : .init(201, [:], Data("\(body.count)".utf8))
    }

    fileprivate mutating func film(_ request: URLRequest, _ path: String) -> SimulatedNetwork.Answer {
        let isCareless = WalkServer.isCareless(path)
        let tag = isCareless ? "\"1\"" : "\"\(version)\""
        var headers = [
            "ETag": tag, "Date": "Fri, 15 Jan 2027 08:00:00 GMT", "Last-Modified": "Thu, 14 Jan 2027 08:00:00 GMT",
        ]
        let content = WalkServer.film(version)
        let wanted = request.value(forHTTPHeaderField: "If-Match")
        if let wanted, wanted != tag { return .init(412, headers) }
        let condition = request.value(forHTTPHeaderField: "If-Range")
        let first = request.value(forHTTPHeaderField: "Range").flatMap { range in
            Int(range.dropFirst("bytes=".count).prefix { $0 != "-" })
        }
        guard let first, !WalkServer.isWhole(path), condition == nil || condition == tag else {
            given[path] = version
            return .init(200, headers, content)
        }
        headers["Content-Range"] = "bytes \(first)-\(content.count - 1)/\(content.count)"
        return .init(206, headers, content.dropFirst(first))
    }
}
