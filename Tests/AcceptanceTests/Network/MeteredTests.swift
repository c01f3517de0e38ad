import LonghaulCore
import TestSupport
import Testing

/// A real NetworkManager in separate namespaces, whose connection becomes metered during a transfer.
@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct MeteredTests {
    @Test func downloadWaitsOnMeteredNetworkAndResumesAutomatically() async throws {
        let script = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/check-metered"
        let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"]
        let result = try await ProgramCall(script, [Product.directory], environment: environment).run(
            limit: .seconds(300))
        let lastLine = result.output.split(separator: "\n").last.map(String.init) ?? ""
        if result.ending == .exited(77) { try Test.cancel("\(lastLine)") }
        #expect(result.ending == .exited(0), "\(result.output)\(result.errorOutput)")
    }
}
