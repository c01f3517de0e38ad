import LonghaulCore
import LonghaulStore

/// Where the session's machine meets the world: it is fed, what it writes joins the turn's transaction, and what it wants
/// done comes after the commit.
extension SessionLoop {
    /// Feeds the machine. Answers why not, if the input is refused.
    @discardableResult
    func feed(_ input: SessionInput) throws(TransferFailure) -> TransferFailure? {
        try apply(session.handle(input, at: now, in: environment.zone))
    }

    /// The machine follows what became of a transfer.
    func follow(_ before: TransferRecord?, _ after: TransferRecord?) throws(TransferFailure) {
        if session.followsTransfers || after?.spec.options.predecessor != nil {
            try apply(session.follow(before, after))
        }
    }

    /// Once all changes of a turn are known.
    func settleSession() throws(TransferFailure) {
        if session.events.isTouched {
            try feed(.transfersCounted(store.totals()))
            try feed(.eventsWritten(store.eventFacts()))
        }
        try apply(session.settle(at: now) { isMeant in turns.progress(of: isMeant, counters) })
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
            case .control(let verb, let key): try control(verb, key)
            case .countNotified: try countNotified()
            case .lookUp(let name, let event):
                let record = try store.task(name)
                if let event { try feed(.task(name, record, event)) } else { try feed(.taskFound(record)) }
            case .feed(let id, let event): try feed(id, event)
            case .reviewTransfers: try reviewAll()
            case .lookForLost(let witnesses): try feed(.lost(directory.unheld(witnesses)))
            case .submit(let specs): _ = try submit(specs)
            case .tellHelper(let verdict, let credential, let request):
                answer { [helper = credentials.helper] in helper?.note(verdict, credential, for: request) }
            case .ask, .tellRunner, .tellNewestEvent, .show, .wake, .forgetWitness: batch.effects.append(effect)
            }
        }
        return refusal
    }

    /// After the commit; `false` when the loop died of it.
    func perform(_ effect: SessionEffect) -> Bool {
        switch effect {
        case .ask(let question):
            guard survives(.beforeAction) else { return false }
            ask(question)
        case .tellRunner(let token, let assignments): audience.tell(token, assignments)
        case .tellNewestEvent(let number): audience.tellNewestEvent(number)
        case .show(let order):
            guard survives(.beforeAction) else { return false }
            startNotification?(order)
        case .wake(let order):
            guard survives(.beforeAction) else { return false }
            startWake?(order)
        case .forgetWitness(let name): directory.forgetWitness(name)
        case .write, .refuse, .control, .countNotified, .lookUp, .feed, .reviewTransfers, .tellHelper, .lookForLost,
            .submit:
            preconditionFailure("\(effect) is done inside the turn")
        }
        return true
    }

    /// An app takes the session over, and shows its transfers itself.
    func takeNotificationsAway() {
        for order in session.notifications.ordersOfFarewell { startNotification?(order) }
    }

    /// Does to the transfers that share a notification what a person has said there.
    private func control(_ verb: ControlVerb, _ key: NotificationKey) throws(TransferFailure) {
        if verb == .retry {
            // For this once the rules do not hold back what the person has just asked for.
            let heldBack = try transfers(of: key, ended: false).filter(\.isHeldBack).map(\.id)
            if !heldBack.isEmpty { _ = try adjust(TransferAdjustment(ignoresConditions: true), .ids(heldBack)) }
        }
        let ids = try transfers(of: key, ended: verb == .retry ? nil : false).filter { $0.isMeant(by: verb) }.map(\.id)
        batch.runs.append(ControlRun(verb: verb, ids: ids[...], areNamed: false, reply: { _ in }))
    }

    private func transfers(of key: NotificationKey, ended: Bool?) throws(TransferFailure) -> [TransferRecord] {
        let selection: TransferSelection = if case .group(let name) = key { .group(name) } else { .all }
        var records: [TransferRecord] = []
        for id in try store.ids(selection, ended: ended) {
            guard let record = try transfer(id)?.record else { continue }
            if session.notifications.board.key(of: record) == key { records.append(record) }
        }
        return records
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
    /// The session's machine, as earlier owners left it.
    func sessionMachine(
        _ host: SessionMachine.Host, _ surroundings: Surroundings, openedAt: WallTime
    ) throws(TransferFailure) -> SessionMachine {
        SessionMachine(
            host, openedAt: openedAt, events: EventMachine(keepsEvents: try keepsEvents(), try eventFacts()),
            waking: WakeMachine(registration: try wakeRegistration(), record: try wakeRecord()),
            notifications: NotificationMachine(
                NotificationBoard(settings: try notificationSettings(), slots: try notificationSlots())),
            tasks: try taskMachine(at: openedAt), conditions: ConditionMachine(try rules(), surroundings),
            lastWills: LastWillMachine(try lastWills()))
    }

    /// How the events stand.
    func eventFacts() throws(TransferFailure) -> EventMachine.Facts {
        EventMachine.Facts(
            newest: try newestEventNumber(), occasion: try newestWakingEvent(),
            saysAllFinished: try hasEvent(.allTransfersFinished))
    }

    /// The background tasks, as earlier owners left them.
    fileprivate func taskMachine(at now: WallTime) throws(TransferFailure) -> TaskMachine {
        var tasks = TaskMachine(settings: try taskSettings(), throttle: try taskThrottle())
        try forEachTask { tasks.load($0, at: now) }
        return tasks
    }

    /// What a session's machine has decided on, inside a transaction.
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
        }
    }
}
