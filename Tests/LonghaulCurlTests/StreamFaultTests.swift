import LonghaulCore
import TestSupport
import Testing

/// What goes wrong with one stream of many on a connection (RFC 9113).
@Suite(.onEachTransport) struct StreamFaultTests {
    static let content = Content(seed: 131, length: 600_000)

    @Test(arguments: [Reply.StreamError.internalError, .cancel, .enhanceYourCalm])
    func aStreamThatIsResetIsALostConnection(code: Reply.StreamError) throws {
        let reply = Reply.file(Self.content).reset(after: 300_000).with { $0.resetCode = code }
        let world = try World(["/f": Route(reply)])
        let outcome = try world.exchange(world.download("/f"))
        #expect(outcome.failure?.code == .connectionLost)
        guard case .written(let length, false) = outcome.disposition else { throw Unexpected() }
        #expect(try world.contentOfPartial() == Self.content.bytes(0..<length))
    }

    /// Nothing of such a request was looked at, so libcurl may send it again by itself (section 8.7).
    @Test func aRefusedStreamIsTriedAgain() throws {
        let refusal = Reply().ending(.resetsUnanswered).with { $0.resetCode = .refusedStream }
        let world = try World(["/f": .first(1, refusal, then: .file(Self.content))])
        let outcome = try world.exchange(world.download("/f"))
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true))
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    @Test func moreThanTheServerAllowsAtOnceAllArrive() throws {
        var settings = HTTP2Settings()
        settings.maximumStreams = 4
        let world = try World(["/f*": Route(.file(Self.content))], settings: settings)
        try world.downloadAtOnce(64, Self.content)
    }

    @Test func aTinyWindowIsHeeded() throws {
        var settings = HTTP2Settings()
        settings.window = 1_000
        let world = try World(["/u": Route(.status(201))], settings: settings)
        let content = Content(seed: 132, length: 150_000)
        let outcome = try world.exchange(world.request("PUT", "/u", body: try world.fileBody(content)))
        #expect(outcome.head?.status == 201)
        #expect(world.server.requests[0].bodyChecksum == content.checksum)
    }
}
