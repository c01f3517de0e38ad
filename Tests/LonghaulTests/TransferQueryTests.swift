import LonghaulCore
import TestSupport
import Testing

@testable import Longhaul

/// A query selects transfers by their states.
@Suite struct TransferQueryTests {
    private static let states: [TransferState] = [
        .waiting(Waiting(.turn, since: WallTime(seconds: 0))), .running(.sending), .awaitingResponse, .paused,
        .succeeded, .failed(TransferFailure(.notFound, "It is gone.")), .cancelled,
    ]

    @Test(
        arguments: [
            (.all, 0...6), (.active, 0...3), (.ended, 4...6), (.waiting, 0...0), (.running, 1...2), (.paused, 3...3),
            (.succeeded, 4...4), (.failed, 5...5), (.cancelled, 6...6),
            (TransferQuery(isEnded: true, states: [.paused, .succeeded]), 4...4),
        ] as [(TransferQuery, ClosedRange<Int>)])
    func queryMatchesItsStates(query: TransferQuery, indices: ClosedRange<Int>) {
        let matches = Self.states.indices.filter { index in
            var transfer = TransferSnapshot.sample(1)
            transfer.state = Self.states[index]
            return query.matches(transfer)
        }
        #expect(matches == Array(indices))
    }

    /// The protocol has no states.
    @Test(
        arguments: [
            (.failed, true), (.waiting, false), (TransferQuery(states: [.paused, .failed]), nil), (.all, nil),
        ] as [(TransferQuery, Bool?)])
    func serviceFiltersEndedTransfers(query: TransferQuery, ended: Bool?) {
        #expect(query.page.ended == ended)
    }
}

extension SessionConformance {
    @Suite(.onEachTransport) struct QueryTests {
        private let latch = Latch()
        private let server: NastyServer

        init() throws {
            let reply = Reply.file(Content(seed: 3, length: 5_000), etag: "\"v1\"")
            server = try NastyServer(routes: [
                "/file": Route(reply), "/late": .inTurn(.status(404), reply),
                "/held": Route(.status(200).held(by: latch)),
            ])
        }

        @Test(arguments: TransferSession.Execution.both)
        func operationsApplyToTheStatesOfTheirQuery(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let file = try await session.download(from: server.url("/file"), to: world.work)
                let late = try await session.download(from: server.url("/late"), to: world.work)
                let held = try await session.request(server.url("/held"))
                for transfer in [file, late] { _ = try await transfer.result() }
                #expect(try await session.snapshots(matching: .failed).map(\.id) == [late.id])
                #expect(try await session.snapshots(matching: .ended).map(\.id) == [file.id, late.id])
                #expect(try await session.snapshots(matching: .active).map(\.id) == [held.id])
                #expect(try await session.progress(matching: .succeeded).succeeded == 1)
                #expect(try await session.removeAll(matching: .succeeded) == 1)
                #expect(try await session.snapshots().map(\.id) == [late.id, held.id])
                #expect(try await session.retryAll(matching: .failed) == 1)
                #expect(try await late.result().ending == .succeeded)
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func progressOfAGroupIsFollowedToItsEnd(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                _ = try await session.request(server.url("/held"))
                let held = try await session.request(server.url("/held"), group: "films")
                var progress = session.progress(ofGroup: "films").makeAsyncIterator()
                var last = try await progress.next()
                #expect(last?.isEnded == false)
                try await held.cancel()
                while last?.isEnded == false { last = try await progress.next() }
                #expect(last?.cancelled == 1 && last?.succeeded == 0)
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func retriedTransferLeavesTheListOfFailures(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let late = try await session.download(from: server.url("/late"), to: world.work)
                _ = try await late.result()
                var changes = session.changes(matching: .failed).makeAsyncIterator()
                #expect(try await changes.next()?.inserted.map(\.id) == [late.id])
                try await late.retry()
                #expect(try await changes.next()?.removed == [late.id])
            }
        }
    }
}
