import Foundation
import FoundationDouble
import LonghaulCore
import LonghaulURLSession
import Synchronization
import TestSupport
import Testing

/// One life of an app on the simulated device: what happens in it, and in which order, follows from a seed.
struct DeviceWalk {
    private static let length = 150_000

    /// What the servers are like at the moment.
    private struct Server: Sendable {
        var version: UInt8 = 1
        var isMute = false
    }

    private let world: SystemWorld
    private let server = SharedServer()
    private var chance: SeededChance
    private var uploads: [TransferID] = []
    private var films: [TransferID] = []
    private var isThere = true

    private final class SharedServer: Sendable {
        let state = Mutex(Server())
    }

    init(seed: UInt64) throws {
        chance = SeededChance(seed: seed)
        world = try SystemWorld(lane: .front)
        world.settling = 0.05
        world.device.changeNetwork { [server] network in
            network.portion = 40_000
            network.server = { request, body in server.state.withLock { Self.answer(request, body, $0) } }
        }
    }

    /// What happens, until all has ended; then nothing may be wrong.
    mutating func run() async throws {
        for _ in 0..<Int.random(in: 6...16, using: &chance) {
            try await happen()
            if isThere { try await world.ask(.info) }
        }
        try await end()
        try await check()
        world.end()
    }

    private mutating func happen() async throws {
        switch Int.random(in: 0..<24, using: &chance) {
        case 0, 1, 2: try await submitUpload()
        case 3, 4: try await submitFilm()
        case 5: return kill { $0.enter(.dead) }
        case 6: return kill { $0.forceQuit() }
        case 7: if isThere { kill { $0.enter(.dead) } } else { world.device.loseTasks() }
        case 8, 9: try comeBack()
        case 10: world.device.changeNetwork { $0.isOnline.toggle() }
        case 11: world.device.breakConnections()
        case 12: server.state.withLock { $0.version += 1 }
        case 13: server.state.withLock { $0.isMute.toggle() }
        case 14: world.useModem(!world.device.network.isExpensive)
        case 15: try await control(.pause)
        case 16: try await control(.resume)
        case 17: try await control(.cancel)
        case 18: try await leave()
        default: step(Int.random(in: 1...4, using: &chance))
        }
    }

    private mutating func step(_ count: Int) {
        for _ in 0..<count {
            world.device.pass(200)
            world.device.step()
        }
        // The system may have started the app.
        isThere = world.runtime != nil
    }

    private mutating func kill(_ how: @escaping (SimulatedDevice) -> Void) {
        guard isThere else { return }
        world.die(how)
        isThere = false
    }

    private mutating func comeBack() throws {
        try world.comeBack()
        isThere = true
    }

    private mutating func submitUpload() async throws {
        guard isThere, uploads.count < 5 else { return }
        let method = Bool.random(using: &chance) ? "POST" : "PUT"
        let count = Int.random(in: 1...Self.length, using: &chance)
        var spec = try world.upload(method, count, path: "\(uploads.count)")
        spec.options.conditions.allowsExpensiveNetworkAccess = Int.random(in: 0..<3, using: &chance) > 0
        uploads.append(try await world.submit(spec))
    }

    private mutating func submitFilm() async throws {
        guard isThere, films.count < 3 else { return }
        films.append(try await world.submit(world.download("film-\(films.count)")))
    }

    private mutating func control(_ verb: ControlVerb) async throws {
        guard isThere, let id = (uploads + films).randomElement(using: &chance) else { return }
        try await world.ask(.control(verb, .ids([id])))
    }

    private mutating func leave() async throws {
        guard isThere else { return }
        world.device.enter(.background)
        try await world.leaveToSystem()
        if Bool.random(using: &chance) { kill { $0.enter(.dead) } } else { try comeBack() }
    }

    /// All is well, and somebody is there.
    private mutating func end() async throws {
        server.state.withLock { $0.isMute = false }
        world.device.changeNetwork { $0.isOnline = true }
        try comeBack()
        world.useModem(false)
        for verb in [ControlVerb.resume] { try await world.ask(.control(verb, .ids(uploads + films))) }
        var count = 0
        try await world.go("all has ended") {
            count += 1
            if count.isMultiple(of: 20) { world.passTogether(600) }
            guard case .totals(let totals) = try await world.ask(.totals) else { return false }
            return totals.waiting + totals.running == 0
        }
        try await world.wait("the handlers") { world.device.openHandlers == 0 }
    }

    private func check() async throws {
        var arrivals: [String: Set<Int>] = [:]
        for arrival in world.device.network.requests where arrival.request.httpMethod == "POST" {
            arrivals[arrival.request.url?.path ?? "", default: []].insert(arrival.task)
        }
        // The system may repeat a task of its own; nobody makes a second one.
        for (path, tasks) in arrivals where tasks.count > 1 {
            throw Fault("POST \(path) arrived by the tasks \(tasks.sorted())")
        }
        for (number, film) in films.enumerated() where try await world.state(film) == .succeeded {
            let content = world.file("film-\(number)") ?? Data()
            guard let first = content.first, content == Self.film(first) else {
                throw Fault("film \(number) is of no one version")
            }
        }
        for id in uploads + films {
            switch try await world.state(id) {
            case .succeeded, .cancelled: break
            case .failed(let failure) where failure.code == .outcomeUnknown: break
            case let state: throw Fault("\(id) is \(state)")
            }
        }
        guard world.device.violations.isEmpty else { throw Fault("\(world.device.violations)") }
    }

    struct Fault: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    private static func film(_ version: UInt8) -> Data { Data(repeating: version, count: length) }

    private static func answer(
        _ request: URLRequest, _ body: Data, _ server: Server
    ) -> SimulatedNetwork.Answer? {
        guard request.httpMethod == "GET" else {
            return server.isMute ? nil : .init(201, ["Location": "/a"], Data("\(body.count)".utf8))
        }
        let tag = "\"\(server.version)\""
        var headers = [
            "ETag": tag, "Date": "Fri, 15 Jan 2027 08:00:00 GMT", "Last-Modified": "Thu, 14 Jan 2027 08:00:00 GMT",
        ]
        let content = film(server.version)
        if let wanted = request.value(forHTTPHeaderField: "If-Match"), wanted != tag { return .init(412, headers) }
        let condition = request.value(forHTTPHeaderField: "If-Range")
        let first = request.value(forHTTPHeaderField: "Range").flatMap { range in
            Int(range.dropFirst("bytes=".count).prefix { $0 != "-" })
        }
        guard let first, condition == nil || condition == tag else { return .init(200, headers, content) }
        headers["Content-Range"] = "bytes \(first)-\(content.count - 1)/\(content.count)"
        return .init(206, headers, content.dropFirst(first))
    }
}
