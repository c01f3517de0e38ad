import LonghaulCore
import LonghaulIPC

/// The texts of the help for translators, as gettext's template (a `.pot` file).
enum TranslationTemplate {
    static func text() -> String {
        let header = """
            # The texts of longhaul's help. scripts/translations writes this file; a translation begins as a copy of it.
            msgid ""
            msgstr ""
            "Project-Id-Version: longhaul \(Release.version)\\n"
            "MIME-Version: 1.0\\n"
            "Content-Type: text/plain; charset=UTF-8\\n"
            "Content-Transfer-Encoding: 8bit\\n"
            """
        let entries = entries.map { entry in
            "#. \(entry.place)\nmsgid \"\(escaped(entry.text))\"\nmsgstr \"\"\n"
        }
        return ([header + "\n"] + entries).joined(separator: "\n")
    }

    typealias Entry = (text: String, place: String)

    /// Each text once, with the first place that shows it.
    static var entries: [Entry] {
        var all: [Entry] = HelpText.own.map { ($0, "longhaul help") }
        all += Command.groups.map { ($0.title, "longhaul help") }
        for command in Command.all { all.append((command.summary, "longhaul \(command.name)")) }
        for command in Command.all {
            let place = "longhaul \(command.name)"
            for group in command.groups {
                all.append((group.title, place))
                all += group.options.map { ($0.help, "\(place) --\($0.long)") }
            }
            all += (command.notes + command.examples.map(\.purpose)).map { ($0, place) }
        }
        all += systemReasons.map { ($0, "the system") }
        var known: Set<String> = []
        return all.filter { known.insert($0.text).inserted }
    }

    /// The system's messages that users meet, as failures quote them (strerror(3)).
    private static let systemReasons = [
        "no such file or directory", "permission denied", "operation not permitted", "is a directory",
        "not a directory", "file exists", "no space left on device", "disk quota exceeded", "read-only file system",
        "file name too long", "input/output error", "too many open files", "too many levels of symbolic links",
        "connection refused", "stale file handle", "no such device or address",
    ]

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
