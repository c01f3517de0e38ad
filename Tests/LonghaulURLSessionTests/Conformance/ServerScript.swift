import Foundation
import FoundationDouble
import LonghaulCore
import Synchronization
import TestSupport

/// The server of the reference systems. A simulated device and a real server give the same responses.
final class ServerScript: Sendable {
    /// A request whose body the server has received.
    struct Arrival: Sendable {
        var method: String
        var path: String
        var idempotencyKey: String?
        var body: [UInt8]
    }

    /// Where the server stops until `release`.
    enum Hold: Sendable {
        case nowhere
        /// In the middle of a body.
        case halfway
        /// Before the response.
        case response
    }

    private struct State {
        var hold = Hold.nowhere
        var latch = Latch()
        var isReachable = true
        /// The version of the films.
        var version = 1
    }

    static let photo = Content(seed: 3, length: 400_000)
    private let state = Mutex(State())

    /// The versions of a film so far.
    func versions(ofFilm number: Int) -> [Content] {
        (1...state.withLock(\.version)).map { Content(seed: UInt64($0 * 10 + number), length: 400_000) }
    }

    var isHeld: Bool { state.withLock { $0.hold != .nowhere } }
    var isReachable: Bool { state.withLock(\.isReachable) }

    func hold(_ hold: Hold) {
        state.withLock { state in
            state.hold = hold
            state.latch = Latch()
        }
    }

    func release() {
        let latch = state.withLock { state in
            state.hold = .nowhere
            return state.latch
        }
        latch.open()
    }

    func setReachable(_ isReachable: Bool) { state.withLock { $0.isReachable = isReachable } }

    /// Replaces the films.
    func changeFilms() { state.withLock { $0.version += 1 } }

    private func film(at path: String) -> (content: Content, etag: String)? {
        guard path.hasPrefix("/films/"), let number = Int(path.dropFirst("/films/".count)) else { return nil }
        let versions = versions(ofFilm: number)
        return versions.last.map { ($0, "\"\(versions.count)-\(number)\"") }
    }

    private static func status(of path: String) -> Int { path == "/weather" ? 200 : 201 }
    private static func body(of path: String) -> String { path == "/weather" ? "storm" : "" }
}

/// The server on the loopback interface.
extension ServerScript {
    var route: Route { .decided { [self] request, _ in reply(to: request) } }

    private func reply(to request: ReceivedRequest) -> Reply {
        let (hold, latch, isReachable) = state.withLock { ($0.hold, $0.latch, $0.isReachable) }
        guard isReachable else { return Reply.status(200).ending(.resetsUnanswered) }
        if let film = film(at: request.path) {
            let reply = Reply.file(
                film.content, etag: film.etag, lastModified: WallTime(seconds: Int64(time(nil)) - 3_600))
            return hold == .nowhere ? reply : reply.stalled(after: film.content.length / 2, by: latch)
        }
        let reply = Reply.status(Self.status(of: request.path), body: Self.body(of: request.path))
        let length = request.header("Content-Length").flatMap(Int64.init) ?? 0
        return switch hold {
        case .nowhere: reply
        case .halfway: reply.intake(.stall(after: length / 2, latch))
        case .response: reply.held(by: latch)
        }
    }
}

/// The server of a simulated device, which moves bodies step by step.
extension ServerScript {
    var answer: SimulatedNetwork.Server {
        { [self] request, _ in
            let path = request.url?.path ?? ""
            if let film = film(at: path) { return Self.answer(request, film.content, film.etag) }
            // A device has no steps in the middle of a body while a test does not advance it.
            if state.withLock({ $0.hold == .response }) { return nil }
            return .init(Self.status(of: path), [:], Data(Self.body(of: path).utf8))
        }
    }

    private static func answer(_ request: URLRequest, _ film: Content, _ etag: String) -> SimulatedNetwork.Answer {
        var headers = [
            "ETag": etag, "Date": "Fri, 15 Jan 2027 08:00:00 GMT", "Last-Modified": "Thu, 14 Jan 2027 08:00:00 GMT",
        ]
        let header = { (name: String) in request.value(forHTTPHeaderField: name) }
        if let match = header("If-Match"), match != etag { return .init(412, headers) }
        let first = header("Range").flatMap { range in Int64(range.dropFirst("bytes=".count).prefix { $0 != "-" }) }
        guard let first, header("If-Range").map({ $0 == etag }) ?? true else {
            return .init(200, headers, Data(film.bytes()))
        }
        headers["Content-Range"] = "bytes \(first)-\(film.length - 1)/\(film.length)"
        return .init(206, headers, Data(film.bytes(first..<film.length)))
    }
}
