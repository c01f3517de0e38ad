import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

struct AttachedRunTests {
    private let url = "http://host.example/big.iso"

    private func service(_ watches: ScriptedService.Watch...) -> ScriptedService {
        ScriptedService { $0.watches = watches }
    }

    @Test func aFinishedDownloadPrintsItsPath() async {
        let test = TestWorld(
            service(ScriptedService.Watch(updates: [update(snapshot()), update(snapshot(1, .succeeded))])))
        #expect(await test.run("download", url, "-d", "/tmp") == 0)
        #expect(test.printed == "/there/big.iso\n")
        #expect(test.service.state.withLock { $0.watched } == [.ids([id(1)])])
    }

    @Test func aFailureIsOneLineAndItsStatus() async {
        let test = TestWorld(service(ScriptedService.Watch(updates: [update(snapshot(1, .failed(.noHost)))])))
        #expect(await test.run("download", "-q", url, "-d", "/tmp") == 4)
        #expect(test.said == "longhaul: big.iso: could not find the host nohost.example.\n")
    }

    @Test func firstFailureExplainsRetryOnce() async {
        let busy = TransferFailure(
            .serverFailed, "The server failed (500)", advice: "try again later", origin: .status(500))
        let waits = [1, 2].map { attempts in
            let waiting = Waiting(.retry, since: start, until: start + .seconds(4), failure: busy)
            var transfer = snapshot(1, .waiting(waiting), attempts: attempts)
            transfer.attemptsLeft = 3
            return update(transfer)
        }
        let test = TestWorld(service(ScriptedService.Watch(updates: waits + [update(snapshot(1, .failed(busy)))])))
        #expect(await test.run("download", url, "-d", "/tmp", "--session", "org.example.photos") == 7)
        let wait = "00000001 big.iso: retry in 4 s (attempt 2 of 4): The server failed (500)"
        let notice =
            "longhaul: Retrying big.iso automatically, up to 3 more times (--retry). Ctrl-C leaves it to the service. "
            + "To end it, run longhaul cancel --session org.example.photos 00000001."
        #expect(test.saidLines.prefix(2) == [wait, notice])
        #expect(test.saidLines.count { $0 == notice } == 1)
    }

    @Test func waitForTheNetworkIsExplainedOnce() async {
        let failure = TransferFailure(.nameLookupFailed, "The name server did not answer for host.example")
        let waiting = Waiting(.network, since: start, until: start + .seconds(3), failure: failure)
        let watch = ScriptedService.Watch(updates: [
            update(snapshot(1, .waiting(waiting), attempts: 1)), update(snapshot(1, .waiting(waiting), attempts: 2)),
            update(snapshot(1, .succeeded)),
        ])
        let test = TestWorld(service(watch))
        #expect(await test.run("download", url, "-d", "/tmp") == 0)
        let notice =
            "longhaul: big.iso waits for the network and then continues, without using a retry. "
            + "Ctrl-C leaves it to the service. To end it, run longhaul cancel 00000001."
        #expect(test.saidLines.count { $0 == notice } == 1, "\(test.saidLines)")
    }

    @Test func aFailureOfBeforeUnderTheSameKeyIsNoneOfNow() async {
        let before = service(ScriptedService.Watch(updates: [update(snapshot(1, .failed(.noHost)))]))
        before.state.withLock { $0.answer = { _, _ in .existing(id(1)) } }
        let test = TestWorld(before)
        #expect(await test.run("download", url, "-d", "/tmp", "--key", "k") == 4)
        #expect(test.said.contains("00000001 failed earlier. longhaul retry 00000001 tries it again."))
    }

    @Test func quietModePrintsPathsOfSuccesses() async {
        let success = WatchUpdate(
            changed: [], removed: [], succeeded: [WatchUpdate.Success(id: id(1), path: "/there/big.iso")])
        let test = TestWorld(service(ScriptedService.Watch(updates: [success, success])))
        #expect(await test.run("download", "-q", url, "-d", "/tmp") == 0)
        #expect(test.printed == "/there/big.iso\n" && test.said.isEmpty)
        #expect(test.service.state.withLock { $0.watchDetails } == [WatchDetail(isBrief: true)])
    }

