import Glibc
import LonghaulCore
import TestSupport
import Testing

/// A separate user namespace without any watch.
private enum Watchless {
    static func call(_ command: String, environment: [String: String]) -> ProgramCall {
        ProgramCall(
            "/usr/bin/unshare", ["-U", "-r", "sh", "-c", "echo 0 >/proc/sys/user/max_inotify_instances && \(command)"],
            environment: environment)
    }

    static let missing: String? = {
        if let missing = Product.missing { return missing }
        let result: ProgramCall.Result? = try? call("true", environment: ["PATH": "/usr/bin:/bin"]).run()
        return result?.ending == .exited(0) ? nil : "no user namespace may be made here"
    }()
}

/// A user may have 128 watches of the kernel in total, and editors hold many of them.
@Suite(.enabled(if: Watchless.missing == nil, "\(Watchless.missing ?? "")")) struct ScarceWatchTests {
    @Test func theServiceStartsAndIsFoundWithoutAWatch() async throws {
        let product = try Product()
        let longhaul = "\(Product.directory)/longhaul"
        let result: ProgramCall.Result = try await Watchless.call(
            "\(longhaul) service start && \(longhaul) service status && \(longhaul) service stop",
            environment: product.environment
        ).run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        let log = String(decoding: try product.home.read("state/longhaul/longhauld.log"), as: UTF8.self)
        #expect(log.contains("new sessions cannot be seen"))
    }
}
