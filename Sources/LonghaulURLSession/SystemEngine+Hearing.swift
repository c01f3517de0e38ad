import Foundation
import LonghaulCore
import LonghaulSystem
import Synchronization

/// Translates the system's callbacks to events of the loop. An end is on the disk before the loop gets it, and stays
/// there until the loop has committed its result.
extension SystemEngine {
    func processSending(_ task: URLSessionTask, isWhole: Bool) {
        report(task) { running in
            running.witness.hasMoved = true
            guard isWhole, !running.witness.wasOut else { return [] }
            running.witness.wasOut = true
            return [.bodySent]
        }
    }

    func processReceiving(_ task: URLSessionTask) {
        guard let head = ResponseHead(task) else { return }
        report(task) { running in
            running.witness.hasMoved = true
            // Only a file that starts with its first byte is certain to be wanted as it arrives.
            guard !running.isReceiving, running.note.resume == nil, head.status == 200, running.note.partialPath != nil,
                case .usable(let head) = DeliveredBody(head, isProvenByDigest: running.note.isProvenByDigest)
            else { return [] }
            running.isReceiving = true
            return [.receiving(head)]
        }
    }

    /// Decides whether a response's body may arrive.
    func receiveResponse(
        of task: URLSessionTask, _ answer: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let arriving = arriving(of: task), let head = ResponseHead(task) else { return answer(.allow) }
        let (events, decision) = arriving.receive(head, answer: answer)
        report(task) { _ in events }
        if let decision { answer(decision) }
    }

    func redirect(_ task: URLSessionTask, after response: HTTPURLResponse, proposal: URLRequest) -> URLRequest? {
        guard let current = task.currentRequest else { return nil }
        var next: URLRequest?
        report(task) { running in
            next = running.redirects?.follow(ResponseHead(response), after: current, proposal: proposal)
            return []
        }
        return next
    }

    private func arriving(of task: URLSessionTask) -> ArrivingFile? {
        guard let id = task.taskDescription.flatMap(ExchangeID.init) else { return nil }
        return state.withLock { state in
            state.exchanges[id].flatMap { $0.isMoved(by: task) ? $0.arriving : nil }
        }
    }

    func receive(_ data: Data, of task: URLSessionTask) {
        if let arriving = arriving(of: task) {
            let (events, isOver) = arriving.receive(data)
            report(task) { _ in events }
            if isOver { task.cancel() }
            return
        }
        report(task) { running in
            let room = max(0, running.note.responseLimit - running.body.count)
            running.isBodyTruncated = running.isBodyTruncated || data.count > room
            running.body += data.prefix(room)
            return []
        }
    }

    /// Moves the downloaded file at once, for any later owner: the system deletes it when this function returns.
    func receive(_ location: URL, of task: URLSessionTask) {
        guard let id = task.taskDescription.flatMap(ExchangeID.init), let head = ResponseHead(task) else { return }
        let known = state.withLock { $0.exchanges[id] }
        guard known?.isMoved(by: task) ?? true else { return }
        var note = known?.note ?? notes.read(of: id)
        note?.head = head
        guard let note, (try? Files.rename(location.path, to: notes.arrival(id))) != nil else { return }
        state.withLock { $0.exchanges[id]?.note = note }
        // If this fails, the file is requested again after the process dies.
        try? notes.write(note, of: id)
    }

    func processEnd(of task: URLSessionTask, _ error: NSError?) {
        guard let id = task.taskDescription.flatMap(ExchangeID.init) else { return }
        let known = state.withLock { state -> Running? in
            if state.exchanges[id] == nil, let note = notes.read(of: id) {
                state.exchanges[id] = Running(lane: .back, note: note, task: task)
            }
            return state.exchanges[id]
        }
        guard let known, known.events == nil, known.isMoved(by: task) else { return }
        if error == nil, known.note.head != nil { return conclude(id, known.note, mayRestart: false) }
        let taskEnd = TaskEnd(task, known, error, at: clock())
        let outcome = taskEnd.outcome
        if let error, taskEnd.leavesResumeData { keepResumeData(of: task, known.note, error) }
        end(id, outcome)
        state.withLock { $0.answer }?()
    }

    func hearAllIsTold(of identifier: String?) {
        let (calls, answer) = state.withLock { state in
            let calls = state.afterEvents.filter { $0.session == identifier }
            state.afterEvents.removeAll { $0.session == identifier }
            if calls.isEmpty, let identifier { state.allTold.insert(identifier) }
            return (calls, state.answer)
        }
        answer?()
        for call in calls { call.tell() }
    }

