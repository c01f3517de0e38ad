import Glibc
import LonghaulCore
import TestSupport
import Testing

/// An app of `Examples/`, built once for all tests of a run, together with the others, so that Longhaul is compiled for them once.
struct Example: Sendable {
    /// The package, and the program in it.
    let package: String
    let program: String
    /// Its application ID on the bus.
    let id: String

    static let sample = Example(package: "DesktopKit", program: "DesktopSample", id: "io.longhaul.DesktopSample")
    static let photoDrop = Example(package: "PhotoDrop", program: "PhotoDrop", id: "io.longhaul.PhotoDrop")

    var path: String { Self.root + "/.build/debug/" + program }
    var data: String { Self.root + "/Examples/\(package)/data" }

    static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    /// Builds it once in a run.
    func build() async throws {
        try await Workshop.shared.build(self)
    }
}

/// Builds programs of `Examples/` one after the other: they share a scratch path.
private actor Workshop {
    static let shared = Workshop()

    private var built: [String: Task<Void, any Error>] = [:]
    private var last: Task<Void, any Error>?

    func build(_ example: Example) async throws {
        let before = last
        let task =
            built[example.program]
            ?? Task {
                _ = await before?.result
                try await Self.build(example)
            }
        (built[example.program], last) = (task, task)
        try await task.value
    }

    /// Shares the build of this package, whose lock `swift test` may hold. SwiftPM caches one plan for each scratch path, so an
    /// example must not use it. No other product is linked: a program that another test runs may have the same name.
    private static func build(_ example: Example) async throws {
        let compiler = try #require(swift, "there is no swift in PATH")
        let call = ProgramCall(
            compiler,
            [
                "build", "--package-path", Example.root + "/Examples/" + example.package, "--scratch-path",
                Example.root + "/.build", "--disable-build-manifest-caching", "--ignore-lock", "--product",
                example.program,
            ], environment: environment)
        let result = try await call.run(limit: .seconds(900))
        guard result.ending == .exited(0) else {
            throw TransferFailure(.internalFault, "\(example.program) cannot be built: \(result.output.suffix(3_000))")
        }
    }

    private static var environment: [String: String] {
        ["PATH", "HOME"].reduce(into: [:]) { $0[$1] = getenv($1).map { String(cString: $0) } }
    }

    private static var swift: String? {
        environment["PATH"]?.split(separator: ":").map { "\($0)/swift" }.first { access($0, X_OK) == 0 }
    }
}
