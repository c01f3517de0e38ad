import LonghaulCore
import Testing

@Suite struct NotificationPolicyTests {
    private static let now = WallTime(seconds: 1_000)

    private struct Row {
        var tally: (inout NotificationTally) -> Void
        var said: NotificationHeadline?
    }

    private func tally(_ change: (inout NotificationTally) -> Void) -> NotificationTally {
        var tally = NotificationTally()
        change(&tally)
        return tally
    }

    @Test func mostUrgentHeadlineIsChosen() {
        let rows: [Row] = [
            Row(tally: { _ in }, said: nil),
            Row(tally: { $0.resting = 3 }, said: nil),
            Row(tally: { $0.underWay = 3 }, said: .init(kind: .progress, count: 3)),
            Row(
                tally: {
                    $0.underWay = 3
                    $0.hushesProgress = true
                }, said: nil),
            Row(
                tally: {
                    $0.underWay = 3
                    $0.hushesProgress = true
                    $0.departed = true
                }, said: .init(kind: .handedOver, count: 3)),
            Row(
                tally: {
                    $0.underWay = 1
                    $0.finished = 4
                }, said: .init(kind: .progress, count: 1)),
            Row(tally: { $0.finished = 4 }, said: .init(kind: .finished, count: 4)),
            Row(
                tally: {
                    $0.finished = 4
                    $0.failed = 1
                }, said: .init(kind: .failed, count: 1)),
            Row(
                tally: {
                    $0.failed = 1
                    $0.needing = 2
                }, said: .init(kind: .needsYou, count: 2)),
            Row(
                tally: {
                    $0.needing = 2
                    $0.hushedNeeds = 2
                }, said: nil),
            Row(
                tally: {
                    $0.needing = 3
                    $0.hushedNeeds = 2
                }, said: .init(kind: .needsYou, count: 3)),
            Row(
                tally: {
                    $0.interrupted = 2
                    $0.underWay = 2
                }, said: .init(kind: .interrupted, count: 2)),
            Row(
                tally: {
                    $0.interrupted = 2
                    $0.finished = 2
                }, said: .init(kind: .finished, count: 2)),
            Row(
                tally: {
                    $0.pausedHere = true
                    $0.paused = 2
                }, said: .init(kind: .paused, count: 2)),
            Row(tally: { $0.paused = 2 }, said: nil),
        ]
        for row in rows {
            let tally = tally(row.tally)
            let said = NotificationPolicy.headline(tally, Set(NotificationKind.allCases))
            #expect(said == row.said, "\(tally)")
        }
    }

    @Test func disabledKindsAreNotShown() {
        let everything = tally {
            $0.underWay = 1
            $0.needing = 1
            $0.failed = 1
            $0.finished = 1
            $0.interrupted = 1
            $0.departed = true
        }
        #expect(NotificationPolicy.headline(everything, []) == nil)
        for kind in NotificationKind.allCases where ![.paused, .finished].contains(kind) {
            #expect(NotificationPolicy.headline(everything, [kind])?.kind == kind)
        }
    }

    @Test func announcedFinishStaysWhenOthersStart() {
        let tally = tally {
            $0.underWay = 1
            $0.finished = 2
            $0.announced = 2
        }
        #expect(NotificationPolicy.headline(tally, [.finished]) == .init(kind: .finished, count: 2))
    }

    @Test func everyReasonToWaitIsSorted() {
        let start = WallTime(seconds: 0)
        let refused = TransferFailure(.credentialsRequired, "Log in.")
        for reason in Waiting.Reason.allCases {
            for waiting in [Waiting(reason, since: start), Waiting(reason, since: start, failure: refused)] {
                let isBoth = NotificationPolicy.needsPerson(waiting) && NotificationPolicy.isAboutToRun(waiting)
                #expect(!isBoth, "\(waiting)")
            }
        }
        #expect(NotificationPolicy.needsPerson(Waiting(.credentials, since: start, failure: refused)))
        #expect(NotificationPolicy.needsPerson(Waiting(.metered, since: start)))
        #expect(!NotificationPolicy.needsPerson(Waiting(.credentials, since: start)), "credentials are being requested")
    }

    private let done = NotificationHeadline(kind: .finished, count: 1)
    private let moving = NotificationHeadline(kind: .progress, count: 1)

    private func content(_ title: String) -> NotificationContent {
        NotificationContent(
            PlainNotification("a", title: title), NotificationSettings(appName: "Photos"))
    }

    private func slot(posted: NotificationHeadline?, isShown: Bool) -> NotificationSlot {
        var slot = NotificationSlot()
        slot.posted = posted
        slot.shown = isShown ? ShownNotification(number: 1, server: "s", at: Self.now) : nil
        return slot
    }

    private func step(
        _ slot: NotificationSlot, _ headline: NotificationHeadline?, _ title: String = "a",
        _ change: (inout NotificationPolicy.Flight) -> Void = { _ in }
    ) -> NotificationPolicy.Step {
        var flight = NotificationPolicy.Flight()
        change(&flight)
        return NotificationPolicy.step(slot, headline, headline.map { _ in content(title) }, flight, now: Self.now)
    }

    @Test func headlineIsPostedOnceThenClosed() {
        #expect(step(slot(posted: nil, isShown: false), nil) == .nothing)
        #expect(step(slot(posted: nil, isShown: false), done) == .post)
        #expect(step(slot(posted: done, isShown: true), done) == .nothing)
        #expect(step(slot(posted: done, isShown: false), done) == .nothing, "its server is gone, or it was seen")
        #expect(step(slot(posted: moving, isShown: true), done) == .post)
        #expect(step(slot(posted: done, isShown: true), nil) == .close)
        #expect(step(slot(posted: done, isShown: true), nil) { $0.isUnderWay = true } == .nothing)
    }

    @Test func progressMovesOnceASecondAndOnlyWhenItIsShown() {
        let later = Self.now + NotificationPolicy.pace
        let shown = slot(posted: moving, isShown: true)
        #expect(step(shown, moving) { $0.content = content("a") } == .wait(later))
        #expect(
            step(shown, moving, "b") {
                $0.content = content("a")
                $0.at = Self.now + .milliseconds(-300)
            } == .wait(Self.now + .milliseconds(700)))
        #expect(
            step(shown, moving, "b") {
                $0.content = content("a")
                $0.at = Self.now + .seconds(-1)
            } == .post)
        #expect(step(slot(posted: moving, isShown: false), moving, "b") { $0.content = content("a") } == .nothing)
        // A clock that was set back must not silence it.
        #expect(step(shown, moving, "b") { $0.at = Self.now + .seconds(3_600) } == .post)
    }

    @Test func withoutAServerOnlyAnotherHeadlineIsHandedOver() {
        let slot = slot(posted: nil, isShown: false)
        #expect(
            step(slot, moving, "b") {
                $0.isHeld = true
                $0.headline = moving
            } == .nothing)
        #expect(
            step(slot, done) {
                $0.isHeld = true
                $0.headline = moving
            } == .post)
        #expect(
            step(slot, nil) {
                $0.isHeld = true
                $0.headline = moving
            } == .close)
    }
}
