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
        "wait": "watch", "speed": "limits", "throttle": "limits", "schedule": "rules", "diagnose": "doctor",
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
        if let line = fixed(word, rest, url) { return line }
        if let meant = commands[word] ?? nearest(to: word, among: Command.all.map(\.name)) {
            let words = meant == "download" && url != nil ? rest : [meant] + rest + missing(meant, rest)
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

    /// Schemes whose URLs have no host, and so do not look like URLs.
    private static let foreignSchemes = ["magnet", "mailto", "data", "file"]

    /// Placeholders for the operands that a command needs.
    private static func missing(_ command: String, _ rest: [String]) -> [String] {
        guard rest.isEmpty else { return [] }
        return switch command {
        case "download": ["URL"]
        case "upload": ["FILE", "URL"]
        case "cancel", "pause", "resume", "show", "history": ["ID"]
        case "remove": ["--all"]
        default: []
        }
    }

    /// Words whose answer is more than the name of a command.
    private static func fixed(_ word: String, _ rest: [String], _ url: String?) -> TransferFailure? {
        switch word {
        case "copy", "cp", "move", "mv", "sync", "rsync", "scp":
            guard let last = rest.last, rest.count > 1, last.contains("://"), !rest[0].contains("://") else {
                let words =
                    url.map { [$0] + (rest.last == $0 ? [] : ["-d", rest.last ?? "."]) } ?? ["URL", "-d", "DIR"]
                return .usage("longhaul upload sends files, and a URL alone is downloaded: \(ShellText.line(words))")
            }
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

    /// Returns the word that needs the fewest changes: at most two, fewer for short words.
    static func nearest(to word: String, among words: [String]) -> String? {
        let limit = word.count < 4 ? 1 : 2
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
