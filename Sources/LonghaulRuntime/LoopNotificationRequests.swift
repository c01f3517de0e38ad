import LonghaulCore
import LonghaulStore

/// What clients ask of a session's notifications.
extension SessionLoop {
    /// How many notifications of the app's own a session can have, shown or to be shown.
    private static let textLimit = 256

    /// What a client asks; answers why not.
    func obey(_ request: NotificationRequest) throws(TransferFailure) -> TransferFailure? {
        switch request {
        case .status: break
        case .set(let settings):
            if let refusal = settings?.refusal { return refusal }
            guard settings != board.settings else { return nil }
            try beginWriting()
            try store.setNotificationSettings(settings)
            if board.set(settings) { try countAnew() }
        case .post(let notification):
            if let refusal = notification.refusal { return refusal }
            guard board.settings != nil else { return .noNotifications }
            guard board.slots[.text(notification.identifier)] != nil || board.texts < Self.textLimit else {
                return .tooManyNotifications
            }
            board.post(notification)
        case .withdraw(let identifier): board.withdraw(identifier)
        }
        return nil
    }

    private func countAnew() throws(TransferFailure) {
        var query = ListQuery(selection: .all, ended: false, limit: 1_000)
        var hasMore = true
        while hasMore {
            let page = try store.page(query)
            for record in page.records { board.count(try transfer(record.id)?.record ?? record) }
            query.afterSequence = page.records.last?.sequence ?? 0
            hasMore = page.hasMore
        }
    }

    var notificationStatus: NotificationStatus {
        var status = NotificationStatus()
        status.settings = board.settings
        status.pending = board.slots.values.compactMap { $0.posted == nil ? $0.text : nil }
        status.pending.sort { $0.identifier < $1.identifier }
        status.shown = board.slots.values.count { $0.shown != nil }
        status.lacksServer = notices.lacksServer
        return status
    }
}

extension NotificationBoard {
    /// How many notifications of the app's own there are.
    fileprivate var texts: Int { slots.values.count { $0.text != nil } }
}

extension TransferFailure {
    fileprivate static let noNotifications = TransferFailure(
        .invalidState, "The session tells nothing yet: set its notifications first, with the app's name.")
    fileprivate static let tooManyNotifications = TransferFailure(
        .invalidState,
        "The session has 256 notifications of the app's own already. Withdraw some, or reuse an identifier.")
}
