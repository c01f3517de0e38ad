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

    /// Builds it; SwiftPM would take a cached plan for that of the package that was built last. The other flags are those of `scripts/check`, so what it built is not built again.
    func build() async throws {
        let compiler = try #require(Self.swift, "there is no swift in PATH")
        let call = ProgramCall(
            compiler,
            [
                "build", "--package-path", Self.root + "/Examples/" + package, "--scratch-path",
                Self.root + "/.build/examples", "--disable-build-manifest-caching", "-Xswiftc", "-warnings-as-errors",
            ], environment: Self.environment)
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
