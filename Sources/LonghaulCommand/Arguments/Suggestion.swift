import LonghaulCore

/// Finds the command that was probably meant by an unknown word.
enum Suggestion {
    /// The command that other programs call by this word. Retyping the rest of the line after it does what was meant.
    private static let commands = [
        "fetch": "download", "add": "download", "dl": "download", "save": "download", "push": "upload",
        "send": "upload", "status": "list", "queue": "list", "jobs": "list", "delete": "remove", "clean": "remove",
        "clear": "remove", "purge": "remove", "forget": "remove", "kill": "cancel", "abort": "cancel",
        "stop": "pause", "start": "resume", "restart": "resume", "continue": "resume", "info": "show",
        "stat": "show", "log": "history", "logs": "history", "monitor": "watch", "daemon": "service",
        "wait": "watch", "follow": "watch", "tail": "watch", "progress": "watch", "speed": "limits",
        "throttle": "limits", "bandwidth": "limits", "schedule": "rules", "diagnose": "doctor", "check": "doctor",
        "unpause": "resume", "unhold": "resume", "hold": "pause", "rerun": "retry", "again": "retry", "repeat": "retry",
        "details": "show", "downloads": "list", "transfers": "list", "prune": "remove", "tui": "top", "htop": "top",
        "edit": "set", "modify": "set", "change": "set", "enable": "setup", "install": "setup",
    ]

    /// The failure for a first word that is no command.
    static func unknown(_ word: String, _ rest: [String], _ world: World) -> TransferFailure {
        let url = rest.first { $0.contains("://") }
        if let scheme = foreignSchemes.first(where: { word.hasPrefix($0 + ":") }) {
            return .usage("Longhaul does not support \(scheme) URLs; URLs begin with https:// or http://.")
        }
        if word.utf8.allSatisfy({ (0x41...0x5A).contains($0) }), word.utf8.count > 2, HTTPie.isURL(rest.first) {
            return .usage("With Longhaul, type: \(ShellText.line(HTTPie.words(word, rest)))")
        }
        if let failure = fixed(word, rest, url, world) ?? timed(word, rest, url) { return failure }
        let known = commands[word].map { $0 == "resume" && url != nil ? "download" : $0 }
        let runnable = Command.all.filter { accepts($0, rest) }.map(\.name)
        if let meant = known ?? nearest(to: word, among: runnable) {
            var rest = runnable.contains(meant) ? rest : []
            if rest == ["all"], Command.named(meant)?.options.contains(.allTransfers) == true { rest = ["--all"] }
            let isShort = meant == "download" && !rest.isEmpty && url != nil
            let words = isShort ? rest : [meant] + rest + missing(meant, rest)
            return .usage("There is no command \"\(word)\". Did you mean this? \(ShellText.line(words))")
        }
        if HostText.isHost(word) || LocalFiles.exists(world.absolute(word)) {
            do throws(TransferFailure) {
                try Habit.check(
                    operand: word, Arguments(parsing: [word] + rest, options: Command.download.options), world)
            } catch {
                return error
            }
        }
        return .usage("There is no command \"\(word)\"; longhaul help lists all commands.")
    }

    /// Returns whether the command can be run with these words.
    private static func accepts(_ command: Command, _ rest: [String]) -> Bool {
        guard let arguments = try? Arguments(parsing: rest, options: command.options) else { return false }
        return arguments.operands.isEmpty || !command.operands.hasPrefix("[options]")
    }

    /// Schemes whose URLs have no host, and so do not look like URLs.
    private static let foreignSchemes = ["magnet", "mailto", "data", "file"]

    /// Placeholders for the operands that a command needs.
    private static func missing(_ command: String, _ rest: [String]) -> [String] {
        guard rest.isEmpty else { return [] }
        return switch command {
        case "download": ["URL"]
        case "upload": ["FILE", "URL"]
        case "cancel", "pause", "resume", "retry", "show", "history": ["ID"]
        case "remove": ["--all"]
        default: []
        }
    }

