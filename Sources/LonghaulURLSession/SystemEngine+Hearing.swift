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
            guard !running.isReceiving, running.note.resume == nil, head.status == 200, running.note.partialPath != nil
            else { return [] }
            running.isReceiving = true
            return [.receiving(head)]
        }
    }

    func receive(_ data: Data, of task: URLSessionTask) {
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
        end(id, outcome(of: task, known, error))
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

    private func outcome(of task: URLSessionTask, _ known: Running, _ error: NSError?) -> ExchangeOutcome {
        var outcome = ExchangeOutcome(
            ending: .responded, head: ResponseHead(task), body: known.body, isBodyTruncated: known.isBodyTruncated,
            requestLeft: error.map { !ErrorReading.neverLeft($0) } ?? true, bytesSent: task.countOfBytesSent,
            bytesReceived: task.countOfBytesReceived)
        if known.note.isOnceOnly {
            outcome.mayHaveArrived = mayHaveArrived(task, known, error)
            outcome.requestLeft = known.witness.sight != .nothingLeft && (outcome.mayHaveArrived || outcome.requestLeft)
        }
        if let method = task.currentRequest?.httpMethod, method != known.note.method, outcome.head != nil {
            // The system follows redirects without reporting them.
            outcome.ending = .broke(
                TransferFailure(
                    .redirectRefused, "The server redirects the request as a \(method), which would lose its body."))
            return outcome
        }
        guard let error else {
            if outcome.head == nil {
                outcome.ending = .broke(TransferFailure(.connectionLost, "The server sent no response."))
            }
            if known.note.partialPath != nil { outcome.ending = .broke(Self.lostFile) }
            return outcome
        }
        let isRefused =
            known.note.usesResumeData && ErrorReading.mayRefuseResumeData(error, hasMoved: known.witness.hasMoved)
        // The same resume data would be refused again.
        if !isRefused { keepResumeData(of: task, known.note, error) }
        if outcome.head?.isSuccess ?? false, known.note.partialPath == nil,
            outcome.bytesSent >= known.note.bodyLength ?? 0,
            error.code != URLError.Code.cancelled.rawValue
        {
            // The server has the request, whatever the system failed to read afterwards.
            return outcome
        }
        let isOurs = known.isCancelled && ErrorReading.reason(error) == nil
        outcome.ending = isOurs ? .cancelled : .broke(ErrorReading.failure(error, isOfResumeData: isRefused))
        return outcome
    }

    /// Keeps the resume data for the next attempt to request the whole file or to send the same file. tus resumes without it.
    private func keepResumeData(of task: URLSessionTask, _ note: ExchangeNote, _ error: NSError) {
        guard let data = ErrorReading.resumeData(error), note.resume == nil, let request = task.originalRequest,
            let url = request.url, request.value(forHTTPHeaderField: "Tus-Resumable") == nil,
            let id = task.taskDescription.flatMap(ExchangeID.init), !Files.isThere(notes.upload(id))
        else { return }
        notes.keep(token: data, url: url.absoluteString, of: id.transfer)
    }

    /// Returns whether the complete request, which must not be repeated, may have reached a server if its task ends with that error and
    /// without a response.
    func mayHaveArrived(_ task: URLSessionTask, _ known: Running, _ error: NSError?) -> Bool {
        guard known.note.isOnceOnly else { return false }
        let now = clock().timeInterval
        return known.witness.mayHaveArrived(
            sent: task.countOfBytesSent, of: known.note.bodyLength ?? 0,
            neverConnected: error.map(ErrorReading.neverLeft) ?? false,
            isAhead: task.earliestBeginDate.map { $0.timeIntervalSince1970 > now } ?? false)
    }

    /// Returns the same for an exchange that may have ended without an event to the loop.
    func stopLeavesDoubt(_ running: Running) -> Bool {
        if let outcome = running.note.outcome { return running.note.isOnceOnly && outcome.mayHaveArrived }
        return running.task.map { mayHaveArrived($0, running, nil) } ?? false
    }

    private static let lostFile = TransferFailure(
        .fileFailed, "Could not move the downloaded file into place. Free some space, then retry.")

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
        conclude(id, note, Self.events(of: outcome))
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
        return outcome.bytesSent + outcome.bytesReceived
    }
}
