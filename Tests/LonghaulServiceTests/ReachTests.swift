import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport
import Testing

/// One service for one state directory: every program of the user finds it, whatever its environment says.
@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct ReachTests {
    private let product: Product

    init() throws {
        product = try Product()
    }

    private func serviceID(_ environment: [String: String]) async throws -> Int {
        try await ServiceConnection.open(startsService: true, environment: environment).status().processID
    }

    @Test func itIsFoundWhateverTheRuntimeDirectoryIs() async throws {
        let service = try await RunningService(in: product)
        try product.home.makeDirectory("elsewhere")
        for directory in [nil, product.home.path("elsewhere"), product.home.path("none/at/all"), "relative"] {
            var environment = product.environment
            environment["XDG_RUNTIME_DIR"] = directory
            #expect(try await serviceID(environment) == Int(service.process.processID), "\(directory ?? "not set")")
        }
    }

    @Test func itIsFoundFromTheEnvironmentOfCron() async throws {
        let home = ["HOME": product.home.path, "PATH": product.environment["PATH"] ?? ""]
        let first = try await serviceID(home.merging(["XDG_RUNTIME_DIR": product.home.path("run")]) { $1 })
        #expect(try await serviceID(home) == first)
    }

    @Test func itIsFoundWhenItsRuntimeDirectoryIsGone() async throws {
        let service = try await RunningService(in: product)
        #expect(rename(product.home.path("run"), product.home.path("gone")) == 0)
        #expect(try await serviceID(product.environment) == Int(service.process.processID))
        try product.home.makeDirectory("run")
        #expect(try await serviceID(product.environment) == Int(service.process.processID))
    }
}
