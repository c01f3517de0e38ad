import LonghaulCore
import LonghaulStore

/// Connects the session's machine to the loop: its writes join the turn's transaction, and its other effects come after the commit.
extension SessionState {
    /// Feeds the machine. Returns the failure if the input is refused.
    @discardableResult
    func feed(_ input: SessionInput) throws(TransferFailure) -> TransferFailure? {
        try apply(session.handle(input, at: now, in: environment.zone))
    }

    /// Informs the machine of a transfer's change.
    func follow(_ before: TransferRecord?, _ after: TransferRecord?) throws(TransferFailure) {
        try apply(session.follow(before, after))
    }

    /// Called when all changes of a turn are known.
    func settleSession() throws(TransferFailure) {
        if session.events.isTouched {
            try feed(.transfersCounted(store.totals()))
            try feed(.eventsWritten(store.eventFacts()))
        }
        try apply(session.endTurn(at: now) { isMeant in turns.progress(of: isMeant, counters) })
    }

    @discardableResult
    func apply(_ effects: [SessionEffect]) throws(TransferFailure) -> TransferFailure? {
        var refusal: TransferFailure?
        for effect in effects {
            switch effect {
            case .write(let write):
                try beginWriting()
                try store.perform(write, at: now)
            case .refuse(let failure): refusal = failure
            case .control(let verb, let key): try Controls(state: self).control(verb, key)
            case .countNotified: try countNotified()
            case .lookUp(let name, let event):
                let record = try store.task(name)
                if let event { try feed(.task(name, record, event)) } else { try feed(.taskFound(record)) }
            case .feed(let id, let event): try feed(id, event)
            case .reviewTransfers: try ConditionReview(state: self).reviewAll()
            case .findLost(let witnesses): try feed(.lost(directory.unheld(witnesses)))
            case .submit(let specs): _ = try Submissions(state: self).submit(specs)
            case .notifyHelper(let verdict, let credential, let request):
                answer { [helper = credentials.helper] in helper?.report(verdict, credential, for: request) }
            case .query, .notifyRunner, .reportNewestEvent, .show, .wake, .forgetWitness: batch.effects.append(effect)
            }
        }
        return refusal
    }

    /// Feeds an event to the background tasks that it concerns.
    func feedTasks(
        _ event: BackgroundTaskMachine.Event, where isMeant: (BackgroundTaskRecord) -> Bool
    ) throws(TransferFailure) {
        var records: [BackgroundTaskRecord] = []
        try store.forEachTask { if isMeant($0) { records.append($0) } }
        for record in records { try feed(.task(record.identifier, record, event)) }
    }

    private func countNotified() throws(TransferFailure) {
        var query = ListQuery(selection: .all, ended: false, limit: 1_000)
        var hasMore = true
        while hasMore {
            let page = try store.page(query)
            for record in page.records { session.countNotified(try transfer(record.id)?.record ?? record) }
            query.afterSequence = page.records.last?.sequence ?? 0
            hasMore = page.hasMore
        }
    }
}

extension Store {
    /// Returns the session's machine, as earlier owners left it.
    func sessionMachine(
        _ host: SessionMachine.Host, _ surroundings: Surroundings, openedAt: WallTime
    ) throws(TransferFailure) -> SessionMachine {
        SessionMachine(
            host, openedAt: openedAt,
            ownership: OwnershipMachine(owner: try owner(), policy: try ownerLossPolicy(), loss: try ownerLoss()),
            events: EventMachine(keepsEvents: try keepsEvents(), try eventFacts()),
            waking: WakeMachine(registration: try wakeRegistration(), record: try wakeRecord()),
            notifications: NotificationMachine(
                NotificationTracker(settings: try notificationSettings(), slots: try notificationSlots())),
            tasks: try taskMachine(at: openedAt), conditions: ConditionMachine(try rules(), surroundings),
            lastWills: LastWillMachine(try lastWills()))
    }

    /// Returns the facts about the stored events.
    func eventFacts() throws(TransferFailure) -> EventMachine.Facts {
        EventMachine.Facts(
            newest: try newestEventNumber(), occasion: try newestWakingEvent(),
            saysAllFinished: try hasEvent(.allTransfersFinished))
    }

    /// Returns the background tasks, as earlier owners left them.
    fileprivate func taskMachine(at now: WallTime) throws(TransferFailure) -> TaskMachine {
        var tasks = TaskMachine(settings: try taskSettings(), throttle: try taskThrottle())
        try forEachTask { tasks.load($0, at: now) }
        return tasks
    }

    /// Performs a write of the session's machine, inside a transaction.
    fileprivate func perform(_ write: SessionWrite, at now: WallTime) throws(TransferFailure) {
        switch write {
        case .keepEvents: try keepEvents()
        case .addEvent(let kind, let id, let wakes): try addEvent(kind, transfer: id, wakes: wakes, at: now)
        case .addTap(let tap): try addEvent(.notificationTapped, transfer: nil, tap: tap, wakes: true, at: now)
        case .withdrawEvents(let kind, let id): try withdrawEvents(kind, of: id)
        case .withdrawAllEvents(let id): try withdrawEvents(of: id)
        case .acknowledgeEvents(let number): try acknowledgeEvents(through: number)
        case .wakeRegistration(let registration): try setWakeRegistration(registration)
        case .wakeRecord(let record): try setWakeRecord(record)
        case .task(let record): try setTask(record)
        case .noTask(let name): try deleteTask(name)
        case .taskSettings(let settings): try setTaskSettings(settings)
        case .taskThrottle(let throttle): try setTaskThrottle(throttle)
        case .rules(let rules): try setRules(rules)
        case .notificationSettings(let settings): try setNotificationSettings(settings)
        case .notificationSlot(let key, let slot): try setNotificationSlot(key, slot)
        case .lastWills(let wills): try setLastWills(wills)
        case .owner(let owner): try setOwner(owner)
        case .ownerLossPolicy(let policy): try setOwnerLossPolicy(policy)
        case .ownerLoss(let report): try setOwnerLoss(report)
        }
    }
}
