import LonghaulCore
import TestSupport
import Testing

/// The responses that end an upload, and the repetition of a request without a response.
@Suite(.tags(.libcurl), .onEachTransport) struct AnswerTests {
    private let product: Product
    private let content = Content(seed: 21, length: 3_000_000)

    init() throws {
        product = try Product()
        try product.home.write(content, to: "work/a")
    }

    @Test(arguments: ["PUT", "POST"]) func aStatusCountsAlsoWhenItsBodyIsCut(method: String) async throws {
        let server = try NastyServer(routes: ["/in": Route(.status(201, body: "ma").framed(.contentLengthOff(by: 9)))])
        try await product.succeed("upload", "-X", method, "a", server.url("/in"))
        #expect(server.requests.map(\.bodyChecksum) == [content.checksum])
    }

    @Test func aPostThatAGatewayLostIsNotInvitedToBeSentTwice() async throws {
        let server = try NastyServer(routes: ["/in": Route(.status(504))])
        let result = try await product.longhaul("upload", "-X", "POST", "a", server.url("/in"))
        #expect(result.exitStatus == 10 && result.errorOutput.contains("may have passed on the request"), "\(result)")
        #expect(!result.errorOutput.contains("try again later") && server.requests.count == 1)
    }

    @Test func anEarlySuccessIsNotAFinishedUpload() async throws {
        let big = Content(seed: 22, length: 40_000_000)
        try product.home.write(big, to: "work/big")
        let early = Reply.status(200, body: "ok").intake(.answer(after: 1_000_000))
        let server = try NastyServer(routes: ["/in": .first(1, early, then: .status(201))])
        try await product.succeed("upload", "big", server.url("/in"))
        #expect(server.requests.last?.bodyChecksum == big.checksum && server.requests.count == 2)
    }

    /// The server has everything, hangs up instead of responding, and forgets the finished upload.
    @Test func aTusUploadThatIsGoneWithItsAnswerIsNotSentAgain() async throws {
        let uploads = TusService(path: "/files/")
        uploads.script("PATCH", .loseReply)
        uploads.script("HEAD", .gone(404))
        let server = try NastyServer(routes: ["/files/*": uploads.route])
        let result = try await product.longhaul("upload", "--tus", "a", server.url("/files/"))
        #expect(result.exitStatus == 10 && result.errorOutput.contains("may have arrived"), "\(result)")
        #expect(server.requests.filter { $0.method == "PATCH" }.count == 1)
    }
}
