import LonghaulCore

/// The valid values of the session's settings: any other would be damage in a new store too.
enum StoredSetting {
    static func isSound(_ name: String, number: Int64) -> Bool {
        switch name {
        case "ownerLossPolicy": OwnerLossPolicy(wireNumber: Int(number)) != nil
        case "keepsEvents": number == 1
        default: false
        }
    }

    static func isSound(_ name: String, _ row: RawRow) -> Bool {
        if name.hasPrefix(Store.notificationPrefix) {
            let key = NotificationKey(name: String(name.dropFirst(Store.notificationPrefix.count)))
            return key != nil && isWhole(row, NotificationSlot.self)
        }
        return switch name {
        case "limits": isWhole(row, SessionLimits.self)
        case "rules": isWhole(row, SessionRules.self)
        case "owner": isWhole(row, SessionOwner.self)
        case "credentialHelper": isWhole(row, HelperCommand.self)
        case "wake": isWhole(row, WakeRegistration.self)
        case "wakeRecord": isWhole(row, WakeRecord.self)
        case "notifications": isWhole(row, NotificationSettings.self)
        case "taskSettings": isWhole(row, BackgroundTaskSettings.self)
        case "taskThrottle": isWhole(row, BackgroundTaskThrottle.self)
        case "ownerLoss": isWhole(row, OwnerLossReport.self)
        case "lastWills": isWhole(row, WireList<LastWill>.self)
        default: false
        }
    }

    private static func isWhole<Message: WireMessage>(_ row: RawRow, _: Message.Type) -> Bool {
        row.message(1) as Message? != nil
    }
}
