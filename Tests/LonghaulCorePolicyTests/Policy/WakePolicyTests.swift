import LonghaulCore
import Testing

@Suite struct WakePolicyTests {
    private static let backoff = WakeBackoff(first: .seconds(30), longest: .seconds(300))
    private static let now = WallTime(seconds: 100_000)

    /// A registered app that is away, with a pending event since `occasion` seconds before now.
    private static func situation(
        occasion: Int64? = 0, unanswered: Int = 0, lastWake: Int64? = nil, left: Int64 = 50_000,
        _ change: (inout WakePolicy.Situation) -> Void = { _ in }
    ) -> WakePolicy.Situation {
        var record = WakeRecord()
        record.unanswered = unanswered
        record.lastWakeAt = lastWake.map { now + .seconds(-$0) }
        var situation = WakePolicy.Situation(
            registration: WakeRegistration(.systemdUnit("a.service"), backoff: backoff), record: record,
            occasion: occasion.map { now + .seconds(-$0) }, isAttached: false, leftAt: now + .seconds(-left),
            isWaking: false)
        change(&situation)
        return situation
    }

    private static func after(_ seconds: Int64) -> WakePolicy.Verdict { .at(now + .seconds(seconds)) }

    static let table: [(String, WakePolicy.Situation, WakePolicy.Verdict)] = [
        ("something has just happened", situation(), .now),
        ("no registration", situation { $0.registration = nil }, .never(.notRegistered)),
        (
            "launch events are off", situation { $0.registration?.sessionSendsLaunchEvents = false },
            .never(.launchEventsOff)
        ),
        ("nothing to tell", situation(occasion: nil), .never(.nothingToTell)),
        ("the app is attached", situation { $0.isAttached = true }, .never(.attached)),
        ("it is being started", situation { $0.isWaking = true }, .never(.waking)),
        ("started a moment ago", situation(unanswered: 1, lastWake: 0), after(30)),
        ("started 29 s ago", situation(unanswered: 1, lastWake: 29), after(1)),
        ("started 30 s ago", situation(unanswered: 1, lastWake: 30), .now),
        ("two launches unanswered", situation(unanswered: 2, lastWake: 0), after(60)),
        ("three launches unanswered", situation(unanswered: 3, lastWake: 0), after(120)),
        ("five launches unanswered", situation(unanswered: 5, lastWake: 0), after(300)),
        ("a million launches unanswered", situation(unanswered: 1_000_000, lastWake: 0), after(300)),
        ("the last launch was answered", situation(unanswered: 0, lastWake: 0), .now),
        ("it saw the event and left", situation(occasion: 5, left: 2), after(28)),
        ("it left before the event", situation(occasion: 2, left: 5), .now),
        ("it left at the very moment", situation(occasion: 5, left: 5), after(25)),
        (
            "two launches unanswered since the event", situation(occasion: 90, unanswered: 2, lastWake: 50, left: 1),
            after(29)
        ),
        ("the clock was set back after a start", situation(unanswered: 4, lastWake: -5_000), .now),
        ("the clock was set back after the event", situation(occasion: -5_000), .now),
        (
            "clock set back after the event, then one launch unanswered",
            situation(occasion: -5_000, unanswered: 1, lastWake: 10),
            after(20)
        ),
        ("the clock was set back after it left", situation(occasion: 5, left: -5_000), .now),
    ]

    @Test(arguments: table) func eachSituationHasItsVerdict(
        _ name: String, _ situation: WakePolicy.Situation, _ verdict: WakePolicy.Verdict
    ) {
        #expect(WakePolicy.decide(situation, now: Self.now) == verdict, "\(name)")
    }

    @Test func startsInVainDoubleTheWaitUpToItsLongest() {
        var record = WakeRecord()
        var now = Self.now
        var waits: [Int64] = []
        for _ in 1...7 {
            record = WakePolicy.recordWake(record, Self.backoff, at: now)
            let wait = WakePolicy.delay(unanswered: record.unanswered, Self.backoff)
            waits.append(wait.seconds)
            now = now + wait
        }
        #expect(waits == [30, 60, 120, 240, 300, 300, 300])
        #expect(record.total == 7)
    }

    @Test func anAcknowledgementHalvesAndQuietTimeTakesOff() {
        var record = WakeRecord()
        for _ in 1...4 { record = WakePolicy.recordWake(record, Self.backoff, at: Self.now) }
        record = WakePolicy.recordAcknowledgement(record)
        #expect(record.unanswered == 2)
        // Allowed again after 60 s; from then on, every 300 s without a start remove one step, before the new start adds one.
        let soon = WakePolicy.recordWake(record, Self.backoff, at: Self.now + .seconds(359))
        #expect(soon.unanswered == 3)
        let later = WakePolicy.recordWake(record, Self.backoff, at: Self.now + .seconds(360))
        #expect(later.unanswered == 2)
        let muchLater = WakePolicy.recordWake(record, Self.backoff, at: Self.now + .seconds(86_400))
        #expect(muchLater.unanswered == 1)
    }

    @Test func aFirstStartThatIsAnsweredLeavesNothing() {
        let record = WakePolicy.recordWake(WakeRecord(), Self.backoff, at: Self.now)
        #expect(WakePolicy.recordAcknowledgement(record).unanswered == 0)
    }
}
