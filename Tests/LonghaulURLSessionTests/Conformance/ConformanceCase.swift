import Foundation
import LonghaulCore
import ReferenceSystems
import TestSupport
import Testing

extension System {
    /// Where the server holds the system in the middle of its work.
    var hold: ServerScript.Hold {
        switch self {
        case .photoUpload, .offlineVideos, .foundAgain: .halfway
        case .stormWatcher, .lastRequest: .response
        }
    }
}

/// One cell of the table: a system, an event, and an environment.
struct ConformanceCase: CustomTestStringConvertible {
    let system: System
    let scenario: Scenario
    let kind: EnvironmentKind

    var testDescription: String { "\(system.rawValue), \(scenario.rawValue), \(kind.rawValue)" }

    /// A full storage needs a small file system, which only root can mount.
    static func all(_ kinds: [EnvironmentKind], onFullStorage: Bool = false) -> [ConformanceCase] {
        System.allCases.flatMap { system in
            Scenario.allCases.filter { ($0 == .lowStorage) == onFullStorage }.flatMap { scenario in
                kinds.map { ConformanceCase(system: system, scenario: scenario, kind: $0) }
            }
        }
    }

    func run() async throws {
        let environment = try await kind.make(system)
        do {
            try await run(in: environment)
        } catch {
            try? await environment.end()
            throw error
        }
        try await environment.end()
    }

    private func run(in environment: any Environment) async throws {
        if scenario == .lowStorage { try environment.fillStorage() }
        if scenario == .refusedResumeData { environment.refuseResumeData() }
        if holdsServer { environment.server.hold(scenario == .timeIsOver ? .response : system.hold) }
        try await begin(environment)
        try await disturb(environment)
        environment.server.release()
        if scenario == .offline || scenario == .changedFile { environment.setOnline(true) }
        try await conclude(environment)
    }

    private var holdsServer: Bool { scenario != .normal && scenario != .lowStorage }

    /// Starts the system, and takes it to the middle of its work.
    private func begin(_ environment: any Environment) async throws {
        try await environment.open()
        switch system {
        case .photoUpload, .foundAgain, .offlineVideos:
            guard holdsServer else { return }
            let half = ServerScript.photo.length / 2
            try await environment.wait("half of a body has moved") { environment.bytesMoved >= half }
        case .stormWatcher:
            try await environment.wait("the task is scheduled") { environment.shown.contains("scheduled") }
            if scenario == .timeIsOver { try await environment.limitTaskTime() }
            try await leaveIdleApp(environment)
            try await environment.startForTask()
            guard holdsServer else { return }
            try await environment.wait("the request has arrived") { !environment.arrivals.isEmpty }
        case .lastRequest:
            try await environment.wait("the app is ready") { environment.shown.contains("ready") }
            if scenario == .offline { environment.setOnline(false) }
            guard endsWithNotice else { return }
            environment.server.hold(.response)
            try await leaveIdleApp(environment)
            #expect(environment.shown.contains("stored"))
        }
    }

    /// Whether the app gets a notice of its end.
    private var endsWithNotice: Bool {
        ![.killed, .leftAndKilled, .forceQuit, .refusedResumeData, .movedContainer].contains(scenario)
    }

    /// The user leaves an app that transfers nothing.
    private func leaveIdleApp(_ environment: any Environment) async throws {
        if [.left, .leftAndKilled, .movedContainer].contains(scenario) { try await environment.leave() }
        switch scenario {
        case .leftAndKilled: return try await environment.kill()
        case .movedContainer: return try await environment.updateApp()
        case .left: try await environment.comeBack()
        default: break
        }
        try await environment.quit()
    }

    private func disturb(_ environment: any Environment) async throws {
        let hasUser = system != .stormWatcher && !(system == .lastRequest && endsWithNotice)
        switch scenario {
        case .normal: break
        case .killed: try await environment.kill()
        case .left where hasUser:
            try await environment.leave()
            try await environment.comeBack()
        case .leftAndKilled where hasUser:
            try await environment.leave()
            try await environment.kill()
        case .movedContainer where hasUser:
            try await environment.leave()
            try await environment.updateApp()
        case .left, .leftAndKilled, .movedContainer: break
        case .forceQuit, .refusedResumeData:
            if hasUser { try await environment.leave() }
            try await environment.forceQuit()
        case .timeIsOver where hasUser:
            try await environment.leaveUntilTimeIsOver()
            try await environment.comeBack()
        case .timeIsOver where system == .stormWatcher:
            try await environment.endTaskTime()
            try await environment.wait("the handler is cancelled") { environment.shown.contains("time is over") }
        case .timeIsOver: break
        case .locked where hasUser:
            try await environment.leave()
            try await environment.lockDevice()
            try await environment.comeBack()
        case .locked: break
        case .offline: environment.setOnline(false)
        case .changedFile:
            // A file that changes during an attempt is found at the next one.
            environment.setOnline(false)
            environment.server.changeFilms()
            try environment.changePhoto()
        case .lowStorage where system == .offlineVideos:
            try await environment.wait("a film waits") { environment.shown.contains("film 1: waiting, diskFull") }
            try environment.freeStorage()
            // The app retries the films when it is opened.
            try await environment.quit()
            try await environment.open()
        case .lowStorage: break
        }
    }

