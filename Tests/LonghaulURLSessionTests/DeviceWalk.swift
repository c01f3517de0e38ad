import Foundation
import FoundationDouble
import LonghaulCore
import LonghaulURLSession
import TestSupport
import Testing

/// One run of an app on the simulated device: its events and their order follow from a seed.
struct DeviceWalk {
    struct Upload {
        var id: TransferID
        var method: String
        var path: String
        /// The body that it sends; `nil` for a form.
        var body: Data?
        /// Whether it may be unknown whether the server has the request.
        var mayBeUnknown = false
        /// Whether the app or a rule may have stopped it.
        var isTouched = false
    }

    struct Film {
        var id: TransferID
        var name: String
        var isTouched = false
    }

    let world: SystemWorld
    let server = WalkServer()
    var chance: SeededChance
    var uploads: [Upload] = []
    var films: [Film] = []
    var isThere = true

    init(seed: UInt64) throws {
        chance = SeededChance(seed: seed)
        world = try SystemWorld(lane: Bool.random(using: &chance) ? .front : .back)
        world.settling = 0.05
        let keepsUploads = Int.random(in: 0..<3, using: &chance) == 0
        world.device.changeNetwork { [server] network in
            network.portion = 40_000
            network.keepsUploads = keepsUploads
            network.server = { server.answer($0, $1) }
        }
    }

    /// Performs random events until all transfers have ended; then checks the result.
    mutating func run() async throws {
        for _ in 0..<2 { try await submitUpload() }
        try await submitFilm()
        for _ in 0..<Int.random(in: 8...24, using: &chance) {
            try await happen()
            try checkThatNoneIsUnderWayTwice()
            // Otherwise, the next event may come before the loop has processed this one.
            if isThere, isTails { try await recordStates() }
        }
        try await end()
        try await check()
        world.end()
    }

    var isTails: Bool {
        mutating get { Bool.random(using: &chance) }
    }

    /// Records the states, for debugging.
    private func recordStates() async throws {
        for upload in uploads { world.device.log("\(upload.path) is \(try await world.state(upload.id))") }
        for film in films { world.device.log("\(film.name) is \(try await world.state(film.id))") }
    }

    private mutating func happen() async throws {
        switch Int.random(in: 0..<42, using: &chance) {
        case 0, 1, 2: try await submitUpload()
        case 3, 4: try await submitFilm()
        case 5, 6: kill { $0.enter(.dead) }
        case 7: forceQuit()
        case 8: if isThere { kill { $0.enter(.dead) } } else { loseTasks() }
        case 9, 10: try comeBack()
        case 11: setOnline(!world.device.network.isOnline)
        case 12:
            doubtWhatTheSystemHasNot()
            world.device.breakConnections()
        case 13, 14:
            world.device.log("the films change")
            server.changeFilms()
        case 15:
            world.device.log("the server is mute, or is no more")
            server.toggleMute()
        case 16: useModem(!world.device.network.isExpensive)
        case 17: try await control(.pause)
        case 18: try await control(.resume)
        case 19: try await control(.cancel)
        case 20, 21: try await leaveApp()
        case 22, 23, 24: try await leaveAPart()
        case 25, 26: try await stopAndGoOn()
        case 27, 28, 29: try await killBetween()
        default: try await step(Int.random(in: 1...4, using: &chance))
        }
    }

    /// The system may start the app, which is killed while it processes the ends, or after that.
    private mutating func step(_ count: Int) async throws {
        let launches = world.device.launches.count
        let isLate = isTails
        world.device.setFinishesLate(isLate)
        for _ in 0..<count where world.device.launches.count == launches {
            world.device.pass(200)
            world.device.step()
        }
        guard world.device.launches.count > launches else { return }
        isThere = true
        if Int.random(in: 0..<3, using: &chance) == 0 { return kill { $0.enter(.dead) } }
        if isLate {
            // Long enough for a handler that is called too early.
            try await world.send(.info)
            await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
            world.device.finishTelling()
        }
        try await world.wait("the handler") { world.device.openHandlers == 0 }
    }

    private mutating func loseTasks() {
        doubtAll()
        world.device.loseTasks()
    }

    mutating func comeBack() throws {
        try world.comeBack()
        isThere = true
    }

    private mutating func setOnline(_ isOnline: Bool) {
        world.device.log(isOnline ? "online" : "offline")
        if !isOnline { doubtWhatTheSystemHasNot() }
        world.device.changeNetwork { $0.isOnline = isOnline }
    }

    private mutating func useModem(_ isUsed: Bool) {
        world.device.log(isUsed ? "over the modem" : "over Wi-Fi")
        if isUsed {
            doubtWhatTheSystemHasNot()
            touchWhatTheSystemHasNot()
        }
        world.useModem(isUsed)
    }

