import Glibc
import Longhaul
import LonghaulCore
import Observation
import TestSupport
import Testing

/// The most common code of apps is short and correct.
@Suite struct ConvenienceTests {
    @Test func aFailureIsPrintedAsItsSentenceWithTheCode() {
        let failure = TransferFailure(.hostNotFound, "example.invalid was not found.", origin: .curl(6))
        #expect("\(failure)" == "example.invalid was not found. [hostNotFound]")
    }

    @Test(
        arguments: [
            (0, nil, TransferState.paused, nil), (5, 10, .paused, 0.5), (10, 10, .running(.verifying), 1),
            (12, 10, .paused, 1), (0, 0, .paused, 0), (0, 0, .succeeded, 1), (7, nil, .succeeded, 1),
            (5, 10, .cancelled, 0.5),
        ] as [(Int64, Int64?, TransferState, Double?)])
    func aFractionIsKnownAsSoonAsTheLengthIs(done: Int64, total: Int64?, state: TransferState, fraction: Double?) {
        var transfer = TransferSnapshot.sample(1, bytesDone: done, bytesTotal: total)
        transfer.state = state
        #expect(transfer.fractionCompleted == fraction)
    }

    @Test func aGroupsFractionIsThatOfAllItsBytes() {
        let half = TransferSnapshot.sample(1, bytesDone: 5, bytesTotal: 10)
        #expect(GroupProgress(of: [half, .sample(2, bytesDone: 30, bytesTotal: 30)]).fractionCompleted == 0.875)
        #expect(GroupProgress(of: [half, .sample(2, bytesDone: 30)]).fractionCompleted == nil)
        #expect(GroupProgress(of: []).fractionCompleted == 1)
    }

    @Test func thePresentIsTheSystemsAndCanBeReckonedWith() {
        let before = Int64(time(nil))
        let now = WallTime.now
        #expect((before...before + 60).contains(now.seconds))
        #expect(now + .seconds(90) - now == .seconds(90))
        #expect(now - .milliseconds(1_500) + .milliseconds(1_500) == now)
    }

    @Test func anAppIsStartedByItsOwnProgram() throws {
        let registration = WakeRegistration.thisProgram("--background", "{session}")
        guard case .command(let words) = registration.method else { return #expect(Bool(false), "not by a command") }
        #expect(words.dropFirst() == ["--background", "{session}"])
        #expect(try access(#require(words.first), X_OK) == 0)
        #expect(registration.refusal == nil)
    }
}

extension SessionConformance {
    @Suite(.onEachTransport) struct ValueTests {
        private let server: NastyServer

        init() throws {
            server = try NastyServer(routes: [
                "/file": Route(.file(Content(seed: 3, length: 5_000), etag: "\"v1\"")), "/no": Route(.status(404)),
            ])
        }

        @Test func theValueOfADownloadIsItsFile() async throws {
            let world = try SessionWorld(.inProcess())
            try await world.launch { session in
                let transfer = try await session.download(from: server.url("/file"), to: world.work)
                #expect(try await transfer.value.path == world.work + "/file")
                let missing = try await session.download(from: server.url("/no"), to: world.work)
                let failure = await #expect(throws: TransferFailure.self) { try await missing.value }
                #expect(failure?.code == .notFound)
            }
        }

        @Test func aListIsObservedWhileItFollows() async throws {
            let world = try SessionWorld(.inProcess())
            try await world.launch { session in
                let list = ObservableTransferList()
                let changes = Mailbox<Bool>()
                withObservationTracking {
                    _ = list.transfers
                } onChange: {
                    changes.append(true)
                }
                let transfer = try await session.download(from: server.url("/file"), to: world.work)
                _ = try await transfer.value
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        _ = try await changes.waitForCount(1)
                        await session.close()
                    }
                    try await list.follow(session)
                    try await group.waitForAll()
                }
                #expect(list.transfers.map(\.id) == [transfer.id])
                #expect(list[transfer.id]?.fractionCompleted == 1 && list.progress.succeeded == 1)
            }
        }
    }
}
