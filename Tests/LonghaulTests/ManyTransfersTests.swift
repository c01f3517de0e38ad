import Longhaul
import LonghaulCore
import TestSupport
import Testing

extension SessionConformance {
    /// An app with a thousand transfers is launched again.
    @Suite(.onEachTransport) struct ManyTransfersTests {
        @Test(arguments: TransferSession.Execution.both)
        func aThousandTransfersAreThereInOneCall(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let latch = Latch()
            let server = try NastyServer(routes: ["/held": Route(.status(200).held(by: latch))])
            try await world.launch { session in
                let specs = (0..<1_000).map { number in
                    var spec = TransferSpec(
                        work: .request(body: []), method: "GET", url: server.url("/held"), network: server.network)
                    spec.options.key = "key \(number)"
                    spec.options.group = "group \(number % 10)"
                    return spec
                }
                let answers = try await session.submit(specs)
                #expect(answers.count == 1_000)
            }
            try await world.launch { session in
                let begin = ContinuousClock.now
                let list = try await session.snapshots()
                print("\(execution): a list of \(list.count) took \(ContinuousClock.now - begin)")
                #expect(list.map(\.name).count == 1_000)
                for snapshot in list {
                    let transfer = session.transfer(snapshot.id)
                    try await transfer.pause()
                }
                #expect(try await session.snapshots().allSatisfy { $0.state == .paused })
                for number in 0..<1_000 {
                    let transfer = try #require(try await session.transfer(key: "key \(number)"))
                    try await transfer.resume()
                }
                #expect(try await session.snapshots().allSatisfy { $0.state != .paused })
                for number in 0..<10 {
                    #expect(try await session.pauseAll(matching: .group("group \(number)")) == 100)
                    #expect(try await session.resumeAll(matching: .group("group \(number)")) == 100)
                    #expect(try await session.cancelAll(matching: .group("group \(number)")) == 100)
                }
                #expect(try await session.snapshots().allSatisfy { $0.state == .cancelled })
            }
        }
    }
}
