import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

@Suite struct DoctorTextTests {
    private func lines(
        _ state: TransferState, history: [HistoryEntry] = [], failure: TransferFailure? = nil
    ) -> [DoctorText.Line] {
        let detail = TransferDetail(
            snapshot: snapshot(1, state, done: 512, total: 2_048), headers: [], response: nil, lastFailure: failure,
            restarts: 0)
        return DoctorText(detail: detail, history: history, session: .commandLine, world: TestWorld().world()).lines
    }

    @Test(arguments: Waiting.Reason.allCases) func everyReasonToWaitIsExplained(_ reason: Waiting.Reason) {
        for until in [nil, start + .seconds(60)] {
            let lines = lines(
                .waiting(Waiting(reason, since: start + .seconds(-90), until: until, failure: .noHost)))
            #expect(lines[0].text == "big.iso: waiting since 2026-01-02 04:02:35 (90 s).")
            #expect(lines.contains { $0.topic == .cause } && lines.contains { $0.topic == .remedy })
            #expect(lines.contains { $0.topic == .next && $0.text.hasPrefix("Next: ") })
            #expect(lines.allSatisfy { $0.text.hasSuffix(".") && !$0.text.contains("..") }, "\(lines)")
        }
    }

    @Test func heldHostAdviceNamesTimeAndRemedy() {
        var transfer = snapshot(1, .waiting(Waiting(.turn, since: start, until: start + .seconds(3_600))))
        transfer.turnLimit = .heldHost
        let detail = TransferDetail(snapshot: transfer, headers: [], response: nil, lastFailure: nil, restarts: 0)
        let texts = DoctorText(detail: detail, history: [], session: .commandLine, world: TestWorld().world()).lines
            .map(\.text)
        #expect(
            texts[1]
                == "host.example responded to another transfer with Retry-After: no requests before 2026-01-02 05:04:05."
        )
        #expect(
            texts[2].hasPrefix(
                "Next: The transfer starts at that time, or as soon as host.example serves another transfer."))
        #expect(texts[3].hasPrefix("To try now, despite Retry-After, run longhaul retry 00000001."))
        #expect(!texts.contains { $0.contains("limits") })
    }

    @Test func serverTimeAndBackOffAreSeparate() {
        let waiting = Waiting(
            .serverBusy, since: start, until: start + .seconds(32), retryAfter: start + .seconds(5),
            failure: TransferFailure(.serverBusy, "The server host.example is busy (503)"))
        let during = lines(.waiting(waiting)).map(\.text)
        #expect(during[1].hasPrefix("host.example requested no requests before 2026-01-02 04:04:10: The server"))
        #expect(during[2].contains("Longhaul retries at 2026-01-02 04:04:37, in 32 s (attempt 2)."))
        #expect(during[2].contains("Other transfers with host.example do not wait for the time after that."))
        var later = waiting
        later.retryAfter = start
        let after = lines(.waiting(later)).map(\.text)
        #expect(after[1].hasPrefix("The time that host.example requested has passed"))
        #expect(!after.joined().contains("no requests before"))
        let phrases = [waiting, later].map { StateText.phrase(snapshot(1, .waiting($0)), in: .commandLine, now: start) }
        #expect(phrases[0].hasPrefix("waiting: host.example requested a pause of 5 s; retry in 32 s (attempt 2)"))
        #expect(phrases[1].hasPrefix("retry in 32 s (attempt"))
    }

    @Test func everyStateIsExplained() {
        let states: [TransferState] = [
            .running(.preparing), .running(.sending), .running(.receiving), .running(.verifying), .awaitingResponse,
            .paused, .succeeded, .failed(.noHost), .cancelled,
        ]
        for state in states {
            let topics = lines(state).map(\.topic)
            #expect(topics.starts(with: [.state, .cause, .next]) && topics.contains(.remedy), "\(state)")
        }
    }

    @Test(arguments: RetryEnd.allCases) func failedTransferExplainsMissingRetry(_ end: RetryEnd) {
        for direction in [TransferSnapshot.Direction.download, .upload, .request] {
            var detail = TransferDetail(
                snapshot: snapshot(1, .failed(.noHost), direction: direction), headers: [], response: nil,
                lastFailure: .noHost, restarts: 0)
            detail.notRetriedBecause = end
            let texts = DoctorText(detail: detail, history: [], session: .commandLine, world: TestWorld().world()).lines
                .map(\.text)
            #expect(texts.contains("Next: Longhaul does not retry it: \(RetryEndText.phrase(end))."))
            #expect(texts.contains { $0.contains("Check on the server") } == (end == .mightRepeat))
            #expect(!texts.contains { $0.contains("last synced byte") }, "nothing has been moved")
        }
    }

    @Test(arguments: ConnectionReason.allCases) func connectionsAreExplained(_ reason: ConnectionReason) {
        var detail = TransferDetail(
            snapshot: snapshot(1, .running(.receiving)), headers: [], response: nil, lastFailure: nil, restarts: 0)
        detail.connections = ConnectionReport(count: 4, reason: reason)
        let lines = DoctorText(detail: detail, history: [], session: .commandLine, world: TestWorld().world()).lines
        #expect(lines.contains { $0.topic == .cause && $0.text.hasPrefix("The download uses 4 connections: ") })
        var json = JSONWriter()
        json.object { $0.members(of: detail) }
        let text = String(decoding: json.bytes, as: UTF8.self)
        #expect(text.contains("\"connections\":{\"count\":4,\"reason\":\"\(reason)\"}"), "\(text)")
    }

    @Test func lastThreeFailuresAreListedNewestFirst() {
        let history = (1...5).map { number in
            HistoryEntry(
                number: Int64(number), at: start + .seconds(Int64(number)), event: "waiting",
                detail: "retry after connectionLost: break \(number)", bytesDone: 0)
        }
        let failures = lines(.paused, history: history).filter { $0.topic == .failure }
        #expect(failures.map { $0.text.suffix(8) } == ["break 5.", "break 4.", "break 3."])
        #expect(
            failures.first?.text == "2026-01-02 04:04:10: waiting, break 5." && failures.first?.code == "connectionLost"
        )
    }

    @Test func sentenceIsPrintedOnce() throws {
        let failure = TransferFailure(.digestMismatch, "big.iso does not match its digest. Download it again.")
        var detail = TransferDetail(
            snapshot: snapshot(1, .failed(failure)), headers: [], response: nil, lastFailure: failure, restarts: 0)
        let mirrors = ["http://a.example/big.iso", "http://b.example/big.iso"]
        detail.mirrors = mirrors.map { MirrorReport(url: $0, standing: .refused, failure: failure) }
        detail.mirrors[1].failure = .noHost
        let history = [("retry after digestMismatch", failure), ("hostNotFound", .noHost), ("digestMismatch", failure)]
            .enumerated().map { index, entry in
                HistoryEntry(
                    number: Int64(index), at: start, event: entry.0.hasPrefix("retry") ? "waiting" : "failed",
                    detail: entry.0 + ": " + entry.1.message, bytesDone: 0)
            }
        let texts = DoctorText(detail: detail, history: history, session: .commandLine, world: TestWorld().world())
            .lines.map(\.text)
        #expect(texts.count { $0.contains("does not match") } == 1, "\(texts)")
        #expect(texts.count { $0.contains("could not find the host") } == 1)
        #expect(texts.contains("http://a.example/big.iso: 0 B received, no longer used."))
    }

    @Test func doctorDescribesTransferAsTextAndJSON() async {
        let service = ScriptedService { state in
            let one = snapshot(
                1,
                .waiting(Waiting(.credentials, since: start, failure: TransferFailure(.credentialsRequired, "Log in.")))
            )
            state.transfers = [one]
            state.details[one.id] = TransferDetail(
                snapshot: one, headers: [HeaderField("Authorization", "(secret)", isSecret: true)], response: nil,
                lastFailure: nil, restarts: 0)
        }
        let world = TestWorld(service)
        #expect(await world.run("doctor", id(1).description) == 0)
        #expect(world.printed.contains("The server or a proxy requires other credentials: Log in."))
        #expect(!world.printed.contains("Authorization"))
        let json = TestWorld(service)
        #expect(await json.run("doctor", "--json", id(1).description) == 0)
        #expect(json.printedLines.allSatisfy { $0.hasPrefix("{\"id\":\"\(id(1))\",\"topic\":\"") })
        let unknown = TestWorld(service)
        #expect(await unknown.run("doctor", id(9).description) != 0)
    }

    @Test func notifyAllowsNotificationsOnceAndLeavesAnAppsOwnAlone() async {
        let service = ScriptedService()
        _ = await TestWorld(service).run("download", "--notify", "--detach", "http://a.test/x")
        let settings = service.state.withLock { $0.notifications.settings }
        #expect(settings?.coverage == .chosen && settings?.showsWhileAppIsOpen == true)
        #expect(service.state.withLock { $0.submitted.last?.options.notifications } == .always)
        let own = NotificationSettings(appName: "Photos")
        service.state.withLock { $0.notifications.settings = own }
        _ = await TestWorld(service).run("download", "--notify", "--detach", "http://a.test/y")
        #expect(service.state.withLock { $0.notifications.settings } == own)
        let quiet = ScriptedService()
        _ = await TestWorld(quiet).run("download", "--detach", "http://a.test/x")
        #expect(quiet.state.withLock { $0.notifications.settings } == nil)
    }
}