    private mutating func submitUpload() async throws {
        guard isThere, uploads.count < 5 else { return }
        let number = uploads.count
        // No two have the same length, so no two are the same file.
        let count = Int.random(in: 0..<WalkServer.length / 8, using: &chance) * 8 + number + 1
        let method = Int.random(in: 0..<3, using: &chance) > 0 ? "POST" : "PUT"
        var spec = try world.upload(method, count, path: "\(number)")
        var body: Data? = Self.body(count)
        if case .upload(.raw(let source)) = spec.work, Int.random(in: 0..<4, using: &chance) == 0 {
            let part = FormPart(name: "file", content: .file(source, fileName: "a.jpg", contentType: "image/jpeg"))
            spec.work = .upload(.form(boundary: "b", parts: [part]))
            body = nil
        }
        spec.options.conditions.allowsExpensiveNetworkAccess = Int.random(in: 0..<3, using: &chance) > 0
        server.beSilent(at: "/\(number)", for: Int.random(in: 0...5, using: &chance))
        let id = try await world.submit(spec)
        world.device.log("\(method) /\(number) of \(count) bytes is \(id)")
        uploads.append(Upload(id: id, method: method, path: "/\(number)", body: body))
    }

    static func body(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }) }

    private mutating func submitFilm() async throws {
        guard isThere, films.count < 3 else { return }
        let name = "film-\(films.count)"
        var spec = world.download(name)
        spec.url = "http://server.example/\(name)"
        films.append(Film(id: try await world.submit(spec), name: name))
    }

    private mutating func control(_ verb: ControlVerb) async throws {
        guard isThere else { return }
        let number = Int.random(in: 0..<(uploads.count + films.count), using: &chance)
        let isUpload = number < uploads.count
        let id = isUpload ? uploads[number].id : films[number - uploads.count].id
        // In the foreground session, the app knows that not all of it was sent.
        let isKnown = isUpload && world.engine?.lane(of: id) == .front && arrivals(uploads[number].path).isEmpty
        world.device.log("\(verb) of \(isUpload ? uploads[number].path : "a film")")
        let reply = try await world.send(.control(verb, .ids([id])))
        // A refused command changes nothing.
        guard case .controlled(let answer) = reply, answer.refusals.isEmpty else { return }
        if isUpload {
            uploads[number].isTouched = true
            if !isKnown { uploads[number].mayBeUnknown = true }
        } else {
            films[number - uploads.count].isTouched = true
        }
    }

    /// Running exchanges move to the background session, except for bodies that were sent completely.
    private mutating func leaveApp() async throws {
        guard isThere else { return }
        var out: [String: Set<Int>] = [:]
        for number in uploads.indices {
            if try await world.state(uploads[number].id) == .awaitingResponse {
                out[uploads[number].path] = arrivals(uploads[number].path)
            } else if isNotWithTheSystem(uploads[number].id) {
                uploads[number].mayBeUnknown = true
            }
        }
        touchWhatTheSystemHasNot()
        world.device.log("the app leaves")
        world.device.enter(.background)
        try await world.leaveToSystem()
        try await world.send(.info)
        try await step(Int.random(in: 0...6, using: &chance))
        for (path, tasks) in out where arrivals(path) != tasks {
            throw Fault("the body of \(path) was out, and was sent again by another lane")
        }
        guard isThere else { return }
        if isTails { kill { $0.enter(.dead) } } else { try comeBack() }
    }

    func isNotWithTheSystem(_ id: TransferID) -> Bool { world.engine?.lane(of: id) != .back }

    mutating func doubtWhatTheSystemHasNot() {
        guard isThere else { return }
        for number in uploads.indices where isNotWithTheSystem(uploads[number].id) {
            uploads[number].mayBeUnknown = true
        }
    }

    private mutating func touchWhatTheSystemHasNot() {
        guard isThere else { return }
        for number in uploads.indices where isNotWithTheSystem(uploads[number].id) {
            uploads[number].isTouched = true
        }
        for number in films.indices where isNotWithTheSystem(films[number].id) { films[number].isTouched = true }
    }

    mutating func doubtAll() {
        for number in uploads.indices { uploads[number].mayBeUnknown = true }
    }

    /// The faults end, and the app is present.
    private mutating func end() async throws {
        world.device.log("the end: all is well")
        server.beMute(false)
        try comeBack()
        setOnline(true)
        useModem(false)
        try await world.send(.control(.resume, .ids(uploads.map(\.id) + films.map(\.id))))
        var count = 0
        try await world.go("all has ended") { [world] in
            count += 1
            if count.isMultiple(of: 20) { world.passTogether(600) }
            guard case .totals(let totals) = try await world.send(.totals) else { return false }
            return totals.waiting + totals.running == 0
        }
        try await world.wait("the handlers") { [world] in world.device.openHandlers == 0 }
    }
}
