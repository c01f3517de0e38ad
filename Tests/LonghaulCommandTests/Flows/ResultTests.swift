import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

/// The command's output about the result of a request or an upload.
struct ResultTests {
    private func world(
        _ direction: TransferSnapshot.Direction, _ response: Response, resultURL: String? = nil,
        name: String = "photo.jpg"
    ) -> TestWorld {
        var ended = snapshot(1, .succeeded, name: name, done: 1 << 20, direction: direction)
        (ended.status, ended.resultURL) = (response.status, resultURL)
        return TestWorld(
            ScriptedService { [ended] in
                $0.watches = [ScriptedService.Watch(updates: [update(ended)])]
                $0.details[id(1)] = TransferDetail(
                    snapshot: ended, headers: [], response: response, lastFailure: nil, restarts: 0)
            })
    }

    private static func response(_ status: Int, _ body: String = "", _ headers: [HeaderField] = []) -> Response {
        Response(
            ResponseHead(status: status, headers: headers, effectiveURL: "http://host.example/files"),
            body: Array(body.utf8), isTruncated: false)
    }

    private let created = Self.response(
        201, "http://host.example/1ca353\n", [HeaderField("Location", "/files/1ca353?token=s3cret")])

    @Test func uploadEndsWithItsURL() async {
        let test = world(.upload, created, resultURL: "http://host.example/files/1ca353")
        #expect(await test.run("upload", "/x/photo.jpg", "http://host.example/files") == 0)
        #expect(
            test.saidLines.last
                == "00000001 uploaded photo.jpg (1.0 MiB in 4.0 s, 256.0 KiB/s): 201 http://host.example/files/1ca353")
        #expect(test.printed == "http://host.example/1ca353\n")
    }

    @Test func uploadWithoutLocationEndsWithTheURLItWasSentTo() async {
        let test = world(.upload, Self.response(204))
        #expect(await test.run("upload", "/x/photo.jpg", "http://host.example/photo.jpg") == 0)
        #expect(test.said.contains(": 204 http://host.example/photo.jpg\n") && test.printed.isEmpty)
    }

    @Test(arguments: [["-b"], ["--json"]]) func responseBodyIsNotMixedWithOtherOutput(_ words: [String]) async {
        let test = world(.upload, created)
        #expect(await test.run(list: ["upload", "/x/photo.jpg", "http://host.example/files"] + words) == 0)
        #expect(!test.printedLines.contains("http://host.example/1ca353"))
    }

    @Test func binaryResponseStaysOffTheTerminal() async {
        for (body, printed) in [("\u{1B}[2Jtext", "\u{FFFD}[2Jtext\n"), ("", "")] {
            let test = world(.upload, Self.response(200, body))
            var world = test.world()
            world.console.isOutputTerminal = true
            #expect(await Program(world: world).run(["upload", "/x/photo.jpg", "http://host.example/f"]) == 0)
            #expect(test.printed == printed)
        }
        var binary = Self.response(200)
        binary.body = [0xFF, 0xFE, 0x00]
        let test = world(.upload, binary)
        var world = test.world()
        world.console.isOutputTerminal = true
        #expect(await Program(world: world).run(["upload", "/x/photo.jpg", "http://host.example/f"]) == 0)
        #expect(test.printed.isEmpty)
    }

    @Test func responseChangesNoTerminal() async {
        let body = "a\tb\r\n\u{1B}]0;title\u{7}c\u{0}\u{202E}d"
        for (isTerminal, printed) in [(false, body), (true, "a\tb\r\n\u{FFFD}]0;title\u{FFFD}c\u{FFFD}\u{FFFD}d")] {
            let test = world(.request, Self.response(200, body), name: "GET /f")
            var world = test.world()
            world.console.isOutputTerminal = isTerminal
            #expect(await Program(world: world).run(["request", "GET", "http://host.example/f"]) == 0)
            #expect(test.printed == printed)
        }
    }

    @Test func headPrintsStatusAndHeaders() async {
        let response = Self.response(200, "", [HeaderField("Content-Length", "12"), HeaderField("ETag", "\"v1\"")])
        let test = world(.request, response, name: "HEAD /f")
        #expect(await test.run("request", "HEAD", "http://host.example/f") == 0)
        #expect(test.printed == "HTTP 200\nContent-Length: 12\nETag: \"v1\"\n\n")
    }

    @Test(arguments: ["-i", "--include"]) func includePrintsHeadersBeforeBody(_ option: String) async {
        let test = world(.request, created, name: "POST /f")
        #expect(await test.run("request", option, "POST", "http://host.example/f") == 0)
        #expect(
            test.printed
                == "HTTP 201\nLocation: /files/1ca353?(secret)\n\nhttp://host.example/1ca353\n")
        let plain = world(.request, created, name: "POST /f")
        #expect(await plain.run("request", "POST", "http://host.example/f") == 0)
        #expect(plain.printed == "http://host.example/1ca353\n")
    }

    @Test func jsonHasTheURLsWithoutSecrets() async {
        let test = world(.upload, created, resultURL: "http://host.example/files/1ca353?(secret)")
        #expect(await test.run("show", id(1).description, "--json") == 0)
        #expect(test.printed.contains(#""resultURL":"http://host.example/files/1ca353?(secret)""#))
        #expect(
            test.printed.contains(
                #""url":"http://host.example/files","location":"http://host.example/files/1ca353?(secret)""#))
        #expect(!test.printed.contains("s3cret"))
        let text = world(.upload, created, resultURL: "http://host.example/files/1ca353?(secret)")
        #expect(await text.run("show", id(1).description) == 0)
        #expect(text.printed.contains("Created URL   http://host.example/files/1ca353?(secret)\n"))
        #expect(!text.printed.contains("s3cret"))
    }
}
