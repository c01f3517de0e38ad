/// Words for options that no program has, but that users try.
enum Synonyms {
    /// The option, with the value that makes it mean the word.
    private static let options = [
        "rate": "limit-rate", "max-speed": "limit-rate", "speed": "limit-rate", "speed-limit": "limit-rate",
        "bandwidth": "limit-rate", "limit": "limit-rate", "throttle": "limit-rate", "max-rate": "limit-rate",
        "form-data": "form", "clobber": "overwrite", "force": "overwrite", "replace": "overwrite",
        "background": "yield", "bg": "detach", "threads": "split", "connections": "split", "segments": "split",
        "retries": "retry", "attempts": "retry", "max-retries": "retry", "at": "not-before", "start": "not-before",
        "start-at": "not-before", "when": "not-before", "schedule": "between",
        "hours": "between", "window": "between", "token": "header 'Authorization: Bearer TOKEN'",
        "bearer": "header 'Authorization: Bearer TOKEN'", "resume": "continue", "name": "output", "save-as": "output",
        "filename": "output", "file-name": "output", "folder": "directory", "dest": "directory", "to": "directory",
        "destination": "directory", "hash": "checksum", "verify": "checksum", "md5": "checksum md5=HEX",
        "sha1": "checksum sha-1=HEX", "sha512": "checksum sha-512=HEX", "no-verify": "insecure",
        "skip-verify": "insecure", "no-check": "insecure", "auth": "user", "login": "user", "tag": "group",
        "label": "group", "deadline": "max-time", "list": "input-file", "urls": "input-file", "wifi": "link wifi",
        "wifi-only": "link wifi", "no-overwrite": "skip-existing", "id": "key", "depends-on": "after",
        "wait-for": "after", "low-priority": "yield", "nice": "yield", "unmetered": "no-metered", "ac": "on-power",
        "notification": "notify", "desktop-notification": "notify", "older": "older-than",
    ]

    /// Returns what the user probably meant, without its dashes: one of `options` with a value, or the most similar name.
    static func option(_ word: String, _ options: [Option]) -> String? {
        func has(_ meant: String) -> Bool { options.contains { meant == $0.long || meant.hasPrefix($0.long + " ") } }
        if has("state"), StateText.words.contains(word) || word == "done" { return "state " + word }
        // Only a change can move a transfer to an end of the queue.
        let priorities = options.first { $0.long == "priority" }?.value ?? ""
        if ["first", "last"].contains(word), priorities.contains(word) { return "priority " + word }
        if ["first", "urgent", "high-priority"].contains(word), has("priority") { return "priority 1" }
        if let meant = self.options[word], has(meant) { return meant }
        return Suggestion.nearest(to: word, among: options.map(\.long))
    }
}
