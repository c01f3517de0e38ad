import Testing

@testable import LonghaulCore

/// tus responses with unusable headers, and servers that store almost nothing of a request.
@Suite struct TusHeaderTests {
    private let location = HeaderField("Location", "/files/abc")

    private func creating() -> MachineFixture {
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.engine(.ended(.tus(204)))
        return world
    }

    private func patching() -> MachineFixture {
        var world = creating()
        world.engine(.ended(.tus(201, [location])))
        return world
    }

    /// Passes the wait until the next attempt queries the offset.
    private func askingAgain(_ world: inout MachineFixture) -> ExchangePlan? {
        world.now = world.now + .seconds(3_600)
        world.feed(.due)
        world.feed(.turnGranted)
        return world.engine(.sourcesInspected([.success(MachineFixture.pin)])).exchange
    }

    private func failure(_ world: MachineFixture) -> TransferFailure? {
        switch world.state {
        case .failed(let failure): failure
        case .waiting(let waiting): waiting.failure
        default: nil
        }
    }

    private func isHarmless(_ message: String) -> Bool {
        message.count < 250 && !message.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    @Test(arguments: [
        ([], "sent no Upload-Offset header (200)"),
        (["-7"], "sent an Upload-Offset that is not a number of bytes (200: -7)"),
        ([""], "sent no Upload-Offset header (200)"),
        (
            ["1000000000000000000000000000000"],
            "sent an Upload-Offset that is too large (200: 1000000000000000000000000000000)"
        ),
        (["\u{1B}]0;x\u{9B}7"], "sent an Upload-Offset that is not a number of bytes (200: ?]0;x?7)"),
        ([String(repeating: "9", count: 300)], "999…)"),
        (["1", "2"], "sent different Upload-Offset headers (200)"),
    ]) func unusableOffsetIsNamed(values: [String], words: String) {
        var world = patching()
        world.engine(.broke(.connectionLost, bytesSent: 600))
        #expect(askingAgain(&world)?.method == "HEAD")
        world.engine(.ended(.tus(200, values.map { HeaderField("Upload-Offset", $0) })))
        let failure = failure(world)
        #expect(failure?.code == .protocolViolation && world.state.isEnded)
        #expect(failure?.message.contains(words) == true, "\(String(describing: failure))")
        #expect(isHarmless(failure?.message ?? ""))
    }

    @Test func differentLengthsAreNamed() {
        var world = patching()
        world.engine(.broke(.connectionLost, bytesSent: 600))
        _ = askingAgain(&world)
        let lengths = ["1000", "7"].map { HeaderField("Upload-Length", $0) }
        world.engine(.ended(.tus(200, offset: 5, lengths)))
        #expect(failure(world)?.message.contains("sent different Upload-Length headers (200)") == true)
    }

    @Test(arguments: [
        ([], "sent no Location header for the upload"),
        (["ftp://example.org/files/abc?key=secret"], "with the unsupported scheme ftp (201)"),
        (["gopher:abc"], "with the unsupported scheme gopher (201)"),
        (["/files/\u{1B}[31mabc"], "with a control character for the upload (201)"),
        (["http://example.org:99999/abc"], "that is not a valid URL (201)"),
        (["/a", "/b"], "sent different Location headers for the upload (201)"),
        (["http://" + String(repeating: "h", count: 500) + "/"], "on another host (hhh"),
        ([String(repeating: "s", count: 500) + "://h/"], "scheme sss"),
    ]) func unusableLocationIsNamed(values: [String], words: String) {
        var world = creating()
        world.engine(.ended(.tus(201, values.map { HeaderField("Location", $0) })))
        let failure = failure(world)
        #expect(world.state.isEnded && failure?.message.contains(words) == true, "\(String(describing: failure))")
        #expect(isHarmless(failure?.message ?? "") && failure?.message.contains("secret") == false)
    }

    /// The query finds out how much the server stored, so an unusable header alone is no failure.
    @Test func patchWithUnusableOffsetContinuesFromTheStoredBytes() {
        var world = patching()
        let invalid = HeaderField("Upload-Offset", "-7")
        #expect(world.engine(.ended(.tus(204, [invalid]), bytesSent: 1_000)).exchange?.method == "HEAD")
        let patch = world.engine(.ended(.tus(200, offset: 400))).exchange
        #expect(patch?.headers.single("Upload-Offset") == "400")
    }

    @Test(arguments: [0, 1] as [Int64]) func patchWithUnusableOffsetAndTooLittleStoredIsRetriedLater(step: Int64) {
        var world = patching()
        var requests = 0
        while !world.state.isEnded, requests < 100 {
            let offset = Int64(requests) * step
            let response = ResponseHead.tus(204, [HeaderField("Upload-Offset", "-7")])
            #expect(world.engine(.ended(response, bytesSent: 1_000 - offset)).exchange?.method == "HEAD")
            #expect(world.engine(.ended(.tus(200, offset: offset + step))).exchange == nil, "a pause comes first")
            #expect(
                failure(world)?.message.contains("an Upload-Offset that is not a number of bytes (204: -7)") == true)
            requests += 1
            if world.state.isEnded { break }
            #expect(askingAgain(&world)?.method == "HEAD")
            #expect(world.engine(.ended(.tus(200, offset: offset + step))).exchange?.method == "PATCH")
        }
        #expect(failure(world)?.code == .serverFailed)
        #expect(requests == world.machine.record.spec.options.retryLimit + 1)
    }

