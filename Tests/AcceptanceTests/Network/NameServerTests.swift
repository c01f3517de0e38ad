import LonghaulCore
import TestSupport
import Testing

/// Names that real name servers do not resolve, on a machine of the test's own.
@Suite(
    .tags(.libcurl), .onEachTransport, .timeLimit(.minutes(4)),
    .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
    .enabled(if: NetworkNamespace.missing == nil, "\(NetworkNamespace.missing ?? "")"))
struct NameServerTests {
    private let machine: WiredMachine
    private let product: Product
    private let server: NastyServer

    init() throws {
        machine = try WiredMachine()
        product = try Product(in: machine.own)
        server = try NastyServer(over: .http1, in: machine)
        server.setRoute("/f.bin", .file(Content(seed: 5, length: 1_000)))
        server.setRoute("/away", .redirect(to: server.url("/f.bin", host: "elsewhere.example")))
    }

    private var address: NameServer.Answer { .address(WiredMachine.serverAddress) }

    private func detach(_ words: String...) async throws -> String {
        let result = try await product.call("longhaul", words + ["--detach"]).run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        return String(result.output.prefix { $0 != "\n" })
    }

    @Test(arguments: [NameServer.Answer.failure, .refusal, .silence])
    func failingNameServerUsesNoRetry(_ answer: NameServer.Answer) async throws {
        let names = try NameServer(answer, in: machine.far)
        let id = try await detach("download", "--retry", "1", server.url("/f.bin", host: "server.example"))
        let wait = try await product.wait(for: id, "its third lookup") { Int($0["attempts"] ?? "") ?? 0 >= 3 }
        #expect(wait["state"] != "failed")
        try await product.wait(for: id, "its wait") { $0["reason"] == "network" }
        #expect(try await product.succeed("doctor", id).contains("server.example"))
        #expect(try await product.succeed("show", "--json", id).contains("nameLookupFailed"))
        names.answer(address)
        let before = try #require(Int(try await product.facts(id)["attempts"] ?? ""))
        try await product.wait(for: id, state: "succeeded")
        // The lookup at the time of the recovery may fail, the next one does not.
        let attempts = try #require(Int(try await product.facts(id)["attempts"] ?? ""))
        #expect(attempts <= before + 1)
    }

