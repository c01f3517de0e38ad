import Glibc
import LonghaulCore
import TestSupport
import Testing

@Suite(.tags(.libcurl), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct LibcurlTests {
    /// A run of these tests with another libcurl must be one of the programs as well.
    @Test func theProgramsHaveTheLibcurlAndThePathsOfTheTests() async throws {
        let library = try #require(dlopen("libcurl.so.4", RTLD_NOW))
        let symbol = try #require(dlsym(library, "curl_version"))
        let text = unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>).self)
        let version = try #require(String(cString: text()).split { "/ ".contains($0) }.dropFirst().first)
        let product = try Product()
        let stopped = try await product.succeed("doctor")
        // Starts the service, which then speaks for itself.
        _ = try await product.succeed("limits")
        let running = try await product.succeed("doctor")
        let paths = DirectPaths(libcurl: String(version), choice: Tools.environment[DirectPaths.variable])
        for told in [stopped, running] {
            let line = try #require(told.split(separator: "\n").first { $0.contains("paths ") })
            #expect(line.contains("libcurl \(version)"))
            #expect(line.contains("received and sent without") == (paths != .none))
        }
    }
}
