import LonghaulCore
import LonghaulFiles

/// An HTTP exchange with its redirects, from its start to its single ending event: it carries out the decisions of an ``ExchangeMachine``
/// with libcurl. Owned by the network thread.
final class Exchange {
    let ticket: Ticket
    var plan: ExchangePlan
    let progress: ProgressCell
    unowned let thread: NetworkThread

    var machine: ExchangeMachine
    var identity: ExchangeIdentity
    var body: RequestBody?
    var report = BodyReport.nothing
    var repetition = Repetition()
    /// The current request and its response.
    var wire = ExchangeWire()
    var receiver = BodyReceiver.nobody
    var checkpoints = Checkpoints()
    var limits: ExchangeLimits
    /// The path past libcurl, once it became possible.
    var direct: DirectPath?
    /// The exchanges that download ranges of the same file together with this one.
    var segmentPool: SegmentPool?

    init(
        ticket: Ticket, plan: ExchangePlan, url: TransferURL, cookies: CookieJar?, progress: ProgressCell,
        thread: NetworkThread
    ) {
        self.ticket = ticket
        self.plan = plan
        self.progress = progress
        self.thread = thread
        machine = ExchangeMachine(plan, url: url)
        identity = ExchangeIdentity(plan, cookies: cookies)
        body = plan.body.map(RequestBody.init)
        limits = ExchangeLimits(plan, at: thread.now)
    }

    var url: TransferURL { machine.url }

    /// Starts the exchange, or reports at once that the whole request is held back.
    func begin() {
        if case .partial(let partial) = plan.sink { thread.files.forgetHeld(path: partial.path) }
        if machine.begin() { transfer() } else { thread.emit(ticket, .lastBytesHeld) }
    }

    func release(_ decision: ReleaseDecision) {
        switch decision {
        case .sendRest: sendRest()
        case .writeFromStart: writeFromStart()
        case .writeBeside(let path):
            plan.sink.write(to: path)
            thread.files.forgetHeld(path: path)
            writeFromStart()
        case .openSegments: segmentPool?.open()
        }
    }

    func cancel() {
        if let segmentPool, segmentPool.machine.isOpen, !isHelper { return segmentPool.cancel() }
        cancelAlone()
    }

    func cancelAlone() { end(machine.cancel()) }

    func end(_ ending: ExchangeMachine.Ending) {
        switch ending {
        case .report(let outcome): thread.end(self, outcome)
        case .breakOff(let stop): conclude(stop: stop)
        case .nothing: break
        }
    }

    func fail(_ failure: TransferFailure) {
        thread.end(self, ExchangeOutcome(ending: .broke(failure), requestLeft: false))
    }

    private func sendRest() {
        switch machine.release() {
        case .sendRequest: transfer()
        case .resume: proceed()
        case .nothing: break
        }
    }

    private func writeFromStart() {
        guard case .partial(let plan) = plan.sink, let held = machine.heldBody, let head = machine.head else { return }
        let file = PartialFile(
            path: plan.path, start: 0, bodyLength: held.bodyLength, digests: plan.digests, pieceSize: thread.pieceSize)
        do throws(TransferFailure) {
            // Even if the body is small: the existing file belongs to the old version and is emptied now.
            try file.open()
            ResponseIntake(exchange: self).choosePath(of: file)
        } catch {
            return end(machine.failHeld(error))
        }
        thread.emit(ticket, .receiving(head))
        SegmentPool.opened(self, file, head)
        receiver = .writing(file)
        checkpoints = Checkpoints()
        if let outcome = machine.writeHeld() { finishWriting(file, outcome) } else { proceed() }
    }
}
