import Longhaul
import LonghaulCore
import TestSupport
import Testing

extension SessionConformance {
    @Suite(.onEachTransport) struct EventTests {
        private let latch = Latch()
        private let server: NastyServer

        init() throws {
            server = try NastyServer(routes: [
                "/ok": Route(.status(200)), "/no": Route(.status(403)), "/held": Route(.status(200).held(by: latch)),
            ])
        }

        /// Reads events until all submitted transfers have ended.
        private func untilAllFinished(_ session: TransferSession) async throws -> [SessionEvent] {
            var events: [SessionEvent] = []
            for try await event in session.events {
                events.append(event)
                if event.kind == .allTransfersFinished { return events }
            }
            throw TransferFailure(.internalFault, "the events ended: \(events)")
        }

        @Test(arguments: TransferSession.Execution.both)
        func eventsRepeatUntilAcknowledged(
            _ execution: TransferSession.Execution
        ) async throws {
            let world = try SessionWorld(execution)
            let (id, first) = try await world.launch { session in
                let transfer = try await session.request(server.url("/ok"))
                return (transfer.id, try await untilAllFinished(session))
            }
            #expect(first.map { $0.transfer?.id } == [id, nil])
            #expect(first.first?.transfer?.state == .succeeded)
            let again = try await world.launch { session in
                let events = try await untilAllFinished(session)
                #expect(try await session.pendingEvents() == events)
                try await session.acknowledge(try #require(events.last))
                #expect(try await session.wakeStatus().pendingEvents == 0)
                #expect(try await session.pendingEvents().isEmpty)
                return events
            }
            #expect(again == first)
            let next = try await world.launch { session in
                _ = try await session.request(server.url("/no"))
                return try await untilAllFinished(session)
            }
            let numbers = next.map(\.number)
            #expect(numbers.allSatisfy { $0 > first.last?.number ?? 0 } && next.count == 2)
        }

        @Test(arguments: TransferSession.Execution.both)
        func allObserversReceiveLiveEvents(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let transfer = try await session.request(server.url("/held"))
                async let one = untilAllFinished(session)
                async let other = untilAllFinished(session)
                try await server.waitForRequests(1)
                latch.open()
                let (left, right) = try await (one, other)
                #expect(left == right && left.first?.transfer?.id == transfer.id)
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func removedTransferHasNoPendingEvent(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let transfer = try await session.request(server.url("/ok"))
                _ = try await transfer.result()
                try await transfer.remove()
                #expect(try await session.wakeStatus().pendingEvents == 0)
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func theWayToStartTheAppIsKeptWithTheSession(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let registration = WakeRegistration(.command(["/usr/bin/photos", "{session}"]))
            var configuration = world.configuration()
            configuration.wake = registration
            let registered = try await TransferSession.open(SessionWorld.session, configuration: configuration)
            await registered.close()
            try await world.launch { session in
                let status = try await session.wakeStatus()
                #expect(status.registration == registration && status.isAttached)
                #expect(status.hold == (execution == .service ? .nothingToTell : .runByApp))
                try await session.setWake(nil)
                #expect(try await session.wakeStatus().registration == nil)
                await expect(code: .invalidArgument) { try await session.setWake(WakeRegistration(.command(["x"]))) }
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func eventsEndWithTheSession(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let session = try await world.open()
            var events = session.events.makeAsyncIterator()
            await session.close()
            #expect(try await events.next() == nil)
        }

        @Test func eventsContinueAfterServiceRestart() async throws {
            let world = try SessionWorld(.service)
            try await world.launch { session in
                let transfer = try await session.request(server.url("/held"))
                async let events = untilAllFinished(session)
                try await server.waitForRequests(1)
                try await world.product.killService()
                latch.open()
                #expect(try await events.map { $0.transfer?.id } == [transfer.id, nil])
            }
        }

        @Test func morePagesThanOneAreGivenInOrder() async throws {
            let world = try SessionWorld(.service)
            try await world.launch { session in
                var options = TransferOptions()
                options.retryLimit = 0
                for _ in 0..<300 { _ = try await session.request("http://127.0.0.1:9/", options: options) }
                try await session.wait { list in
                    list.transfers.allSatisfy(\.state.isEnded) && list.transfers.count == 300
                }
                var numbers: [Int64] = []
                var seen: Set<TransferID> = []
                for try await event in session.events {
                    numbers.append(event.number)
                    if let id = event.transfer?.id { seen.insert(id) }
                    if seen.count == 300, event.kind == .allTransfersFinished { break }
                }
                #expect(numbers == numbers.sorted())
            }
        }
    }
}
