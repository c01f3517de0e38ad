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

    @Test func proxyPasswordFromEnvironmentIsNeverShown() async throws {
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

    /// The short body is written when it is complete, the long one as it arrives.
    @Test(.enabled(if: supportsAccessLists, "needs a file system with access control lists"))
    func fileInSharedDirectoryIsForItsUsers() async throws {
        let server = try NastyServer(routes: [
            "/short": Route(.status(200, body: "x")),
            "/long": Route(.status(200, body: String(repeating: "x", count: 600_000))),
        ])
        try product.home.makeDirectory("work/shared")
        let directory = product.home.path("work/shared")
        try #require(setDefaultList(of: directory, owner: 7, group: 7, mask: 7, others: 0))
        try await product.succeed("service", "start")
        for name in ["short", "long"] {
            let script = """
                umask 077; longhaul download -q -o shared/\(name) \(server.url("/" + name)); : > shared/by-shell-\(name)
                """
            var call = ProgramCall("/bin/sh", ["-c", script], environment: product.environment)
            call.directory = product.home.path("work")
            #expect(try await call.run().exitStatus == 0)
            let found = accessList(of: directory + "/" + name)
            #expect(!found.isEmpty && found == accessList(of: directory + "/by-shell-" + name), "\(name): \(found)")
        }
    }

    /// Otherwise, the state, or the file, is in another directory whose name has replacement characters.
    @Test(arguments: ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"])
    func pathsThatAreNotUTF8AreRefused(variable: String) async throws {
        let names = product.home.names("work")
        let script = "export \(variable)=\"$PWD/$(printf 'a\\377')\"; longhaul list"
        let result = try await shell(script)
        #expect(
            result.exitStatus == 2 && result.errorOutput.contains("The path in the variable \(variable) is not UTF-8"))
        #expect(product.home.names("work") == names)
        if variable != "XDG_CONFIG_HOME" {
            let direct = try await shell(
                "unset XDG_STATE_HOME; \(script.replacing("longhaul list", with: "longhauld"))")
            #expect(
                direct.exitStatus != 0 && direct.errorOutput.contains("\(variable) is not UTF-8"),
                "\(direct.errorOutput)")
            #expect(product.home.names("work") == names)
        }
    }

    @Test func workingDirectoryThatIsNotUTF8HoldsNoRelativePath() async throws {
        let server = try NastyServer(routes: ["/a": Route(.status(200, body: "x"))])
        try product.home.write([1], to: "work/f")
        let enter = "d=$(printf 'a\\377'); mkdir -p \"$d\"; cp f \"$d\"; cd \"$d\"; "
        for command in ["download -d sub \(server.url("/a"))", "upload f \(server.url("/a"))"] {
            let result = try await shell(enter + "longhaul \(command)")
            #expect(
                result.exitStatus == 2 && result.errorOutput.contains("The path of the working directory is not UTF-8"),
                "\(result.errorOutput)")
        }
        #expect(server.requests.isEmpty && product.home.names("work").count == 2)
        #expect(try await shell(enter + "longhaul list").exitStatus == 0)
    }

    private func shell(_ script: String) async throws -> ProgramCall.Result {
        var call = ProgramCall("/bin/sh", ["-c", script], environment: product.environment)
        call.directory = product.home.path("work")
        return try await call.run()
    }
}
