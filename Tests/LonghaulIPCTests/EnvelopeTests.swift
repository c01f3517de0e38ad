import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import Testing

@Suite struct EnvelopeTests {
    static let session = SessionID("org.example.photos")!
    static let failure = TransferFailure(.storeFailed, "No.", origin: .sqlite(11))

    static let requests: [ClientMessage] = [
        .hello(version: 1, program: "test"), .session(session, .submit([.farAway(), .farAway("other")])),
        .session(session, .control(.cancel, .all)), .session(session, .list(ListQuery(ended: false))),
        .session(session, .limits), .watch(session, .group("films")), .watch(session, .ids([])),
        .watch(session, .ids([]), WatchDetail(omitsQueued: true)),
        .watch(session, .all, WatchDetail(isBrief: true, omitsEnded: true)),
        .watch(session, .ids([]), WatchDetail(isBrief: true)),
        .unwatch(request: 0), .unwatch(request: .max), .sessions, .status, .stop,
        .provideCredentials(session), .answerCredential(provider: 3, question: 9, .bearer("token")),
        .answerCredential(provider: .max, question: 0, nil), .endProviding(request: 0),
        .session(session, .provideCredential(CredentialName("photos")!, url: "https://h/", .bearer("t"))),
        .release(session, .whenHarmless), .release(session, .forced), .adopt(session),
        .attach(session), .session(session, .events(after: 0)), .session(session, .setWake(nil)),
        .conditions, .setOverride(ConditionsOverride()), .traffic, .setTraffic(TrafficLimits(rateLimit: 1)),
        .session(session, .rules), .session(session, .adjust(TransferAdjustment(rateLimit: 0), .all)),
        .session(session, .submitTask(.appRefresh("noon", repeats: .daily(hour: 12)))),
        .session(session, .tasks(after: nil)),
        .runTasks(session, TaskRunner(identifiers: ["noon"], claims: [TaskClaim(identifier: "noon", number: 3)])),
    ]

    static let answers: [ServiceMessage] = [
        .welcome(version: 1, program: ""), .session(.failed(failure)), .session(.submitted([.refused(failure)])),
        .update(WatchUpdate(changed: [.sample(1)], removed: [TransferID(high: 1, low: 2)])),
        .update(WatchUpdate(changed: [], removed: [])), .sessions([]),
        .sessions([SessionSummary(id: session, trouble: failure, totals: SessionTotals())]),
        .status(
            ServiceStatus(
                version: "1", processID: 2, startedAt: WallTime(seconds: 3), isSocketActivated: true, clients: 4,
                residentBytes: 5, stateDirectory: "/s",
                sessions: [SessionSummary(id: session, trouble: nil, totals: SessionTotals())],
                libcurl: "8.14.1", directPaths: DirectPaths(receives: true, sends: false),
                hasHTTP3: true, trouble: failure)),
        .credentialWanted(
            CredentialQuestion(
                number: 4,
                request: CredentialRequest(
                    name: CredentialName("photos")!, kind: .url, url: "https://h/a", isRenewal: true))),
        .done, .failed(failure), .news(newestEvent: 0), .news(newestEvent: .max), .session(.events(EventPage())),
        .conditions(ConditionsReport()), .traffic(UserTrafficReport()), .session(.rules(SessionRulesReport())),
        .taskRuns(TaskAssignments()), .session(.tasks(TaskPage())), .session(.taskDone),
    ]

    @Test(arguments: requests) func aRequestArrivesAsItWasSent(_ message: ClientMessage) throws {
        let envelope = ClientEnvelope(request: .max, message: message)
        #expect(try ClientEnvelope.decoded(wireBytes: envelope.wireBytes) == envelope)
    }

    @Test(arguments: answers) func anAnswerArrivesAsItWasSent(_ message: ServiceMessage) throws {
        let envelope = ServiceEnvelope(request: 0, message: message)
        #expect(try ServiceEnvelope.decoded(wireBytes: envelope.wireBytes) == envelope)
    }

    @Test(arguments: requests) func aRequestThatIsCutIsNeverTakenForAnotherOne(_ message: ClientMessage) {
        let bytes = ClientEnvelope(request: 300, message: message).wireBytes
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try ClientEnvelope.decoded(wireBytes: Array(bytes[..<count])) }
        }
    }

    @Test(arguments: requests) func corruptRequestNeverStopsTheReader(_ message: ClientMessage) {
        let bytes = ClientEnvelope(request: 300, message: message).wireBytes
        for position in bytes.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF, bytes[position] ^ 1, bytes[position] ^ 0x80] as [UInt8] {
                var changed = bytes
                changed[position] = value
                // Either an error, or an envelope with a request number.
                #expect((try? ClientEnvelope.decoded(wireBytes: changed))?.request != 0)
            }
        }
    }

    @Test func aRequestWithoutANumberIsRefused() {
        let bytes = ClientEnvelope(request: 0, message: .status).wireBytes
        #expect(throws: WireError.missingValue) { try ClientEnvelope.decoded(wireBytes: bytes) }
    }

    @Test func aSessionWhoseNameLeavesTheDirectoryIsRefused() {
        var writer = WireWriter()
        writer.message(ClientEnvelope(request: 1, message: .session(Self.session, .limits)), at: 1)
        let name = Array("org.example.photos".utf8)
        let bytes = ClientEnvelope(request: 1, message: .session(Self.session, .limits)).wireBytes
        let start = bytes.indices.first { bytes[$0...].starts(with: name) }!
        var changed = bytes
        changed.replaceSubrange(start..<(start + name.count), with: Array("../../../../../etc".utf8))
        #expect(throws: WireError.unknownValue) { try ClientEnvelope.decoded(wireBytes: changed) }
    }
}
