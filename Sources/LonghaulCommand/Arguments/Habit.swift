/// Options of curl and wget that ask for what Longhaul does anyway. A command line that was typed for these programs is read as
/// if they were not there.
enum Habit {
    static func isHarmless(_ letter: Character, _ options: [Option]) -> Bool {
        // Follow redirects, name the file as the server does, fail on errors, show them, and a bar; silence is what -q is for.
        startsTransfers(options) && "LOfsS#".contains(letter)
    }

    static func isHarmless(_ long: Substring, _ options: [Option]) -> Bool {
        let known = [
            "location", "remote-name", "remote-header-name", "content-disposition", "fail", "show-error",
            "progress-bar",
        ]
        return startsTransfers(options) && known.contains(String(long))
    }

    private static func startsTransfers(_ options: [Option]) -> Bool { options.contains(.detach) }
}