    /// Keeps the resume data for the next attempt to request the whole file or to send the same file. tus resumes without it. Offsets in a
    /// decoded body are not those of the server.
    private func keepResumeData(of task: URLSessionTask, _ note: ExchangeNote, _ error: NSError) {
        guard let data = ErrorReading.resumeData(error), note.resume == nil, let request = task.originalRequest,
            let url = request.url, request.value(forHTTPHeaderField: "Tus-Resumable") == nil,
            let id = task.taskDescription.flatMap(ExchangeID.init), !Files.isThere(notes.upload(id)),
            ResponseHead(task)?.removedCoding == nil
        else { return }
        notes.keep(token: data, url: url.absoluteString, of: id.transfer)
    }

    /// Returns whether the complete request, which must not be repeated, may have reached a server, although the loop was not notified.
    func stopLeavesDoubt(_ running: Running) -> Bool {
        if let outcome = running.note.outcome { return running.note.isOnceOnly && outcome.mayHaveArrived }
        return running.task.map { TaskEnd($0, running, nil, at: clock()).mayHaveArrived } ?? false
    }

    /// Processes a downloaded file.
    func conclude(_ id: ExchangeID, _ note: ExchangeNote, mayRestart: Bool) {
        switch ArrivedFile.evaluate(notes.arrival(id), note, mayRestart: mayRestart) {
        case .ended(let outcome): end(id, outcome)
        case .waits(let head): conclude(id, note, [.head(head)])
        }
        state.withLock { $0.answer }?()
    }

    /// Records the end, then reports it.
    func end(_ id: ExchangeID, _ outcome: ExchangeOutcome) {
        guard let running = state.withLock({ $0.exchanges[id] }) else { return }
        var note = running.note
        note.outcome = outcome
        let lost = running.lost(outcome, keepsToken: notes.hasToken(of: id.transfer))
        if lost > 0 { state.withLock { $0.movedInVain[id.transfer] = lost } }
        // Without the note, the response would be lost if the process died before the loop's commit.
        try? notes.write(note, of: id)
        let events = Self.events(of: outcome)
        conclude(id, note, running.arriving == nil ? events : events.filter { !$0.isAnnouncement })
    }

    static func events(of outcome: ExchangeOutcome) -> [EngineEvent] {
        guard case .written(let length, _) = outcome.disposition, let head = outcome.head else {
            return [.exchangeEnded(outcome)]
        }
        return [.receiving(head), .checkpoint(length), .exchangeEnded(outcome)]
    }

    private func conclude(_ id: ExchangeID, _ note: ExchangeNote, _ events: [EngineEvent]) {
        let running = state.withLock { state in
            state.exchanges[id]?.note = note
            state.exchanges[id]?.events = events
            state.exchanges[id]?.task = nil
            return state.exchanges[id]
        }
        // The file arrived while the exchange was being cancelled: no decision about it will come.
        if running?.isCancelled ?? false, !(events.last?.isEnding ?? true) {
            return end(id, ExchangeOutcome(ending: .cancelled))
        }
        if let ticket = running?.ticket { report(ticket, events) }
    }

    private func report(_ task: URLSessionTask, _ change: (inout Running) -> [EngineEvent]) {
        guard let id = task.taskDescription.flatMap(ExchangeID.init) else { return }
        let told = state.withLock { state -> (Ticket, [EngineEvent])? in
            if state.exchanges[id] == nil, let note = notes.read(of: id) {
                state.exchanges[id] = Running(lane: .back, note: note, task: task)
            }
            guard var running = state.exchanges[id], running.events == nil, running.isMoved(by: task) else {
                return nil
            }
            let events = change(&running)
            state.exchanges[id] = running
            return running.ticket.map { ($0, events) }
        }
        if let (ticket, events) = told { report(ticket, events) }
    }
}

extension ResponseHead {
    /// `nil` before there is a response.
    init?(_ task: URLSessionTask) {
        guard let response = task.response as? HTTPURLResponse else { return nil }
        self.init(response)
    }

    init(_ response: HTTPURLResponse) {
        let headers = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { HeaderField($0, "\(value)") }
        }
        self.init(
            status: response.statusCode, headers: headers.sorted { $0.name < $1.name },
            effectiveURL: response.url?.absoluteString ?? "")
    }
}

extension SystemEngine.Running {
    /// Returns the number of bytes that must be transferred again after the exchange was stopped in this process.
    fileprivate func lost(_ outcome: ExchangeOutcome, keepsToken: Bool) -> Int64 {
        guard lane == .front, outcome.ending == .cancelled, !goesOn, !keepsToken else { return 0 }
        guard case .written(let length, _) = outcome.disposition, let head = outcome.head else {
            return outcome.bytesSent + outcome.bytesReceived
        }
        let version = ValidatorReading.validators(from: head)
        switch ResumeLadder.plan(partialLength: length, validators: version, hasTrustedDigest: false) {
        case .fromStart: return outcome.bytesReceived
        case .alreadyComplete: return 0
        case .resume(let point): return point.overlap
        }
    }
}

extension EngineEvent {
    /// Whether it announces the version of a body.
    fileprivate var isAnnouncement: Bool { if case .receiving = self { true } else { false } }
}
