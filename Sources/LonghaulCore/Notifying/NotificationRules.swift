extension NotificationSettings {
    /// Why the settings are invalid; `nil` if they are valid.
    package var refusal: TransferFailure? {
        if appName.isEmpty || appName.utf8.count > 200 {
            return Self.refusal("Notification settings must have the app's name, of at most 200 bytes.")
        }
        if let icon, icon.utf8.count > 4_096 {
            return Self.refusal("The name of an icon must have at most 4096 bytes.")
        }
        if let desktopEntry,
            desktopEntry.contains("/") || desktopEntry.hasSuffix(".desktop") || desktopEntry.utf8.count > 255
        {
            return Self.refusal(
                "\"\(desktopEntry)\" is not the name of a desktop entry. Use the file name without .desktop, such as org.example.Photos."
            )
        }
        for label in labels.values where label.isEmpty || label.utf8.count > 200 {
            return Self.refusal("The label of a button must have from 1 to 200 bytes.")
        }
        for wording in wordings.values {
            for text in [wording.one, wording.several] {
                if let refusal = text.refusal { return refusal }
            }
        }
        return nil
    }

    fileprivate static func refusal(_ sentence: String) -> TransferFailure {
        TransferFailure(.invalidArgument, sentence)
    }
}

extension NotificationText {
    fileprivate var refusal: TransferFailure? {
        if title.isEmpty || title.utf8.count > 500 {
            return NotificationSettings.refusal("The title of a notification must have from 1 to 500 bytes.")
        }
        if body.utf8.count > 2_000 {
            return NotificationSettings.refusal("The body of a notification must have at most 2000 bytes.")
        }
        do throws(TransferFailure) {
            _ = try NotificationTemplate(parsing: title)
            _ = try NotificationTemplate(parsing: body)
            return nil
        } catch {
            return error
        }
    }
}

extension PlainNotification {
    /// Why it is invalid; `nil` if it is valid.
    package var refusal: TransferFailure? {
        if identifier.isEmpty || identifier.utf8.count > 200 {
            return NotificationSettings.refusal("The identifier of a notification must have from 1 to 200 bytes.")
        }
        if title.isEmpty || title.utf8.count > 500 {
            return NotificationSettings.refusal("The title of a notification must have from 1 to 500 bytes.")
        }
        return (body ?? "").utf8.count <= 2_000
            ? nil : NotificationSettings.refusal("The body of a notification must have at most 2000 bytes.")
    }
}
