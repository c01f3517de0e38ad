import Longhaul
import LonghaulCore
import TestSupport
import Testing

extension SessionConformance {
    @Suite(.onEachTransport) struct ObservingTests {
        private let latch = Latch()
        private let server: NastyServer

        init() throws {
            server = try NastyServer(routes: [
                "/held": Route(.status(200).held(by: latch)), "/quick": Route(.status(200)),
            ])
        }

        @Test(arguments: TransferSession.Execution.both)
        func aListBeginsWholeAndThenChangesInOrder(_ execution: TransferSession.Execution) async throws {
            try await SessionWorld(execution).launch { session in
                let first = try await session.request(server.url("/held"))
                let second = try await session.request(server.url("/held"))
                var changes = session.changes().makeAsyncIterator()
                let initial = try #require(try await changes.next())
                #expect(initial.isInitial)
                #expect(initial.inserted.map(\.id) == [first.id, second.id])
                var list = TransferList()
                list.apply(initial)

                let third = try await session.request(server.url("/held"))
                try await follow(&changes, &list) { $0.transfers.map(\.id) == [first.id, second.id, third.id] }
                latch.open()
                try await follow(&changes, &list) { $0.transfers.allSatisfy { $0.state == .succeeded } }
                try await second.remove()
                try await follow(&changes, &list) { $0.transfers.map(\.id) == [first.id, third.id] }
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func groupListReportsRemovedTransfer(_ execution: TransferSession.Execution) async throws {
            try await SessionWorld(execution).launch { session in
                var options = TransferOptions()
                options.group = "films"
                let transfer = try await session.request(server.url("/quick"), options: options)
                #expect(try await transfer.result().ending == .succeeded)
                _ = try await session.request(server.url("/held"))
                var changes = session.changes(matching: .group("films")).makeAsyncIterator()
                #expect(try await changes.next()?.inserted.map(\.id) == [transfer.id])
                try await transfer.remove()
                #expect(try await changes.next()?.removed == [transfer.id])
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func nonMatchingTransferIsRemoved(_ execution: TransferSession.Execution) async throws {
            try await SessionWorld(execution).launch { session in
                var changes = session.changes(matching: TransferQuery(isEnded: false)).makeAsyncIterator()
                var list = TransferList()
                let initial = try #require(try await changes.next())
                #expect(initial.isInitial && initial.inserted.isEmpty)
                let transfer = try await session.request(server.url("/held"))
                try await follow(&changes, &list) { $0.transfers.map(\.id) == [transfer.id] }
                latch.open()
                try await follow(&changes, &list) { $0.transfers.isEmpty }
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func aSlowObserverGetsTheLatestValuesOnly(_ execution: TransferSession.Execution) async throws {
            try await SessionWorld(execution).launch { session in
                var slow = session.changes().makeAsyncIterator()
                _ = try await slow.next()
                let specs = (1...200).map { _ in
                    TransferSpec(
                        work: .request(body: []), method: "GET", url: server.url("/quick"), network: server.network)
                }
                let transfers = try await session.submit(specs).map { try $0.get() }
                for transfer in transfers { #expect(try await transfer.result().ending == .succeeded) }
                var list = TransferList()
                let steps = try await follow(&slow, &list) { list in
                    list.transfers.count == 200 && list.transfers.allSatisfy { $0.state == .succeeded }
                }
                #expect(steps <= 4, "changes between two reads are merged into a few")
                #expect(list.transfers.map(\.sequence) == list.transfers.map(\.sequence).sorted())
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func everyObserverSeesTheEnd(_ execution: TransferSession.Execution) async throws {
            try await SessionWorld(execution).launch { session in
                let transfer = try await session.request(server.url("/held"))
                let ends = try await withThrowingTaskGroup(of: TransferState?.self) { group in
                    for _ in 1...4 {
                        group.addTask {
                            var last: TransferState?
                            for try await snapshot in transfer.snapshots { last = snapshot.state }
                            return last
                        }
                    }
                    try await server.waitForRequests(1)
                    latch.open()
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(ends == [.succeeded, .succeeded, .succeeded, .succeeded])
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func sequencesEndWithTheSession(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            // Its service ends with it.
            defer { withExtendedLifetime(world) {} }
            let session = try await world.open()
            let transfer = try await session.request(server.url("/held"))
            var changes = session.changes().makeAsyncIterator()
            var snapshots = transfer.snapshots.makeAsyncIterator()
            _ = try await (changes.next(), snapshots.next())
            await session.close()
            while try await changes.next() != nil {}
            while try await snapshots.next() != nil {}
        }

        /// Applies changes until the list matches the condition; returns their number.
        @discardableResult
        private func follow(
            _ changes: inout some AsyncIteratorProtocol<TransferListChange, TransferFailure>,
            _ list: inout TransferList,
            until fits: (TransferList) -> Bool
        ) async throws -> Int {
            var steps = 0
            while !fits(list) {
                let change = try #require(try await changes.next())
                #expect(!change.isInitial)
                list.apply(change)
                steps += 1
            }
            return steps
        }
    }
}
