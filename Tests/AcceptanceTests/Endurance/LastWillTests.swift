import Glibc
import LonghaulCore
import TestSupport
import Testing

extension DyingApps {
    /// Apps that register a last will, and are killed or say goodbye.
    @Suite struct LastWillTests {
        private let count = Endurance.size(200, small: 10)
        private let server: NastyServer
        private let product: Product

        init() throws {
            server = try NastyServer(routes: ["/*": Route(.status(201))])
            product = try Product()
        }

        /// Each will was sent once by its key, whether or not the service died with the app; no will was sent for the apps that said
        /// goodbye.
        @Test func lastWillIsSentForEachKilledApp() async throws {
            var chance = SeededChance(seed: walkSeed("last will"))
            for number in 0..<count {
                let lost = try await app("/lost/\(number)", "stay")
                let delay = UInt32.random(in: 0...20_000, using: &chance)
                try await aside { _ = usleep(delay) }
                if number % 5 == 0 { try await product.killService() }
                try await kill(lost)
                if number % 4 == 0 { try await kill(app("/gone/\(number)", "close")) }
            }
            _ = try await product.call("longhaul", ["service", "start"]).run()
            try await waitForWills(Set((0..<count).map { "/lost/\($0)" }))
            // All submitted transfers have ended by then: a request that was sent twice would be in the log.
            _ = try await product.call("longhaul", ["watch", "--session", "org.example.last-request"]).run()
            #expect(server.idempotencyKeys.count == count)
            #expect(!server.requests.contains { $0.path.hasPrefix("/gone/") })
        }

        /// Without a service, no process can send it after the kill: the app's next launch sends it.
        @Test func anAppThatRunsItsSessionItselfSendsItAtTheNextLaunch() async throws {
            try await kill(app("/lost", "stay", "here"))
            let next = try await app("/next", "stay", "here")
            try await waitForWills(["/lost"])
            try await kill(next)
            #expect(server.idempotencyKeys.count == 1)
        }

        private func app(_ path: String, _ words: String...) async throws -> ChildProcess {
            let app = try ChildProcess(product.call("LastRequestSample", [server.url(path)] + words))
            try await app.waitForOutput(containing: "left")
            return app
        }

        private func kill(_ app: ChildProcess) async throws {
            app.signal(SIGKILL)
            #expect(try await app.waitForEnd() == .killed(signal: SIGKILL))
        }

        private func waitForWills(_ paths: Set<String>) async throws {
            try await aside { [server] in
                try server.wait(for: "every last will") { log in
                    Set(log.map(\.path)) == paths ? () : nil
                }
            }
        }
    }
}