    @Test(arguments: [NameServer.Answer.noSuchName, .noData])
    func unknownNameFailsAWaitingCommandAtOnce(_ answer: NameServer.Answer) async throws {
        let names = try NameServer(answer, in: machine.far)
        let result = try await product.longhaul("download", server.url("/f.bin", host: "server.example"))
        #expect(
            result.exitStatus == 4 && result.errorOutput.contains("up to 2 more times"), "\(result.errorOutput)")
        #expect(
            result.errorOutput.contains("Could not resolve the host server.example: it does not exist"),
            "\(result.errorOutput)")
        let list = try await product.list("--all")
        #expect(list.map { $0["attempts"] } == ["3"])
        #expect(names.questions > 0)
    }

    @Test func givenRetriesForUnknownNameAreAllMade() async throws {
        let names = try NameServer(.noSuchName, in: machine.far)
        let url = server.url("/f.bin", host: "server.example")
        let result = try await product.longhaul("download", "--retry", "4", url)
        #expect(
            result.exitStatus == 4 && result.errorOutput.contains("up to 4 more times"), "\(result.errorOutput)")
        #expect(try await product.list("--all").map { $0["attempts"] } == ["5"])
        let id = try await detach("download", "--again", url)
        let wait = try await product.wait(for: id, "its fifth attempt") { Int($0["attempts"] ?? "") ?? 0 >= 5 }
        #expect(wait["state"] != "failed" && names.questions > 0)
    }

    @Test(arguments: ["proxy", "script", "redirect", "upload", "mirror"])
    func failingNameServerUsesNoRetryForEachKindOfName(_ kind: String) async throws {
        let names = try NameServer(.failure, in: machine.far)
        try product.home.write("text".utf8, to: "work/up.txt")
        server.setRoute("/in", .status(201))
        let port = server.port
        let (words, host): ([String], String) =
            switch kind {
            case "proxy":
                (["download", "--proxy", "http://me:pw@proxy.example:\(port)/", server.url("/f.bin")], "proxy.example")
            case "script":
                (
                    ["download", "--proxy", "pac+http://script.example:\(port)/p", server.url("/f.bin")],
                    "script.example"
                )
            case "redirect": (["download", server.url("/away")], "elsewhere.example")
            case "upload": (["upload", "up.txt", server.url("/in", host: "up.example")], "up.example")
            default:
                (
                    [
                        "download", "--mirror", server.url("/f.bin", host: "b.example"),
                        server.url("/f.bin", host: "a.example"),
                    ], ".example"
                )
            }
        let started = try await product.call("longhaul", words + ["--retry", "1", "--detach"]).run()
        let id = String(started.output.prefix { $0 != "\n" })
        try await product.wait(for: id, "its third attempt") { Int($0["attempts"] ?? "") ?? 0 >= 3 }
        try await product.wait(for: id, "its wait") { $0["reason"] == "network" }
        #expect(try await product.succeed("doctor", id).contains(host))
        guard kind != "proxy" && kind != "script" else { return }
        names.answer(address)
        try await product.wait(for: id, state: "succeeded")
    }

    @Test func connectTimeoutDuringLookupUsesNoRetry() async throws {
        let names = try NameServer(.silence, in: machine.far)
        let url = server.url("/f.bin", host: "server.example")
        let id = try await detach("download", "--retry", "1", "--connect-timeout", "1", url)
        let wait = try await product.wait(for: id, "its third attempt") { Int($0["attempts"] ?? "") ?? 0 >= 3 }
        #expect(wait["state"] != "failed")
        names.answer(address)
        try await product.wait(for: id, state: "succeeded")
    }

    /// libcurl caches an address for 60 s, in which there would be seven attempts.
    @Test func refusedConnectionIsFollowedByAnotherLookup() async throws {
        let names = try NameServer(.address(WiredMachine.ownAddress), in: machine.far)
        let id = try await detach("download", server.url("/f.bin", host: "server.example"))
        try await product.wait(for: id, "its second attempt") { Int($0["attempts"] ?? "") ?? 0 >= 2 }
        names.answer(address)
        let before = try #require(Int(try await product.facts(id)["attempts"] ?? ""))
        try await product.wait(for: id, state: "succeeded")
        let attempts = try #require(Int(try await product.facts(id)["attempts"] ?? ""))
        #expect(attempts <= before + 2, "the attempt at the time of the change may find the old address")
    }

    @Test func lookupStartedAsTheRouteGoesWaits() async throws {
        let names = try NameServer(address, in: machine.far)
        try await product.succeed("service", "start")
        try await machine.own.run("ip route del default; ip addr flush dev wire")
        let id = try await detach("download", "--retry", "1", server.url("/f.bin", host: "server.example"))
        try await product.wait(for: id, "its wait") { $0["reason"] == "network" }
        try await machine.own.run(
            "ip addr add \(WiredMachine.ownAddress)/24 dev wire; ip route add default via \(WiredMachine.serverAddress)"
        )
        try await product.wait(for: id, state: "succeeded")
        #expect(names.questions > 0)
    }

    /// First libcurl queries, four times in 10 s, and then the engine.
    @Test(arguments: [1, 5]) func silentNameServerDoesNotHoldUpTheService(questions: Int) async throws {
        let names = try NameServer(.silence, in: machine.far)
        let id = try await detach("download", server.url("/f.bin", host: "server.example"))
        try await names.waitForQuestions(questions)
        let begin = ContinuousClock.now
        try await product.succeed("pause", id)
        try await product.succeed("service", "stop")
        #expect(ContinuousClock.now - begin < .seconds(8), "a lookup takes 10 s")
    }
}