    /// Words whose answer is more than the name of a command.
    private static func fixed(
        _ word: String, _ rest: [String], _ url: String?, _ world: World
    ) -> TransferFailure? {
        switch word {
        case "rclone":
            guard let first = rest.first else { return nil }
            return unknown(first, Array(rest.dropFirst()), world)
        case "copyurl":
            let name = rest.last == url ? nil : rest.last
            let words = [url ?? "URL"] + (name.map { ["-o", $0] } ?? [])
            return .usage("With Longhaul, type: \(ShellText.line(words))")
        case "http", "https", "httpie", "xh":
            guard let first = rest.first else { return nil }
            if !HTTPie.isURL(first) { return unknown(first, Array(rest.dropFirst()), world) }
            let method = rest.contains { HTTPie.isField($0) } ? "POST" : "GET"
            return .usage("With Longhaul, type: \(ShellText.line(HTTPie.words(method, rest)))")
        case "failed", "failures", "errors":
            return .usage("With Longhaul, type: \(ShellText.line(["list", "--state", "failed"]))")
        case "copy", "cp", "move", "mv", "sync", "rsync", "scp":
            guard let last = rest.last, rest.count > 1, last.contains("://"), !rest[0].contains("://") else {
                let words =
                    url.map { [$0] + (rest.last == $0 ? [] : ["-d", rest.last ?? "."]) } ?? ["URL", "-d", "DIR"]
                return .usage("longhaul upload sends files, and a URL alone is downloaded: \(ShellText.line(words))")
            }
            if LocalFiles.isDirectory(world.absolute(rest[0])) { return Habit.directoryUpload(rest[0], to: last) }
            return .usage("With Longhaul, type: \(ShellText.line(["upload"] + rest))")
        case _ where ["post", "patch", "head"].contains(word) || word == "delete" && url != nil:
            let words = url == nil ? ["request", word.uppercased(), "URL"] : HTTPie.words(word.uppercased(), rest)
            return .usage("With Longhaul, type: \(ShellText.line(words))")
        case "set-rate":
            let words = ["set"] + (rest.count > 1 ? Array(rest.dropFirst()) : ["ID"])
            return .usage("Type: \(ShellText.line(words + ["--limit-rate", rest.first ?? "RATE"]))")
        case "set-priority":
            let words = ["set"] + (rest.count > 1 ? Array(rest.dropLast()) : ["ID"])
            return .usage("Type: \(ShellText.line(words + ["--priority", rest.last ?? "N"]))")
        case "login", "auth", "logout", "password":
            return .usage(
                "-u USER logs in for one transfer, -n uses ~/.netrc, and a helper keeps passwords: longhaul help credentials"
            )
        case "config", "configure", "settings", "options", "preferences":
            return .usage(
                "Options for every transfer stand in ~/.config/longhaul/options, and limits are set with this: longhaul limits"
            )
        case "completion", "completions":
            return .usage("The package installs completion for bash, zsh, and fish. Is it installed? longhaul doctor")
        default: return nil
        }
    }

    /// Words before a time or a rate, which is an option here.
    private static func timed(_ word: String, _ rest: [String], _ url: String?) -> TransferFailure? {
        let values = rest.filter { $0 != url && !$0.hasPrefix("-") }
        let options = rest.filter { $0.hasPrefix("-") }
        var words: [String]
        switch (word, values.first) {
        case ("schedule", let time?), ("at", let time?), ("later", let time?):
            let isWindow = time.contains(":") && time.contains("-")
            words = [url ?? "URL", isWindow ? "--between" : "--not-before", time] + options
        case ("speed", let rate?), ("throttle", let rate?), ("limit", let rate?), ("bandwidth", let rate?):
            let ids = values.dropFirst()
            words = url.map { [$0] } ?? (ids.isEmpty ? ["limits"] : ["set"] + ids)
            words += [words == ["limits"] ? "--rate" : "--limit-rate", rate] + options
        default: return nil
        }
        return .usage("With Longhaul, type: \(ShellText.line(words))")
    }

    /// Returns the word that needs the fewest changes: at most two, fewer for short words.
    static func nearest(to word: String, among words: [String]) -> String? {
        let limit = word.count < 4 ? 1 : 2
        // The opposite is never meant.
        let words = words.filter { meant in !["un", "no", "no-", "dis"].contains { word == $0 + meant } }
        let ranked = words.map { (word: $0, distance: distance(word, $0)) }
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit { return best.word }
        return word.count >= 3 ? words.first { $0.hasPrefix(word) } : nil
    }

    /// Insertions, deletions and replacements between two words.
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (line, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in right.indices {
                let replaced = diagonal + (right[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}

/// A request as HTTPie writes it: `POST URL name=value Header:value`.
private enum HTTPie {
    static func isURL(_ word: String?) -> Bool { word.map { $0.contains("://") || HostText.isHost($0) } ?? false }

    /// Whether the word is `name=value`, which makes the request a POST.
    static func isField(_ word: String) -> Bool {
        !word.hasPrefix("-") && !isURL(word) && word.first { "=:".contains($0) } == "="
    }

    static func words(_ method: String, _ rest: [String]) -> [String] {
        var words = ["request", method]
        var fields: [String] = []
        for word in rest {
            let mark = word.first { "=:".contains($0) }
            if word == rest.first, isURL(word) {
                words.append(word.contains("://") ? word : HostText.url(word))
            } else if word.hasPrefix("-") || mark == nil {
                words.append(word)
            } else if mark == "=" {
                fields.append(word)
            } else {
                words += ["-H", word]
            }
        }
        return words + (fields.isEmpty ? [] : ["--data", fields.joined(separator: "&")])
    }
}
