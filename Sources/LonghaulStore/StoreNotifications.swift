package import LonghaulCore

/// The notification settings of a session, and the state of its notifications.
extension Store {
    /// The prefix of the names of slots.
    static let notificationPrefix = "notification:"

    /// Returns `nil` if there are no notifications.
    package func notificationSettings() throws(TransferFailure) -> NotificationSettings? {
        let rows = try meta("notifications")
        defer { rows.reset() }
        return try rows.step() ? try rows.message(0) : nil
    }

    package func setNotificationSettings(_ settings: NotificationSettings?) throws(TransferFailure) {
        try set("notifications", to: settings)
    }

    package func notificationSlots() throws(TransferFailure) -> [NotificationKey: NotificationSlot] {
        // ";" follows ":".
        let rows = try connection.statement(
            "select name, value from meta where name >= 'notification:' and name < 'notification;'")
        defer { rows.reset() }
        var slots: [NotificationKey: NotificationSlot] = [:]
        while try rows.step() {
            guard let key = NotificationKey(name: String(rows.text(0).dropFirst(Self.notificationPrefix.count))) else {
                throw storeDamage("a notification is of no known kind")
            }
            slots[key] = try rows.message(1)
        }
        return slots
    }

    /// Stores a slot, or deletes it.
    package func setNotificationSlot(
        _ key: NotificationKey, _ slot: NotificationSlot?
    ) throws(TransferFailure) {
        try set(Self.notificationPrefix + key.name, to: slot)
    }
}
