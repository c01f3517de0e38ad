import LonghaulCore
import TestSupport
import Testing

@testable import Longhaul

extension SessionConformance {
    /// The last will of an app, as long as the app is not killed.
    @Suite(.onEachTransport) struct LastWillTests {
        private let server: NastyServer

        init() throws {
            server = try NastyServer(routes: ["/will": Route(.status(201))])
        }

        private var will: TransferSpec { .request(server.url("/will"), method: "POST", body: [1]) }

        @Test(arguments: TransferSession.Execution.both)
        func aProcessHasOneUntilItTakesItBack(_ execution: TransferSession.Execution) async throws {
            try await SessionWorld(execution).launch { session in
                for _ in 0..<2 {
                    try await session.setLastWill(will)
                    try await session.setLastWill(will)
                    #expect(try await session.backend.info().lastWills == 1)
                    try await session.cancelLastWill()
                    #expect(try await session.backend.info().lastWills == 0)
                }
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func closingIsAGoodbye(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { try await $0.setLastWill(will) }
            try await world.launch { session in
                let info = try await session.backend.info()
                #expect(info.lastWills == 0)
                #expect(try await session.snapshots().isEmpty)
            }
            #expect(server.requests.isEmpty)
        }

        /// The app has not said goodbye, and its process lives.
        @Test(arguments: TransferSession.Execution.both)
        func lettingGoIsNone(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            do {
                let session = try await world.open()
                try await session.setLastWill(will)
                await session.backend.close()
            }
            try await world.launch { session in
                let info = try await session.backend.info()
                #expect(info.lastWills == 1)
                #expect(try await session.snapshots().isEmpty)
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func theEndOfTheProcessThatIsFollowedIsAGoodbye(_ execution: TransferSession.Execution) async throws {
            try await SessionWorld(execution).launch { session in
                try await session.setLastWill(will)
                let lifecycle = ProcessLifecycle()
                await withDiscardingTaskGroup { group in
                    group.addTask { await session.follow(lifecycle) }
                    lifecycle.enter(.background)
                    await withCheckedContinuation { continuation in
                        lifecycle.enter(.terminating) { continuation.resume() }
                    }
                    // The follower may start after the end was announced.
                    while (try? await session.backend.info().lastWills) != 0 { await Task.yield() }
                    group.cancelAll()
                }
            }
        }

        @Test func aRequestThatCannotBeSentIsRefused() async throws {
            try await SessionWorld(.service).launch { session in
                await #expect(throws: TransferFailure.self) {
                    try await session.setLastWill(.request("ftp://example.org/"))
                }
                let info = try await session.backend.info()
                #expect(info.lastWills == 0)
            }
        }
    }
}
