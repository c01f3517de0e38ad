import LonghaulCore
import LonghaulFiles

/// One HTTP exchange, redirects included, from its start to its one ending event: what an ``ExchangeMachine`` decides is done here, by
/// libcurl. Owned by the network thread.
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
    /// The present request and its answer.
    var wire = ExchangeWire()
    var receiver = BodyReceiver.nobody
    var checkpoints = Checkpoints()
    var limits: ExchangeLimits
    /// The way past libcurl, once it may have been taken.
    var direct: DirectPath?
    /// Those who fetch ranges of one file together, of whom this is one.
    var crew: SegmentCrew?

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

    /// Begins, or reports at once that the whole request is held back.
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
        case .openSegments: crew?.open()
        }
    }

    func cancel() {
        if let crew, crew.machine.isOpen, !isHelper { return crew.cancel() }
        cancelAlone()
    }

    func cancelAlone() { end(machine.cancel()) }

    func end(_ ending: ExchangeMachine.Ending) {
        switch ending {
        case .tell(let outcome): thread.end(self, outcome)
        case .breakOff(let stop): conclude(stop: stop)
        case .nothing: break
        }
    }

    func fail(_ failure: TransferFailure) {
        thread.end(self, ExchangeOutcome(ending: .broke(failure), requestLeft: false))
    }

    private func sendRest() {
        switch machine.release() {
        case .ask: transfer()
        case .goOn: goOn()
        case .nothing: break
        }
    }

    private func writeFromStart() {
        guard case .partial(let plan) = plan.sink, let held = machine.heldBody, let head = machine.head else { return }
        let file = PartialFile(
            path: plan.path, start: 0, bodyLength: held.bodyLength, digests: plan.digests, pieceSize: thread.pieceSize)
        do throws(TransferFailure) {
            // Also when the body is small: what is there belongs to the old version and goes now.
            try file.open()
            ResponseIntake(exchange: self).choosePath(of: file)
        } catch {
            return end(machine.failHeld(error))
        }
        thread.emit(ticket, .receiving(head))
        SegmentCrew.note(self, file, head)
        receiver = .writing(file)
        checkpoints = Checkpoints()
        if let outcome = machine.writeHeld() { settle(file, outcome) } else { goOn() }
    }
}