    @Test func serverThatStoresOneByteOfEachPatchIsGivenUp() {
        var world = patching()
        var stored: Int64 = 0
        while !world.state.isEnded, stored < 100 {
            stored += 1
            let sent = 1_000 - stored + 1
            #expect(world.engine(.ended(.tus(204, offset: stored), bytesSent: sent)).exchange == nil)
            let words = "The server example.org stored only 1 of \(sent) sent bytes (204)"
            #expect(failure(world)?.summary == words)
            if world.state.isEnded { break }
            #expect(askingAgain(&world)?.method == "HEAD")
            #expect(world.engine(.ended(.tus(200, offset: stored))).exchange?.method == "PATCH")
        }
        #expect(failure(world)?.code == .serverFailed)
        #expect(stored == Int64(world.machine.record.spec.options.retryLimit) + 1)
    }

    @Test func serverThatStoresOneByteBeforeEachBreakIsGivenUp() {
        var world = patching()
        var stored: Int64 = 0
        while !world.state.isEnded, stored < 100 {
            stored += 1
            world.engine(.broke(.connectionLost, bytesSent: 1_000 - stored + 1))
            if world.state.isEnded { break }
            #expect(askingAgain(&world)?.method == "HEAD")
            #expect(world.engine(.ended(.tus(200, offset: stored))).exchange?.method == "PATCH")
        }
        #expect(failure(world)?.code == .connectionLost)
        #expect(stored == Int64(world.machine.record.spec.options.retryLimit) + 1)
    }

    @Test func serverThatStoresPartsIsSentTheRestAtOnce() {
        var world = patching()
        for offset in stride(from: Int64(100), to: 1_000, by: 100) {
            let patch = world.engine(.ended(.tus(204, offset: offset), bytesSent: 1_100 - offset)).exchange
            #expect(patch?.headers.single("Upload-Offset") == "\(offset)")
        }
        world.engine(.ended(.tus(204, offset: 1_000), bytesSent: 100))
        #expect(world.state == .succeeded)
    }

    @Test func interruptionsWithProgressCountNoFailures() {
        var world = patching()
        for offset in stride(from: Int64(100), to: 1_000, by: 100) {
            world.engine(.broke(.connectionLost, bytesSent: 1_100 - offset))
            #expect(askingAgain(&world)?.method == "HEAD")
            #expect(world.engine(.ended(.tus(200, offset: offset))).exchange?.method == "PATCH")
            #expect(world.facts.failuresInARow == 0)
        }
    }

    /// A response that confirms a part excludes that the lost upload was complete.
    @Test func lostUploadIsNotUnknownAfterAPartWasConfirmed() {
        var world = patching()
        world.engine(.ended(.tus(204, offset: 1), bytesSent: 1_000))
        #expect(askingAgain(&world)?.method == "HEAD")
        #expect(world.engine(.ended(.tus(404))).exchange?.method == "POST")
    }

    @Test(
        arguments: [
            (0, 0, false), (0, 1_000, false), (1, 10, true), (1, 1_000, false), (63, 1_000, true),
            // 4 MiB may have been in transit when the connection broke.
            (16 << 10, 4 << 20, true), (8 << 10, 4 << 20, false),
            (1 << 20, 20 << 20, true), (1 << 20, 100 << 20, false), (8 << 20, 100 << 20, true),
        ] as [(Int64, Int64, Bool)]) func progressIsComparedWithSentBytes(stored: Int64, sent: Int64, isEnough: Bool)
    {
        #expect(UploadProgressRule.isEnough(stored: stored, ofSent: sent) == isEnough)
    }
}
