import Glibc
import LonghaulClient
import LonghaulCore
import SocketTestSupport
import TestSupport
import Testing

/// Credential helpers of a service that stops.
@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct HelperEndTests {
    @Test func stoppedServiceLeavesNoHelper() async throws {
        let product = try Product()
        let mark = product.home.path("helper")
        let helper = "trap '' TERM; echo $$ >\(mark).new; mv \(mark).new \(mark); sleep 600 & wait; wait; :"
        let service = try await RunningService(in: product, variables: ["LONGHAUL_CREDENTIAL_HELPER": helper])
        var spec = TransferSpec.farAway()
        spec.options.earliestBeginDate = nil
        spec.options.credential = "files"
        _ = try await service.connect().submit([spec], to: .films)
        try await product.home.waitForBytes(of: "helper")
        let text = String(decoding: try product.home.read("helper"), as: UTF8.self)
        let pid = try #require(Int32(text.filter(\.isNumber)))
        #expect(kill(pid, 0) == 0)
        service.process.signal(SIGTERM)
        #expect(try await service.process.waitForEnd() == .exited(0))
        // The process may still be a zombie.
        let end = ContinuousClock.now + .patience
        while Self.isAlive(pid) {
            try #require(ContinuousClock.now < end)
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func isAlive(_ pid: Int32) -> Bool {
        var line = [CChar](repeating: 0, count: 512)
        guard let file = fopen("/proc/\(pid)/stat", "r") else { return false }
        defer { fclose(file) }
        guard fgets(&line, Int32(line.count), file) != nil else { return false }
        return !String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).contains(") Z ")
    }
}
