import Glibc
import LonghaulCore
import TestSupport
import Testing

/// The environment of the submitting command counts, not that of the process that started the service.
@Suite(.onEachTransport) struct CallersEnvironmentTests {
    private static let host = "files.invalid"
    private let product: Product
    private let proxy: NastyServer

    init() throws {
        product = try Product()
        proxy = try NastyServer(routes: ["/a": Route(.status(200, body: "by the proxy"))])
    }

    private func download(_ variables: [String: String], _ options: String...) async throws -> ProgramCall.Result {
        var call = product.call(
            "longhaul", ["download", "-q", "--retry", "0", "http://\(Self.host)/a"] + options)
        call.environment.merge(variables) { $1 }
        return try await call.run()
    }

    private var address: String { "http://ada:s3cret@127.0.0.1:\(proxy.port)" }

    @Test func theProxyIsTheOneOfTheShell() async throws {
        try await product.succeed("service", "start")
        let result = try await download(["http_proxy": address])
        #expect(result.exitStatus == 0, "\(result.errorOutput)")
        let request = try #require(proxy.requests.first)
        #expect(request.target == "http://\(Self.host)/a" && request.header("Proxy-Authorization") != nil)
        #expect(try await download(["ALL_PROXY": address]).exitStatus == 0)
        #expect(proxy.requests.count == 2)
    }

    @Test func callerWithoutProxyUsesNone() async throws {
        var call = product.call("longhaul", ["service", "start"])
        call.environment["http_proxy"] = address
        #expect(try await call.run().exitStatus == 0)
        #expect(try await download([:]).exitStatus == 4)
        #expect(try await download(["HTTP_PROXY": address]).exitStatus == 4, "a web server may have made it")
        #expect(try await download(["http_proxy": address, "no_proxy": ".invalid"]).exitStatus == 4)
        #expect(proxy.requests.isEmpty)
        let excepted = ["http_proxy": address, "no_proxy": ".invalid"]
        #expect(try await download(excepted, "--noproxy", "").exitStatus == 0)
    }

    @Test(arguments: ["htp://ada:s3cret@bad", "ada:s3cret@bad:port"])
    func invalidProxyVariableIsRefused(proxy: String) async throws {
        let refused = try await download(["http_proxy": proxy])
        #expect(refused.exitStatus == 2 && refused.errorOutput.contains("http_proxy"), "\(refused.errorOutput)")
        #expect(!refused.errorOutput.contains("s3cret"))
        // It leads to no other server.
        #expect(try await download(["https_proxy": proxy]).exitStatus == 4)
        #expect(try await download(["http_proxy": proxy, "no_proxy": Self.host]).exitStatus == 4)
        let option = try await download([:], "-x", proxy)
        #expect(option.exitStatus == 2 && option.errorOutput.contains("--proxy"), "\(option.errorOutput)")
        #expect(!option.errorOutput.contains("s3cret"))
    }

    @Test func itsPasswordIsToldNobody() async throws {
        var call = product.call("longhaul", ["download", "-q", "-b", "--not-before", "+1h", "http://\(Self.host)/a"])
        call.environment["http_proxy"] = address
        let id = String(try await call.run().output.prefix(36))
        let refusing = "http://ada:s3cret@127.0.0.1:\(try NastyServer.refusingPort())"
        let failed = try await download(["http_proxy": refusing], "--again")
        #expect(failed.exitStatus == 4 && failed.errorOutput.contains("proxy"), "\(failed.errorOutput)")
        var told = failed.output + failed.errorOutput
        for words in [
            ["show", id], ["show", "--json", id], ["history", id], ["doctor", id], ["list"], ["list", "--json"],
        ] {
            let result = try await product.call("longhaul", words).run()
            told += result.output + result.errorOutput
        }
        told += String(decoding: (try? product.home.read("state/longhaul/longhauld.log")) ?? [], as: UTF8.self)
        #expect(told.contains("files.invalid") && !told.contains("s3cret"))
    }

    @Test func theFileHasThePermissionsThatTheShellGives() async throws {
        let server = try NastyServer(routes: ["/*": Route(.status(200, body: "x"))])
        try await product.succeed("service", "start")
        for (mask, mode) in [("077", 0o600), ("022", 0o644), ("007", 0o660)] as [(String, mode_t)] {
            let script = "umask \(mask); longhaul download -q -o f\(mask) \(server.url("/a"))"
            var call = ProgramCall("/bin/sh", ["-c", script], environment: product.environment)
            call.directory = product.home.path("work")
            #expect(try await call.run().exitStatus == 0)
            var status = stat()
            #expect(stat(product.home.path("work/f\(mask)"), &status) == 0)
            #expect(status.st_mode & 0o777 == mode, "\(mask)")
        }
    }
}
