import Glibc
import TestSupport
import Testing

@testable import Longhaul

extension SessionConformance {
    /// An app that lacks a resource gets failures, and does not crash.
    @Suite(.onEachTransport) struct ShortageTests {
        private let product: Product
        private let server: NastyServer

        init() throws {
            product = try Product()
            server = try NastyServer(routes: [
                "/f": Route(.file(Content(seed: 1, length: 200_000), etag: "\"v1\""))
            ])
        }

        /// Runs the app with each of the limits, and returns its output for each.
        private func run(
            _ execution: TransferSession.Execution, _ resource: String, _ limits: [Int]
        ) async throws -> [String] {
            // The app may run as another user.
            for path in ["", "run", "state", "work"] { chown(product.home.path(path), 65_534, 65_534) }
            var outputs: [String] = []
            for limit in limits {
                var call = product.call(
                    "ShortageSample",
                    ["\(execution)", resource, "\(limit)", server.url("/f"), product.home.path("work/\(limit)")])
                // One heap with room, so that memory for small objects does not run out: no program survives that.
                call.environment.merge(["MALLOC_ARENA_MAX": "1", "MALLOC_TOP_PAD_": "67108864"]) { $1 }
                let result = try await call.run()
                // Once a second, libdispatch opens files itself, and ends the process if it cannot.
                let endings: [ChildProcess.Ending] =
                    [.exited(0), .exited(75)] + (resource == "files" ? [.exited(76)] : [])
                #expect(
                    endings.contains(result.ending),
                    "\(resource) \(limit): \(result.output)\(result.errorOutput)")
                outputs.append(result.output)
                // A service started under the limit would serve the next app too.
                if execution == .service { try await product.killEverything() }
            }
            return outputs
        }

        @Test(arguments: TransferSession.Execution.both)
        func everyLimitOfOpenFilesIsSurvived(_ execution: TransferSession.Execution) async throws {
            let outputs = try await run(execution, "files", Array(0...40))
            #expect(outputs.contains { $0.contains("open: tooManyOpenFiles") })
        }

        @Test(arguments: TransferSession.Execution.both)
        func everyLimitOfThreadsIsSurvived(_ execution: TransferSession.Execution) async throws {
            let outputs = try await run(execution, "threads", Array(0...12) + [24, 48])
            #expect(outputs.contains { $0.contains("opened") })
        }

        @Test(arguments: TransferSession.Execution.both)
        func littleAddressSpaceIsSurvived(_ execution: TransferSession.Execution) async throws {
            // A thread takes 8 MiB.
            let outputs = try await run(execution, "memory", [0, 4, 8, 16, 24, 32, 64, 256].map { $0 << 10 })
            #expect(outputs.contains { $0.contains("open: ") })
        }

        @Test(arguments: TransferSession.Execution.both)
        func everyLimitOfFileSizeIsSurvived(_ execution: TransferSession.Execution) async throws {
            let outputs = try await run(execution, "fileSize", [0, 512] + Array(12...20).map { 1 << $0 })
            #expect(outputs[0].contains("open: "))
        }
    }
}