    @Test func quietModePrintsFailuresAndWaitsForRest() async {
        let success = WatchUpdate(changed: [], removed: [], succeeded: [WatchUpdate.Success(id: id(1))])
        let test = TestWorld(
            service(ScriptedService.Watch(updates: [success, update(snapshot(2, .failed(.noHost)))])))
        #expect(await test.run("download", "-q", url, url, "-d", "/tmp") == 4)
        #expect(test.printed.isEmpty && test.saidLines.count == 1)
    }

    @Test(arguments: [(Signal.interrupt, 130), (.terminate, 143), (.hangUp, 129)] as [(Signal, Int32)])
    func aSignalLeavesTheTransferRunning(signal: Signal, status: Int32) async {
        let test = TestWorld()
        test.service.state.withLock {
            $0.watches = [ScriptedService.Watch(updates: [update(snapshot())]) { test.send(signal) }]
        }
        #expect(await test.run("download", url, "-d", "/tmp") == status)
        #expect(
            test.saidLines.suffix(3) == [
                "Still running in the background.", "  Watch: longhaul watch 00000001",
                "  Pause: longhaul pause 00000001",
            ])
        #expect(test.service.state.withLock { $0.controls }.isEmpty)
    }

    @Test func pausedTransfersAreReportedOnInterrupt() async {
        let test = TestWorld()
        test.service.state.withLock {
            $0.watches = [ScriptedService.Watch(updates: [update(snapshot(1, .paused))]) { test.send(.interrupt) }]
        }
        #expect(await test.run("download", url, "-d", "/tmp") == 130)
        #expect(test.saidLines.suffix(2) == ["The transfers are paused.", "  Resume: longhaul resume 00000001"])
    }

    @Test func removedTransferIsNoLongerAwaited() async {
        let all = WatchUpdate(
            changed: [snapshot(1), snapshot(2)], removed: [], beginsList: true, completesList: true)
        let part = WatchUpdate(changed: [snapshot(2)], removed: [], beginsList: true)
        let rest = WatchUpdate(changed: [], removed: [], completesList: true)
        let test = TestWorld(
            service(ScriptedService.Watch(updates: [all, part, rest, update(snapshot(2, .succeeded))])))
        test.service.state.withLock { $0.transfers = [snapshot(1), snapshot(2)] }
        #expect(await test.run("watch") == 1)
        #expect(test.said.contains("00000001 is no longer in the queue."))
    }

    @Test func aLostServiceIsFoundAgain() async {
        let test = TestWorld(
            service(
                ScriptedService.Watch(updates: [update(snapshot())], ending: .serviceGone),
                ScriptedService.Watch(updates: [update(snapshot(1, .succeeded))])))
        // The first two connections are the submission's and the first watch's.
        let world = test.world(failingConnections: 2..<4)
        #expect(await Program(world: world).run(["download", url, "-d", "/tmp"]) == 0)
        let notices = test.saidLines.filter { $0.contains("connecting again") }
        #expect(notices.map { $0.suffix(8) } == ["(1 of 5)", "(2 of 5)", "(3 of 5)"])
    }

    @Test func aServiceThatStaysAwayEndsTheWatch() async {
        let test = TestWorld()
        #expect(await test.run("download", url, "-d", "/tmp") == 12)
        #expect(test.saidLines.count { $0.contains("connecting again") } == 5)
        #expect(test.saidLines.dropLast(2).last == "Still running in the background.")
    }

    @Test func aTransferThatWaitsForCredentialsDoesNotHangAScript() async {
        let failure = TransferFailure(.credentialsRequired, "the server wants a password")
        let waiting = Waiting(.credentials, since: start, failure: failure)
        let test = TestWorld(service(ScriptedService.Watch(updates: [update(snapshot(1, .waiting(waiting)))])))
        #expect(await test.run("download", url, "-d", "/tmp") == 8)
        #expect(test.said.contains("longhaul: big.iso: the server wants a password."))
    }

    @Test func transferAwaitingHelperIsStillAwaited() async {
        let asking = snapshot(1, .waiting(Waiting(.credentials, since: start)))
        let watch = ScriptedService.Watch(updates: [update(asking), update(snapshot(1, .succeeded))])
        let test = TestWorld(service(watch))
        #expect(await test.run("download", url, "-d", "/tmp") == 0)
    }

    @Test func detachingPrintsTheIdentifiersAndLeaves() async {
        let test = TestWorld()
        #expect(await test.run("download", "--detach", url, url, "-d", "/tmp") == 0)
        #expect(test.printedLines == [id(1).description, id(2).description])
        #expect(test.said.contains("Submitted to the background service.\n  Watch: longhaul watch 00000001 00000002\n"))
        #expect(test.service.state.withLock { $0.watched }.isEmpty)
    }

    @Test func detachedBatchIsCountedOnTerminal() async {
        let urls = (1...20).map { "http://host.example/\($0)" }
        for (isTerminal, group) in [(true, ["--group", "films"]), (false, [])] {
            let test = TestWorld()
            var world = test.world()
            world.console.isOutputTerminal = isTerminal
            #expect(await Program(world: world).run(["download", "-b"] + group + urls + ["-d", "/tmp"]) == 0)
            #expect(
                test.printedLines
                    == (isTerminal ? ["20 transfers submitted."] : (1...20).map { id(UInt64($0)).description }))
            let option = isTerminal ? " --group films" : ""
            #expect(
                test.saidLines.suffix(2) == [
                    "  Watch: longhaul watch\(option)", "  Pause: longhaul pause\(isTerminal ? option : " ID")",
                ])
        }
    }

    @Test func pauseConfirmsLossOfUnresumableBytes() async {
        var moving = snapshot(1, done: 9 << 20)
        moving.losesBytesWhenStopped = true
        let service = ScriptedService { [moving] in $0.transfers = [moving] }
        let test = TestWorld(service)
        test.confirmation.withLock { $0 = false }
        #expect(await Program(world: test.world(canRedraw: true)).run(["pause", "--all"]) == 0)
        #expect(test.said.contains("big.iso cannot be resumed: a pause loses 9.0 MiB. Pause anyway?"))
        #expect(service.state.withLock { $0.controls }.isEmpty)
        #expect(await Program(world: test.world(canRedraw: true)).run(["pause", "--all", "--yes"]) == 0)
        #expect(await TestWorld(service).run("pause", "--all") == 0, "no prompt without a terminal")
        #expect(service.state.withLock { $0.controls } == [.all, .all])
    }

    @Test func differentFailuresAreOne() async {
        let notFound = TransferFailure(.notFound, "The file does not exist", origin: .status(404))
        let test = TestWorld(
            service(
                ScriptedService.Watch(updates: [update(snapshot(1, .failed(.noHost)), snapshot(2, .failed(notFound)))]))
        )
        #expect(await test.run("download", url, url, "-d", "/tmp") == 1)
        #expect(test.saidLines.contains("0 succeeded, 2 failed"))
        #expect(test.saidLines.last == "  Retry them: longhaul retry --state failed")
    }

    @Test func aRefusalDoesNotStopTheOthers() async {
        let test = TestWorld(service(ScriptedService.Watch(updates: [update(snapshot(2, .succeeded))])))
        test.service.state.withLock {
            $0.answer = { index, _ in index == 0 ? .refused(.noHost) : .accepted(id(2)) }
        }
        #expect(await test.run("download", url, url, "-d", "/tmp") == 4)
        #expect(test.saidLines.last == "1 succeeded, 1 refused")
    }

    @Test func onATerminalTheAreaIsClearedAtTheEnd() async {
        let test = TestWorld(
            service(
                ScriptedService.Watch(updates: [update(snapshot(done: 1, total: 2)), update(snapshot(1, .succeeded))])))
        let world = test.world(canRedraw: true)
        #expect(await Program(world: world).run(["download", url, "-d", "/tmp"]) == 0)
        #expect(test.said.hasSuffix("downloaded big.iso (0 B): /there/big.iso\u{1B}[K\n\u{1B}[J"))
    }
}