    private func conclude(_ environment: any Environment) async throws {
        switch outcome {
        case .completes, .completesAlone: break
        case .completesWhenOpened:
            #expect(environment.isIdle)
            try await environment.open()
        case .fails(let code):
            let line = "\(system == .foundAgain ? "form" : "photo"): failed, \(code.rawValue)"
            return try await environment.wait("the system fails") { environment.shown.contains(line) }
        }
        try await environment.wait("the system completes") { isComplete(environment) }
        try verify(environment)
        if system == .lastRequest, endsWithNotice { try await findOnlyRequest(environment) }
    }

    /// An app that got a notice of its end has canceled the request that it deposited.
    private func findOnlyRequest(_ environment: any Environment) async throws {
        if outcome != .completesWhenOpened { try await environment.open() }
        let ready = { environment.shown.count { $0 == "ready" } }
        try await environment.wait("the app is ready again") { ready() == 2 }
        #expect(environment.shown.filter { $0.hasPrefix("found") } == ["found: 0", "found: 1"])
        #expect(Set(environment.arrivals.map(\.idempotencyKey)).count == 1)
    }

    private var last: [String] {
        switch system {
        case .photoUpload: ["photo: succeeded"]
        case .stormWatcher: ["weather: storm"]
        case .offlineVideos: (1...System.films).map { "film \($0): succeeded" }
        case .lastRequest: []
        case .foundAgain: ["form: succeeded"]
        }
    }

    private func isComplete(_ environment: any Environment) -> Bool {
        let shown = environment.shown
        return last.allSatisfy(shown.contains) && !environment.arrivals.isEmpty
    }

    private func verify(_ environment: any Environment) throws {
        let arrivals = environment.arrivals
        switch system {
        case .photoUpload:
            #expect(Set(arrivals.map(\.path)) == ["/photos"] && Set(arrivals.map(\.idempotencyKey)) == ["\"photo-1\""])
            #expect(arrivals.allSatisfy { $0.body == ServerScript.photo.bytes() })
            let isLost = kind == .inProcess && scenario == .killed
            if environment.leftInTime {
                #expect(environment.shown.contains { $0.hasPrefix("lost: ") } == isLost)
            }
        case .stormWatcher:
            #expect(Set(arrivals.map(\.path)) == ["/weather"])
        case .offlineVideos:
            for number in 1...System.films {
                let file = FileManager.default.contents(atPath: "\(environment.directory)/films/\(number).mp4")
                let versions = environment.server.versions(ofFilm: number)
                #expect(versions.contains { file.map(Array.init) == $0.bytes() })
            }
        case .lastRequest:
            #expect(Set(arrivals.map(\.path)) == ["/farewell"] && Set(arrivals.map(\.idempotencyKey)).count == 1)
            let body = String(decoding: try #require(arrivals.first).body, as: UTF8.self)
            #expect(body == (endsWithNotice ? "stopped" : "lost"))
        case .foundAgain:
            #expect(Set(arrivals.map(\.path)) == ["/forms"] && Set(arrivals.map(\.idempotencyKey)) == ["\"form-1\""])
            for arrival in arrivals { try verify(form: arrival.body) }
        }
        if system != .offlineVideos, !mayRepeat { #expect(arrivals.count == 1) }
    }

    /// Whether a request may arrive twice: the keys above show the server that it is the same one.
    private var mayRepeat: Bool {
        switch (scenario, kind) {
        // The process may end before the response comes.
        case (_, .inProcess) where system == .lastRequest: true
        case (.normal, _), (.lowStorage, _): false
        // The response was lost with its connection.
        case (.offline, _), (.changedFile, _): true
        // The bytes that an app has left in its socket may complete the body after its end.
        case (_, .inProcess): true
        // The system cancels the request of a handler.
        case (.forceQuit, .device), (.refusedResumeData, .device): true
        case (_, .service), (_, .device): false
        }
    }

    /// Checks the parts of a `multipart/form-data` body (RFC 7578).
    private func verify(form: [UInt8]) throws {
        let text = String(decoding: form, as: Unicode.ASCII.self)
        let boundary = try #require(text.split(separator: "\r\n").first)
        let parts = text.components(separatedBy: boundary).dropFirst()
        #expect(parts.count == 3 && parts.last == "--\r\n")
        let file = try #require(parts.dropFirst().first).components(separatedBy: "\r\n\r\n")[0]
        #expect(file.contains("name=\"photo\"; filename=\"photo.jpg\"") && file.contains("Content-Type: image/jpeg"))
        #expect(form.count > ServerScript.photo.length)
    }
}
