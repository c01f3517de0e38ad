import LonghaulCore
import LonghaulStore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// The loop's part, turn by turn: the requests, their times, and the credentials for the engine.
@Suite struct CredentialTests {
    /// Answers when the test says so, and remembers its inputs.
    private final class Source: CredentialSource {
        private struct State {
            var waiting: [(CredentialQuestion, @Sendable (CredentialAnswer) -> Void)] = []
            var verdicts: [CredentialVerdict] = []
        }
        private let state = Mutex(State())
        let givesURLs = true

        var questions: [CredentialQuestion] { state.withLock { $0.waiting.map(\.0) } }
        var verdicts: [CredentialVerdict] { state.withLock { $0.verdicts } }

        func query(_ question: CredentialQuestion, answer: @escaping @Sendable (CredentialAnswer) -> Void) {
            state.withLock { $0.waiting.append((question, answer)) }
        }

        func report(_ verdict: CredentialVerdict, _ credential: Credential, for request: CredentialRequest) {
            state.withLock { $0.verdicts.append(verdict) }
        }

        func answer(_ answer: CredentialAnswer) {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for (_, tell) in waiting { tell(answer) }
        }
    }

    private static func named(_ change: (inout TransferSpec) -> Void = { _ in }) -> TransferSpec {
        LoopWorld.request { spec in
            spec.options.credentialName = CredentialName("photos")
            change(&spec)
        }
    }

    private static func given(_ token: String) -> CredentialAnswer {
        .given(.bearer(token), expiresAt: nil, isHelpers: true)
    }

    private let source = Source()

    private func world() throws -> LoopWorld {
        let world = try LoopWorld()
        world.loop.state.credentials.helper = source
        return world
    }

    private func tokens(_ world: LoopWorld) -> [String?] {
        world.engine.runningJobs.map { job in
            if case .exchange(let plan) = job.work { plan.headers.single("Authorization") } else { nil }
        }
    }

    @Test func waitingTransfersShareOneQuestionWithoutSlots() throws {
        let world = try world()
        let ids = try (0..<50).map { _ in try world.accept(Self.named()) }
        let other = try world.accept(LoopWorld.request())
        #expect(source.questions.count == 1)
        #expect(world.runningURLs.count == 1, "a transfer without a credential does not wait")
        #expect(try world.state(other) == .running(.sending))
        source.answer(Self.given("one"))
        world.turn()
        world.turn()
        #expect(tokens(world).compactMap { $0 } == Array(repeating: "Bearer one", count: 5))
        #expect(try ids.allSatisfy { try world.record($0).facts.attempts <= 1 })
    }

    @Test func aQueueOfOthersIsNotForgottenBehindThoseWhoWait() throws {
        let world = try world()
        _ = world.send(.setLimits(SessionLimits(total: 10, perHost: 1)))
        let running = try world.accept(LoopWorld.request())
        let waiting = try world.accept(Self.named { $0.options.group = "a" })
        let last = try world.accept(LoopWorld.request { $0.options.group = "b" })
        let ticket = try #require(world.engine.runningJobs.first).ticket
        world.engine.emit(ticket, .responded(200))
        world.turn()
        #expect(try world.state(running) == .succeeded)
        guard case .waiting(let reason) = try world.state(waiting) else { return #expect(Bool(false)) }
        #expect(reason.reason == .credentials)
        #expect(try world.state(last) == .running(.sending))
    }

    @Test func refusedTogetherTheyAreRenewedTogether() throws {
        let world = try world()
        let ids = try (0..<6).map { _ in try world.accept(Self.named()) }
        source.answer(Self.given("one"))
        world.turn()
        world.turn()
        for job in world.engine.runningJobs { world.engine.emit(job.ticket, .responded(401)) }
        world.turn()
        #expect(source.questions.map(\.request.isRenewal) == [true] && source.verdicts == [.rejected])
        source.answer(Self.given("two"))
        world.turn()
        world.turn()
        #expect(tokens(world) == Array(repeating: "Bearer two", count: 6))
        for job in world.engine.runningJobs { world.engine.emit(job.ticket, .responded(200)) }
        world.turn()
        #expect(try ids.allSatisfy { try world.state($0) == .succeeded })
        #expect(source.verdicts == [.rejected, .approved])
    }

    @Test func theRecordNeverHoldsTheSecret() throws {
        let world = try world()
        let id = try world.accept(Self.named())
        source.answer(Self.given("s3cret"))
        world.turn()
        world.turn()
        #expect(tokens(world) == ["Bearer s3cret"])
        let record = try world.record(id)
        for bytes in [record.spec.wireBytes, record.facts.wireBytes, record.state.wireBytes] {
            #expect(!String(decoding: bytes, as: UTF8.self).contains("s3cret"))
        }
    }

    @Test func aRetryAsksAgain() throws {
        let world = try world()
        let id = try world.accept(Self.named())
        source.answer(.none(.helperHasNone))
        world.turn()
        guard case .waiting(let waiting) = try world.state(id) else { return #expect(Bool(false)) }
        #expect(waiting.failure?.message.contains("helper does not have") == true)
        world.pass(.seconds(3_600))
        #expect(source.questions.isEmpty, "only a retry repeats the query")
        world.control(.retry, id)
        #expect(source.questions.count == 1)
    }

    @Test func aLaterTransferAsksAgainAndReleasesTheOthers() throws {
        let world = try world()
        let first = try world.accept(Self.named())
        source.answer(.none(.helperHasNone))
        world.turn()
        world.pass(.seconds(60))
        let second = try world.accept(Self.named())
        #expect(source.questions.count == 1)
        source.answer(Self.given("one"))
        world.turn()
        #expect(try [first, second].allSatisfy { try world.state($0) == .running(.sending) })
    }

    @Test func credentialAfterCancelServesOthers() throws {
        let world = try world()
        let id = try world.accept(Self.named())
        world.control(.cancel, id)
        source.answer(Self.given("one"))
        world.turn()
        #expect(try world.state(id) == .cancelled)
        _ = try world.accept(Self.named())
        #expect(tokens(world) == ["Bearer one"] && source.questions.isEmpty)
    }

    @Test func theHelperIsStoredAndItsSecretsAreNot() throws {
        let world = try LoopWorld()
        _ = world.send(.setCredentialHelper(["git", "credential-store"]))
        #expect(try world.loop.state.store.credentialHelper() == ["git", "credential-store"])
        #expect(world.loop.state.credentials.helper != nil)
        guard case .credentials(let report)? = world.send(.setCredentialHelper([])) else { return #expect(Bool(false)) }
        #expect(report.helper.isEmpty && world.loop.state.credentials.helper == nil)
        guard case .failed? = world.send(.setCredentialHelper([""])) else { return #expect(Bool(false)) }
    }

    @Test func aNewHostCountsWithItsOwnLimit() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 10, perHost: 1)))
        _ = try world.accept(LoopWorld.request("http://a.test/1"))
        let second = try world.accept(LoopWorld.request("http://a.test/2"))
        let third = try world.accept(LoopWorld.request("http://a.test/3"))
        #expect(world.runningURLs == ["http://a.test/1"])
        _ = world.send(.replaceURL(second, url: "http://b.test/2", headers: nil))
        #expect(world.runningURLs == ["http://a.test/1", "http://b.test/2"])
        _ = world.send(.replaceURL(third, url: "http://b.test/3", headers: nil))
        #expect(world.runningURLs.count == 2)
        #expect(try world.loop.state.store.record(third)?.spec.url == "http://b.test/3")
    }
}
