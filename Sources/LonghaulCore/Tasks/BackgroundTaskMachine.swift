/// The life of one task. Pure: times, the time zone, and the session's settings are inputs.
///
/// ```
///            submit                 begin                     end
///   idle ──────────────► pending ──────────► running ───────────────────► idle
///                          │  ▲                 │        (a calendar rule: pending)
///   submit, if it is due   ▼  │                 │
///   or forced             owed ◄────────────────┘
///                                    lost, fewer than three times
/// ```
///
/// A request can be pending during a run, because handlers submit the next one, and beside an owed run. A run is owed until a handler
/// returns or the run overruns.
package struct BackgroundTaskMachine: Equatable, Sendable {
    /// How many runs begin for one occasion if the process is lost each time.
    package static let attemptLimit = 3

    package private(set) var record: BackgroundTaskRecord

    package init(_ record: BackgroundTaskRecord) {
        self.record = record
    }

    package enum Event: Equatable, Sendable {
        /// Replaces the pending request, and keeps the run that is due, forced, or owed. A run in progress continues.
        case submitted(BackgroundTaskRequest)
        /// Deletes the pending request and the owed run. A run in progress continues.
        case cancelled
        /// Runs as soon as possible, whatever its conditions are.
        case forced
        /// A process is about to receive the run.
        case began(BackgroundTaskSettings, bootID: String)
        /// The process reports the end of the run.
        case returned(TaskReturn)
        /// Its time and its grace period are over.
        case overran
        /// Its process has ended.
        case lost(bootID: String)
        /// The clock was set, or the time zone changed.
        case clockChanged
    }

    /// How the end of a run counts for or against the app.
    package enum Standing: Equatable, Sendable {
        case unchanged
        /// The handler returned in time.
        case good
        /// It overran or crashed.
        case strike
    }

    package mutating func handle(
        _ event: Event, at now: WallTime, in zone: TimeZoneRules
    ) -> Standing {
        switch event {
        case .submitted(let request): submit(request, at: now, in: zone)
        case .cancelled:
            record.pending = nil
            record.owed = nil
        case .forced:
            if let owed = record.owed {
                record.owed = .init(request: owed.request, since: now, attempts: 0, isForced: true)
            } else if let request = record.pending?.request {
                record.pending = .init(request: request, date: now, isForced: true)
            }
        case .began(let settings, let bootID): begin(settings, bootID, at: now, in: zone)
        case .returned(let report): return end(report, at: now)
        case .overran: return giveUp(at: now)
        case .lost(let bootID): return lose(bootID, at: now)
        case .clockChanged:
            // A due request stays due: the clock may have been set past its time.
            if let pending = record.pending, pending.request.repeats != nil, pending.date > now {
                let date = date(of: pending.request, at: now, in: zone)
                record.pending?.date = date
            }
        }
        return .unchanged
    }

    /// An app submits at each launch, before it runs the task for which it was launched. The latest request determines the owed
    /// run.
    private mutating func submit(_ request: BackgroundTaskRequest, at now: WallTime, in zone: TimeZoneRules) {
        if let pending = record.pending, pending.isForced || pending.date <= now {
            if !pending.isForced, let rule = pending.request.repeats {
                record.doneDay = rule.lastDay(by: now, in: zone)
            }
            if record.owed?.isForced != true {
                record.owed = .init(
                    request: request, since: pending.date, attempts: 0, isForced: pending.isForced)
            }
        }
        record.owed?.request = request
        record.pending = .init(request: request, date: date(of: request, at: now, in: zone))
    }

    private func date(of request: BackgroundTaskRequest, at now: WallTime, in zone: TimeZoneRules) -> WallTime {
        let earliest = request.earliestBeginDate ?? now
        return request.repeats?.next(after: record.doneDay, notBefore: earliest, now: now, in: zone) ?? earliest
    }

    /// One run serves the owed run and the due request: one run makes up for all missed dates.
    private mutating func begin(
        _ settings: BackgroundTaskSettings, _ bootID: String, at now: WallTime, in zone: TimeZoneRules
    ) {
        precondition(record.run == nil, "the task has a run already: \(record)")
        guard let request = record.nextRequest else { preconditionFailure("nothing is to run: \(record)") }
        record.runs += 1
        record.run = BackgroundTaskRun(
            number: record.runs, request: request, startedAt: now, budget: settings.budget(of: request.kind),
            grace: settings.grace, attempt: (record.owed?.attempts ?? 0) + 1, bootID: bootID)
        record.owed = nil
        guard let pending = record.pending, pending.date <= now else { return }
        record.pending = nil
        guard let rule = pending.request.repeats else { return }
        // A forced run does not count for the calendar.
        if !pending.isForced { record.doneDay = rule.lastDay(by: now, in: zone) }
        record.pending = .init(request: pending.request, date: date(of: pending.request, at: now, in: zone))
    }

    private mutating func end(_ report: TaskReturn, at now: WallTime) -> Standing {
        let number = report.claim.number
        if let run = record.run, run.number == number {
            if report.outcome == .overran { return giveUp(at: now) }
            close(run, report.outcome, report.message, at: now)
            return .good
        }
        // A repeated or late report: the process counted as lost, but its report is valid.
        guard record.run == nil, let last = record.last, last.number == number, last.outcome == .lost else {
            return .unchanged
        }
        record.last?.outcome = report.outcome
        record.last?.message = report.message
        // Since the loss, another occasion has come, or the user has forced a run.
        if let owed = record.owed, owed.attempts > 0 { record.owed = nil }
        return .good
    }

    private mutating func giveUp(at now: WallTime) -> Standing {
        guard let run = record.run else { return .unchanged }
        close(run, .overran, "The handler did not return within its time limit.", at: now)
        return .strike
    }

    private mutating func lose(_ bootID: String, at now: WallTime) -> Standing {
        guard let run = record.run else { return .unchanged }
        close(run, .lost, "The app exited while its handler ran.", at: now)
        if run.attempt < Self.attemptLimit {
            let isForced = record.owed?.isForced ?? false
            record.owed = .init(request: run.request, since: now, attempts: run.attempt, isForced: isForced)
        }
        return run.bootID == bootID ? .strike : .unchanged
    }

    private mutating func close(
        _ run: BackgroundTaskRun, _ outcome: BackgroundTaskResult.Outcome, _ message: String, at now: WallTime
    ) {
        record.last = BackgroundTaskResult(
            number: run.number, startedAt: run.startedAt, endedAt: now, outcome: outcome, message: message)
        record.run = nil
    }
}
