import Longhaul
import LonghaulCore
import TestSupport
import Testing

@Suite struct QueuePositionTests {
    @Test(
        arguments: [
            (.first, [0, 7, -3], 8), (.last, [0, 7, -3], -4), (.first, [], 0), (.last, [], 0),
            (.first, [1_000_000], 1_000_000), (.last, [-1_000_000], -1_000_000),
        ] as [(QueuePosition, [Int], Int)])
    func positionIsAPriority(position: QueuePosition, others: [Int], priority: Int) {
        #expect(position.priority(among: others) == priority)
    }
}

extension SessionConformance {
    @Suite(.onEachTransport) struct QueueMoveTests {
        private let server: NastyServer

        init() throws {
            server = try NastyServer(routes: ["/held": Route(.status(200).held(by: Latch()))])
        }

        @Test(arguments: TransferSession.Execution.both)
        func movedTransferIsFirstOrLast(_ execution: TransferSession.Execution) async throws {
            try await SessionWorld(execution).launch { session in
                let transfers = try await [1, 2, 3].asyncMap { _ in try await session.request(server.url("/held")) }
                try await transfers[2].move(.first)
                try await transfers[0].move(.last)
                try await transfers[1].move(.first)
                let list = try await session.snapshots()
                #expect(list.map(\.priority) == [-1, 2, 1])
                try await transfers[0].cancel()
                await expect(code: .invalidState) { try await transfers[0].move(.first) }
            }
        }
    }
}
