import LonghaulCore
import TestSupport
import Testing

/// Commands with `--key` that are repeated, as a script does at every run.
@Suite(.onEachTransport) struct KeyTests {
    private let product: Product
    private let server: NastyServer

    init() throws {
        product = try Product()
        server = try NastyServer()
        try product.home.write(Array("photo".utf8), to: "work/photo")
    }

    enum Kind: CaseIterable { case download, put, form, tus, request }

    private func command(_ kind: Kind) -> ProgramCall {
        let words =
            switch kind {
            case .download: ["download", "-o", "f", server.url("/x")]
            case .put: ["upload", "photo", server.url("/x")]
            case .form: ["upload", "-F", "f=@photo", server.url("/x")]
            case .tus: ["upload", "--tus", "photo", server.url("/files/")]
            case .request: ["request", "POST", server.url("/x"), "--data", "1"]
            }
        return product.call("longhaul", [words[0], "--key", "k"] + words.dropFirst())
    }

    @Test(arguments: Kind.allCases) func repeatedCommandRestartsThenJoins(kind: Kind) async throws {
        let tus = TusService(path: "/files/")
        tus.script("POST", .answer(404))
        server.setRoute("/files/*", tus.route)
        server.setRoute("/x", .inTurn(.status(404), .status(200, body: "ok")))
        #expect(try await command(kind).run().exitStatus == 6)
        let id = try #require(try await product.list().first?["id"])
        let again = try await command(kind).run()
        #expect(again.exitStatus == 0, "\(again.errorOutput)")
        let requests = server.requests.count
        let joined = try await command(kind).run()
        #expect(joined.exitStatus == 0 && server.requests.count == requests, "\(joined.errorOutput)")
        #expect(try await product.list().map { $0["id"] } == [id])
        #expect(try await product.succeed("history", id).contains("retried"))
    }

    @Test func unknownOutcomeIsSentAgainByRetryAlone() async throws {
        server.setRoute("/x", .inTurn(Reply(status: 200).ending(.closesUnanswered), .status(200)))
        #expect(try await command(.request).run().exitStatus == 10)
        #expect(server.requests.count == 1)
        let joined = try await command(.request).run()
        #expect(joined.exitStatus == 10 && joined.errorOutput.contains("failed earlier. longhaul retry"))
        #expect(server.requests.count == 1)
        let id = try #require(try await product.list().first?["id"])
        try await product.succeed("retry", "-q", id)
        try await product.wait(for: id, state: "succeeded")
        #expect(server.requests.count == 2)
    }

    @Test func keyOfAnotherURLIsRefused() async throws {
        for path in ["/a", "/b"] { server.setRoute(path, Route(.status(200, body: path))) }
        try await product.succeed("download", "--key", "k", "-o", "f", server.url("/a"))
        let other = try await product.longhaul("download", "--key", "k", "-o", "f", server.url("/b"))
        #expect(other.exitStatus == 13 && other.errorOutput.contains("differs in the URL"), "\(other.errorOutput)")
        #expect(
            other.errorOutput.contains("--if-key-exists replace") && other.errorOutput.contains("differs in the URL"))
        let place = try await product.longhaul("download", "--key", "k", "-o", "g", server.url("/a"))
        #expect(
            place.exitStatus == 13 && place.errorOutput.contains("differs in the file name"), "\(place.errorOutput)")
        #expect(server.requests.count == 1)
    }

    @Test func changedFileIsSentAsNewTransfer() async throws {
        server.setRoute("/x", .inTurn(.status(403), .status(200)))
        #expect(try await command(.put).run().exitStatus == 6)
        try product.home.write(Array("another photo".utf8), to: "work/photo")
        #expect(try await command(.put).run().exitStatus == 0)
        #expect(server.requests.last?.bodyLength == 13)
        #expect(try await product.list().count == 1, "the failed one could never succeed")
    }

    @Test func directoryIsCheckedBeforeFirstRequest() async throws {
        server.setRoute("/x", Route(.status(200, body: "ok")))
        for (directory, words) in [("photo", "is a file, not a directory"), ("~/films", "only shells expand ~")] {
            let result = try await product.longhaul("download", "-d", directory, server.url("/x"))
            #expect(result.exitStatus == 3 && result.errorOutput.contains(words), "\(result.errorOutput)")
        }
        #expect(server.requests.isEmpty)
        try await product.succeed("download", "-d", "films/new", "-o", "f", server.url("/x"))
        #expect(try product.home.read("work/films/new/f") == Array("ok".utf8))
    }
}
