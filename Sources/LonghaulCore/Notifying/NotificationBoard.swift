/// The notifications of a session as they should be: follows every change of a transfer, and is kept in the store with
/// it. Pure; the loop writes what `touched` names.
package struct NotificationBoard: Equatable, Sendable {
    package private(set) var settings: NotificationSettings?
    package private(set) var slots: [NotificationKey: NotificationSlot] = [:]
    /// What has changed since it was last written.
    package private(set) var touched: Set<NotificationKey> = []
    /// Whether the app shows its transfers itself.
    package var isAppHere = false

    package init() {}

    /// As it is in the store.
    package init(settings: NotificationSettings?, slots: [NotificationKey: NotificationSlot]) {
        self.settings = settings
        self.slots = slots
        touched = Set(slots.keys)
    }

    /// Whether transfers are to be kept from a person's sight.
    package var isHidden: Bool { isAppHere && settings?.showsWhileAppIsOpen != true }

    /// The transfer's place; `nil` when it is not told of.
    package func key(of record: TransferRecord) -> NotificationKey? {
        guard let settings else { return nil }
        switch record.spec.options.notifications {
        case .never: return nil
        case .bySession where settings.coverage == .chosen: return nil
        case .bySession, .always: break
        }
        guard settings.grouping == .group, let group = record.spec.options.group else { return .session }
        return .group(group)
    }

    /// Follows a change; `nil` for a transfer that was not there, or is not there any more.
    package mutating func note(_ before: TransferRecord?, _ after: TransferRecord?) {
        guard settings != nil, let record = after ?? before, let key = key(of: record) else { return }
        if let after, let former = before.flatMap(self.key), former != key {
            // It counts with another group from now on.
            change(former) { [isHidden] slot in slot.tally.follow(before, nil, isSeen: isHidden) }
            return change(key) { [isHidden] slot in slot.tally.follow(nil, after, isSeen: isHidden) }
        }
        guard before?.state != after?.state else { return }
        change(key) { [isHidden] slot in slot.tally.follow(before, after, isSeen: isHidden) }
    }

    /// Takes other settings. Answers whether transfers share notifications in another way now: then every transfer that
    /// has not ended has to be counted with `count`.
    package mutating func set(_ settings: NotificationSettings?) -> Bool {
        let former = self.settings
        self.settings = settings
        touched.formUnion(slots.keys)
        guard let settings else {
            for key in slots.keys {
                change(key) { slot in
                    slot.tally = NotificationTally()
                    slot.text = nil
                }
            }
            return false
        }
        if let former, former.grouping == settings.grouping, former.coverage == settings.coverage { return false }
        changeTallies { $0 = NotificationTally() }
        return true
    }

    package mutating func count(_ record: TransferRecord) {
        guard let key = key(of: record) else { return }
        change(key) { $0.tally.follow(nil, record, isSeen: true) }
    }

    /// The app is there again, and shows everything itself.
    package mutating func appArrived() {
        guard !isAppHere else { return }
        isAppHere = true
        guard isHidden else { return }
        changeTallies { $0.see() }
    }

    /// The app has left; what is under way goes on without it.
    package mutating func appLeft() {
        isAppHere = false
        changeTallies { $0.departed = $0.underWay > 0 }
    }

    /// The app that ran the transfers was ended by force. Called before anything is done about it.
    package mutating func appWasLost() {
        isAppHere = false
        changeTallies { $0.interrupted = $0.underWay }
    }

    /// Keeps the app's own words, in place of those of the same identifier.
    package mutating func post(_ text: PlainNotification) {
        change(.text(text.identifier)) { slot in
            slot.text = text
            slot.posted = nil
        }
    }

    package mutating func withdraw(_ identifier: String) {
        guard slots[.text(identifier)] != nil else { return }
        change(.text(identifier)) { $0.text = nil }
    }

    /// It is on the screen.
    package mutating func notePosted(
        _ key: NotificationKey, _ headline: NotificationHeadline, _ shown: ShownNotification?
    ) {
        // What was taken back meanwhile has a place again, until it is taken off the screen.
        change(key) { slot in
            slot.shown = shown
            slot.posted = headline
            if headline.kind == .finished { slot.tally.announced = headline.count }
            if shown == nil, headline.kind == nil { slot.text = nil }
        }
    }

    /// It is about to be taken away. Whatever is said from now on is new, also if the process dies before it knows more.
    package mutating func noteClosing(_ key: NotificationKey) {
        change(key) { $0.posted = nil }
    }

    /// Nothing is to be said, and nothing is on the screen: the same words would be new again.
    package mutating func noteClosed(_ key: NotificationKey) {
        guard let slot = slots[key], slot.shown != nil || slot.posted != nil else { return }
        change(key) { slot in
            slot.shown = nil
            slot.posted = nil
        }
    }

    /// Its server is gone, and it with it. It is not shown again for that.
    package mutating func noteGone(_ key: NotificationKey) {
        guard slots[key]?.shown != nil else { return }
        change(key) { slot in
            slot.shown = nil
            if slot.posted?.kind == nil, slot.posted != nil { slot.text = nil }
        }
    }

    /// A person has seen it: it was closed, had its time, or was clicked.
    package mutating func noteSeen(_ key: NotificationKey) {
        guard let slot = slots[key], slot.shown != nil else { return }
        let kind = slot.posted?.kind
        change(key) { slot in
            slot.shown = nil
            slot.posted = nil
            if kind == nil { slot.text = nil }
            if kind == .progress { slot.tally.hushesProgress = true }
            if kind == .needsYou { slot.tally.hushedNeeds = slot.tally.needing }
            if kind == .paused { slot.tally.pausedHere = false }
            slot.tally.see()
        }
    }

    /// What is under way was told to pause, from the notification.
    package mutating func notePausedHere(_ key: NotificationKey) {
        change(key) { $0.tally.pausedHere = true }
    }

    /// It has been written: what is empty needs no place any more.
    package mutating func noteWritten() {
        for key in touched where slots[key]?.isEmpty ?? false { slots[key] = nil }
        touched = []
    }

    private mutating func changeTallies(_ change: (inout NotificationTally) -> Void) {
        for key in slots.keys {
            if case .text = key { continue }
            self.change(key) { change(&$0.tally) }
        }
    }

    private mutating func change(_ key: NotificationKey, _ change: (inout NotificationSlot) -> Void) {
        var slot = slots[key] ?? NotificationSlot()
        change(&slot)
        guard slot != slots[key] else { return }
        slots[key] = slot
        touched.insert(key)
    }
}

