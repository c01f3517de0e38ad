import Glibc
import LonghaulCore
import TestSupport
import Testing

extension DyingApps {
    @Suite struct LastRequestTests {
        private let count = Endurance.size(200, small: 20)

        /// Submitted requests are delivered even if the submitting process dies within 50 ms: none is lost, and a
        /// repetition has the key of the first.
        @Test func everyRequestOutlivesTheProcessThatSentIt() async throws {
            let server = try NastyServer(routes: ["/in/*": Route(.status(201))])
            let product = try Product()
            var chance = SeededChance(seed: walkSeed("last request"))
            var times: [Int] = []
            for number in 0..<count {
                let sample = try ChildProcess(product.call("LastRequestSample", [server.url("/in/\(number)")]))
                let time = try await sample.waitForOutput(for: "that it was sent") { output in
                    output.hasSuffix("\n") ? output.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } : nil
                }
                times.append(time)
                // The time of the kill is random.
                let delay = UInt32.random(in: 0...50_000, using: &chance)
                try await aside { _ = usleep(delay) }
                sample.signal(SIGKILL)
                #expect(try await sample.waitForEnd() == .killed(signal: SIGKILL))
            }
            let delivered = try await aside {
                try server.wait(for: "every request") { requests in
                    let paths = Set(requests.map(\.path))
                    return paths.count == count ? requests.count : nil
                }
            }
            times.sort()
            print(
                "last request: \(delivered) requests for \(count);",
                "send returned after \(times[count / 2]) µs (median), \(times[count * 95 / 100]) µs (95 of 100)"
            )
            #expect(server.idempotencyKeys.count == count)
        }
    }
}
