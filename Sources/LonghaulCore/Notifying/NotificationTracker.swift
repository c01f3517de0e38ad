/// The intended notifications of a session. It follows every change of a transfer, and is stored with the session. Pure; the loop
/// writes the keys in `touched`.
package struct NotificationTracker: Equatable, Sendable {
    package private(set) var settings: NotificationSettings?
    package private(set) var slots: [NotificationKey: NotificationSlot] = [:]
    /// Keys changed since they were last written.
    package private(set) var touched: Set<NotificationKey> = []
    /// Whether the app shows its transfers itself.
    package var isAppHere = false

    package init() {}

    /// Initializes the stored notifications.
    package init(settings: NotificationSettings?, slots: [NotificationKey: NotificationSlot]) {
        self.settings = settings
        self.slots = slots
        touched = Set(slots.keys)
    }

    /// Whether notifications about transfers are hidden.
    package var isHidden: Bool { isAppHere && settings?.showsWhileAppIsOpen != true }

    /// Returns the key of the transfer's notification; `nil` if it has none.
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

    /// Follows a change; `nil` for a transfer that did not exist, or was deleted.
    package mutating func update(_ before: TransferRecord?, _ after: TransferRecord?) {
        guard settings != nil, let record = after ?? before, let key = key(of: record) else { return }
        if let after, let former = before.flatMap(self.key), former != key {
            // It counts with another group from now on.
            change(former) { [isHidden] slot in slot.tally.follow(before, nil, isSeen: isHidden) }
            return change(key) { [isHidden] slot in slot.tally.follow(nil, after, isSeen: isHidden) }
        }
        guard before?.state != after?.state else { return }
        change(key) { [isHidden] slot in slot.tally.follow(before, after, isSeen: isHidden) }
    }

    /// Changes the settings. Returns whether transfers now share notifications differently: then every unended transfer must be
    /// counted with `count`.
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

    /// The app has attached, and shows everything itself.
    package mutating func appArrived() {
        guard !isAppHere else { return }
        isAppHere = true
        guard isHidden else { return }
        changeTallies { $0.see() }
    }

    /// The app has exited; active transfers continue without it.
    package mutating func appLeft() {
        isAppHere = false
        changeTallies { $0.departed = $0.underWay > 0 }
    }

    /// The app that ran the transfers was ended by force. Called before the owner-loss policy is applied.
    package mutating func appWasLost() {
        isAppHere = false
        changeTallies { $0.interrupted = $0.underWay }
    }

    /// Stores a notification of the app, and replaces one with the same identifier.
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

    /// A notification was shown.
    package mutating func recordPosted(
        _ key: NotificationKey, _ headline: NotificationHeadline, _ shown: ShownNotification?
    ) {
        // If it was withdrawn meanwhile, it keeps a slot until it is closed.
        change(key) { slot in
            slot.shown = shown
            slot.posted = headline
            if headline.kind == .finished { slot.tally.announced = headline.count }
            if shown == nil, headline.kind == nil { slot.text = nil }
        }
    }

    /// A notification is about to be closed. Later content counts as new, even if the process ends before the reply.
    package mutating func recordClosing(_ key: NotificationKey) {
        change(key) { $0.posted = nil }
    }

    /// A notification was closed. The same content would count as new again.
    package mutating func recordClosed(_ key: NotificationKey) {
        guard let slot = slots[key], slot.shown != nil || slot.posted != nil else { return }
        change(key) { slot in
            slot.shown = nil
            slot.posted = nil
        }
    }

    /// The server that showed the notification has exited. The notification is not shown again for that.
    package mutating func recordGone(_ key: NotificationKey) {
        guard slots[key]?.shown != nil else { return }
        change(key) { slot in
            slot.shown = nil
            if slot.posted?.kind == nil, slot.posted != nil { slot.text = nil }
        }
    }

    /// The user has seen it: it was closed, expired, or clicked.
    package mutating func recordSeen(_ key: NotificationKey) {
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

    /// The user paused the active transfers from the notification.
    package mutating func recordPausedHere(_ key: NotificationKey) {
        change(key) { $0.tally.pausedHere = true }
    }

    /// Called after the write; removes empty slots.
    package mutating func recordWritten() {
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
    /// Counts a transfer's change of state; `isSeen` if the user sees it elsewhere.
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
        // It was retried, or deleted by a user who knows of it.
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

    /// Clears the counts of past events; current states stay.
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
        // A record of an older version may have a URL that cannot be parsed now.
        let host = (try? TransferURL(parsing: record.spec.url))?.host ?? ""
        let snapshot = TransferSnapshot(record)
        self.init(
            transfer: record.id, name: snapshot.name, host: host, reason: failure?.message ?? "",
            direction: snapshot.direction)
    }
}
