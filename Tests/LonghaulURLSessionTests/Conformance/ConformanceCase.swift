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

/// An event while a system works.
enum Scenario: String, CaseIterable {
    case normal = "Nothing happens"
    case killed = "The app is killed in the foreground"
    case left = "The user leaves, and returns"
    case leftAndKilled = "The user leaves, and the app is killed"
}

/// The end of a combination.
enum Outcome: Equatable {
    /// In the app that is open.
    case completes
    /// Without the user.
    case completesAlone
    /// Nothing moves until the user opens the app. Then it completes.
    case completesWhenOpened
}

/// One cell of the table: a system, an event, and an environment.
struct ConformanceCase: CustomTestStringConvertible {
    let system: System
    let scenario: Scenario
    let kind: EnvironmentKind

    var testDescription: String { "\(system.rawValue), \(scenario.rawValue), \(kind.rawValue)" }

    static func all(_ kinds: [EnvironmentKind]) -> [ConformanceCase] {
        System.allCases.flatMap { system in
            Scenario.allCases.flatMap { scenario in
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
        if scenario != .normal { environment.server.hold(system.hold) }
        try await begin(environment)
        switch (scenario, system) {
        case (.normal, _), (.left, .stormWatcher), (.left, .lastRequest), (.leftAndKilled, .stormWatcher): break
        case (.killed, _): try await environment.kill()
        case (.left, _):
            try await environment.leave()
            try await environment.comeBack()
        case (.leftAndKilled, _):
            try await environment.leave()
            try await environment.kill()
        }
        try await conclude(environment)
    }

    /// Starts the system, and takes it to the middle of its work.
    private func begin(_ environment: any Environment) async throws {
        try await environment.open()
        switch system {
        case .photoUpload, .foundAgain, .offlineVideos:
            guard environment.server.isHeld else { return }
            let half = ServerScript.photo.length / 2
            try await environment.wait("half of a body has moved") { environment.bytesMoved >= half }
        case .stormWatcher:
            try await environment.wait("the task is scheduled") { environment.shown.contains("scheduled") }
            try await leaveIdle(environment)
            try await environment.startForTask()
            guard environment.server.isHeld else { return }
            try await environment.wait("the request has arrived") { !environment.arrivals.isEmpty }
        case .lastRequest:
            try await environment.wait("the app is ready") { environment.shown.contains("ready") }
            guard scenario == .normal || scenario == .left else { return }
            environment.server.hold(.response)
            try await leaveIdle(environment)
            #expect(environment.shown.contains("stored"))
        }
    }

    /// The user leaves an app that transfers nothing.
    private func leaveIdle(_ environment: any Environment) async throws {
        if scenario == .left || scenario == .leftAndKilled { try await environment.leave() }
        if scenario == .leftAndKilled { return try await environment.kill() }
        if scenario == .left { try await environment.comeBack() }
        try await environment.quit()
    }

    private func conclude(_ environment: any Environment) async throws {
        environment.server.release()
        if outcome == .completesWhenOpened {
            #expect(environment.isIdle)
            try await environment.open()
        }
        try await environment.wait("the system completes") { isComplete(environment) }
        try verify(environment)
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
        case .stormWatcher:
            #expect(Set(arrivals.map(\.path)) == ["/weather"])
        case .offlineVideos:
            for number in 1...System.films {
                let file = FileManager.default.contents(atPath: "\(environment.directory)/films/\(number).mp4")
                #expect(file.map(Array.init) == environment.server.film(number).bytes())
            }
        case .lastRequest:
            #expect(Set(arrivals.map(\.path)) == ["/farewell"] && Set(arrivals.map(\.idempotencyKey)).count == 1)
            let body = String(decoding: try #require(arrivals.first).body, as: UTF8.self)
            #expect(body == (scenario == .normal || scenario == .left ? "stopped" : "lost"))
        case .foundAgain:
            #expect(Set(arrivals.map(\.path)) == ["/forms"] && Set(arrivals.map(\.idempotencyKey)) == ["\"form-1\""])
            for arrival in arrivals { try verify(form: arrival.body) }
        }
        // The bytes that an app without a service has left in its socket may complete the body after its end.
        let mayRepeat = kind == .inProcess && scenario != .normal
        if system != .offlineVideos { #expect(arrivals.count == 1 || mayRepeat && arrivals.count == 2) }
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

    private var outcome: Outcome {
        switch (scenario, system, kind) {
        case (.leftAndKilled, .stormWatcher, .inProcess): .completes
        case (.killed, _, .inProcess), (.leftAndKilled, _, .inProcess): .completesWhenOpened
        case (.normal, .lastRequest, .inProcess), (.left, .lastRequest, .inProcess): .completesWhenOpened
        // The user opens the app, which runs the due task.
        case (.normal, _, .inProcess), (.left, _, .inProcess): .completes
        // The system's background session does not have the transfers of an app in the foreground.
        case (.killed, .stormWatcher, .device): .completesAlone
        case (.killed, _, .device), (.leftAndKilled, .lastRequest, .device): .completesWhenOpened
        case (.normal, .stormWatcher, _), (.normal, .lastRequest, _): .completesAlone
        case (.left, .stormWatcher, _), (.left, .lastRequest, _): .completesAlone
        case (.normal, _, _), (.left, _, _): .completes
        case (.killed, _, .service), (.leftAndKilled, _, _): .completesAlone
        }
    }
}
