import LonghaulCore
import LonghaulStore
import LonghaulSystem
import TestSupport
import Testing

@testable import LonghaulRuntime

/// The closing of a session with nothing to do, and what shows a later owner that it still has nothing to do.
@Suite struct SessionRestTests {
    private let temporary: TemporaryDirectory
    private let layout: SessionLayout

    init() throws {
        temporary = try TemporaryDirectory()
        layout = SessionLayout(directory: temporary.path + "/session")
    }

    private func submitPaused(to session: LiveSession) async throws {
        let ids = try await session.submit(1)
        _ = await session.send(.control(.pause, .ids(ids)))
    }

    @Test func idleSessionRestsWithItsTotals() async throws {
        let session = try LiveSession(layout)
        try await submitPaused(to: session)
        try await rest(session)
        var totals = SessionTotals()
        totals.paused = 1
        #expect(SessionRest(reading: layout)?.totals == totals)
        #expect(!SessionLock.isHeld(layout) && !Files.isThere(layout.store + "-wal"))
    }

    /// The loop may have to write lagging records first.
    private func rest(_ session: LiveSession) async throws {
        let end = ContinuousClock.now + .patience
        while !session.runtime.rest() {
            try #require(ContinuousClock.now < end)
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test func sessionWithWorkOrListenerStaysOpen() async throws {
        let session = try LiveSession(layout)
        let token = session.runtime.watch(.all) { _ in }
        #expect(!session.runtime.rest())
        session.runtime.unwatch(token)
        let provider = session.runtime.addProvider(ProviderSource { _ in })
        #expect(!session.runtime.rest())
        session.runtime.removeProvider(provider)
        let app = session.runtime.attach { _ in }
        #expect(!session.runtime.rest())
        session.runtime.unwatch(app)
        let ids = try await session.submit(1)
        #expect(!session.runtime.rest())
        // It still answers, and rests once the work is done.
        _ = await session.send(.control(.cancel, .ids(ids)))
        try await rest(session)
        #expect(SessionRest(reading: layout)?.totals.cancelled == 1)
    }

    enum Change: CaseIterable {
        case opened, isOpen, replaced, truncated, torn, foreign, deleted
    }

    @Test(arguments: Change.allCases) func changedStoreIsNotAtRest(_ change: Change) async throws {
        let session = try LiveSession(layout)
        try await submitPaused(to: session)
        try await rest(session)
        let rest = try #require(SessionRest(reading: layout))
        var other: LiveSession?
        switch change {
        case .opened: try LiveSession(layout).runtime.stop()
        case .isOpen: other = try LiveSession(layout)
        case .replaced:
            let bytes = try temporary.read("session/store.sqlite")
            Files.discard(layout.store)
            try temporary.write(bytes, to: "session/store.sqlite")
        case .truncated: try temporary.write([], to: "session/store.sqlite")
        case .torn: try temporary.write(temporary.read("session/rest").dropLast(3), to: "session/rest")
        case .foreign: try temporary.write(Array("1 2 3\n".utf8), to: "session/rest")
        case .deleted: Files.discard(layout.rest)
        }
        #expect(SessionRest(reading: layout) == nil)
        if ![.torn, .foreign, .deleted].contains(change) { #expect(!rest.holds(in: layout)) }
        other?.runtime.stop()
    }
}
