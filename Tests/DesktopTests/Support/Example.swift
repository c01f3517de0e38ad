import Glibc
import LonghaulCore
import TestSupport
import Testing

/// An app of `Examples/`, built once for all tests of a run and beside the others, so that Longhaul is compiled for them once.
struct Example: Sendable {
    /// The package, and the program in it.
    let package: String
    let program: String
    /// What it is called on the bus.
    let id: String

    static let sample = Example(package: "DesktopKit", program: "DesktopSample", id: "io.longhaul.DesktopSample")
    static let photoDrop = Example(package: "PhotoDrop", program: "PhotoDrop", id: "io.longhaul.PhotoDrop")

    var path: String { Self.root + "/.build/examples/debug/" + program }
    var data: String { Self.root + "/Examples/\(package)/data" }

    static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    /// Builds it, once in a run.
    func build() async throws {
        try await Workshop.shared.build(package)
    }
}

/// Builds packages of `Examples/`, one after the other: they share a place.
private actor Workshop {
    static let shared = Workshop()

    private var built: [String: Task<Void, any Error>] = [:]
    private var last: Task<Void, any Error>?

    func build(_ package: String) async throws {
        let before = last
        let task =
            built[package]
            ?? Task {
                _ = await before?.result
                try await Self.build(package)
            }
        (built[package], last) = (task, task)
        try await task.value
    }

    /// SwiftPM would take a cached plan for that of the package that was built last. The other flags are those of
    /// `scripts/check`, so that what it built is not built again.
    private static func build(_ package: String) async throws {
        let compiler = try #require(swift, "there is no swift in PATH")
        let call = ProgramCall(
            compiler,
            [
                "build", "--package-path", Example.root + "/Examples/" + package, "--scratch-path",
                Example.root + "/.build/examples", "--disable-build-manifest-caching", "-Xswiftc",
                "-warnings-as-errors",
            ], environment: environment)
        let result = try await call.run(limit: .seconds(900))
        guard result.ending == .exited(0) else {
            throw TransferFailure(.internalFault, "\(package) cannot be built: \(result.output.suffix(3_000))")
        }
    }

    private static var environment: [String: String] {
        ["PATH", "HOME"].reduce(into: [:]) { $0[$1] = getenv($1).map { String(cString: $0) } }
    }

    private static var swift: String? {
        environment["PATH"]?.split(separator: ":").map { "\($0)/swift" }.first { access($0, X_OK) == 0 }
    }
}
