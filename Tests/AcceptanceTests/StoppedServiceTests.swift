import TestSupport
import Testing

/// When `longhaul service stop` returns, the service has exited.
@Suite(.onEachTransport) struct StoppedServiceTests {
    @Test func stoppedServiceIsGone() async throws {
        let product = try Product()
        for _ in 0..<10 {
            try await product.succeed("service", "start")
            try await product.succeed("service", "stop")
            let doctor = try await product.longhaul("doctor")
            #expect(!doctor.output.contains("keeps"), "\(doctor.output)")
        }
    }
}