extension NotificationTally {
    /// Counts a transfer from one state to another; `isSeen` when a person sees it elsewhere.
    fileprivate mutating func follow(_ before: TransferRecord?, _ after: TransferRecord?, isSeen: Bool) {
        let wasUnderWay = underWay
        if let before, let count = Self.count(of: before.state) { self[keyPath: count] -= 1 }
        if let after, let count = Self.count(of: after.state) { self[keyPath: count] += 1 }
        underWay = max(0, underWay)
        needing = max(0, needing)
        paused = max(0, paused)
        resting = max(0, resting)
        hushedNeeds = min(hushedNeeds, needing)
        switch (before?.state, after?.state) {
        // It was taken back, or whoever forgets it knows of it.
        case (.failed, .waiting), (.failed, nil): failed = max(0, failed - 1)
        case (.succeeded, nil): finished = max(0, finished - 1)
        default: break
        }
        announced = min(announced, finished)
        guard let after, before?.state != after.state else { return }
        switch after.state {
        case .succeeded where !isSeen:
            finished += 1
            subjects.finished = NotificationSubject(after)
        case .failed where !isSeen:
            failed += 1
            subjects.failed = NotificationSubject(after)
        case .running, .awaitingResponse:
            subjects.moving = NotificationSubject(after)
            pausedHere = false
        case .waiting(let waiting) where NotificationPolicy.needsPerson(waiting):
            subjects.needing = NotificationSubject(after)
        case .waiting:
            if subjects.moving == nil || underWay <= 1 { subjects.moving = NotificationSubject(after) }
        case .succeeded, .failed, .paused, .cancelled: break
        }
        if underWay == 0 || wasUnderWay == 0 {
            departed = false
            hushesProgress = false
        }
    }

    /// What has happened was seen; what is so now stays.
    fileprivate mutating func see() {
        finished = 0
        failed = 0
        interrupted = 0
        announced = 0
        departed = false
    }

    private static func count(of state: TransferState) -> WritableKeyPath<Self, Int>? {
        switch state {
        case .running, .awaitingResponse: \.underWay
        case .paused: \.paused
        case .waiting(let waiting):
            NotificationPolicy.needsPerson(waiting)
                ? \.needing : NotificationPolicy.isAboutToRun(waiting) ? \.underWay : \.resting
        case .succeeded, .failed, .cancelled: nil
        }
    }
}

extension NotificationSubject {
    fileprivate init(_ record: TransferRecord) {
        let failure: TransferFailure? =
            switch record.state {
            case .failed(let failure): failure
            case .waiting(let waiting): waiting.failure
            case .running, .awaitingResponse, .paused, .succeeded, .cancelled: nil
            }
        // A record that an older program accepted has a URL that may not be read now.
        let host = (try? TransferURL(parsing: record.spec.url))?.host ?? ""
        self.init(
            transfer: record.id, name: TransferSnapshot(record).name, host: host, reason: failure?.message ?? "")
    }
}
