import LonghaulClient
import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import SocketTestSupport
import Synchronization
import TestSupport

/// A `longhauld` of the build, listening, with a separate home.
final class RunningService: Sendable {
    let product: Product
    let process: ChildProcess
    /// A client that is connected from the start, so that a service with a short idle time waits for the test.
    private let keeper: Mutex<Descriptor?>

    /// Starts the service, which runs forever by default. `variables` are added to its environment.
    init(
        in product: Product? = nil, _ arguments: [String] = ["--idle-exit", "0"], isKept: Bool = false,
        variables: [String: String] = [:]
    ) async throws {
        let product = if let product { product } else { try Product() }
        // Its log goes to standard output, where a test can wait for it.
        let call = ProgramCall(
            "/bin/sh", ["-c", "exec \(Product.directory)/longhauld \"$@\" 2>&1", "sh"] + arguments,
            environment: product.environment.merging(variables) { $1 })
        let process = try ChildProcess(call)
        let path = product.home.path("state/longhaul/socket")
        keeper = Mutex(
            try await aside {
                try process.waitForOutput(containing: "longhauld: started ")
                return isKept ? try RawClient.greeted(path: path).socket : nil
            })
        self.product = product
        self.process = process
    }

    var socketPath: String { product.home.path("state/longhaul/socket") }

    /// Disconnects the client of `isKept`.
    func release() {
        keeper.withLock { $0 = nil }
    }

    func connect() async throws -> ServiceConnection {
        try await ServiceConnection.open(startsService: false, environment: product.environment)
    }

    func rawClient() throws -> RawClient {
        try RawClient.greeted(path: socketPath)
    }
}

extension SessionID {
    static let films = SessionID("org.example.films")!
}
