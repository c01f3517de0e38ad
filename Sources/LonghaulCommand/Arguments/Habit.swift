import LonghaulCore

/// Options that ask for what Longhaul does anyway: those of curl and wget, and `--yes` where nothing is asked. A command line
/// is read as if these options were not there.
enum Habit {
    static func isHarmless(_ letter: Character, _ options: [Option]) -> Bool {
        // Follow redirects, name the file as the server does, fail on errors, show them, and a bar; silence is what -q is for.
        startsTransfers(options) && "LOfsS#".contains(letter) || letter == "y" && neverAsks(options)
    }

    static func isHarmless(_ long: Substring, _ options: [Option]) -> Bool {
        let known = [
            "location", "remote-name", "remote-header-name", "content-disposition", "fail", "show-error",
            "progress-bar", "file-allocation", "auto-file-renaming", "min-split-size", "summary-interval",
        ]
        return startsTransfers(options) && known.contains(String(long)) || long == "yes" && neverAsks(options)
    }

    /// Whether it is a command that does at once what other programs ask about first, such as to cancel or to remove.
    private static func neverAsks(_ options: [Option]) -> Bool { options.contains(.allTransfers) }

    /// The option that means the same here as a long one of wget or aria2.
    static func alias(_ long: Substring, _ options: [Option]) -> Option? {
        let known =
            switch long {
            case "ca-certificate": "cacert"
            case "dir", "directory-prefix", "output-dir": "directory"
            case "allow-overwrite": "overwrite"
            case "http-user": "user"
            case "load-cookies": "cookie"
            case "save-cookies": "cookie-jar"
            case "no-glob": "globoff"
            case "max-download-limit", "max-upload-limit": "limit-rate"
            case "max-redirect": "max-redirs"
            case "tries": "retry"
            case "no-check-certificate": "insecure"
            case "out", "output-document": "output"
            case "silent", "no-verbose": "quiet"
            case "all-proxy": "proxy"
            case "max-connection-per-server": "split"
            case "background": "detach"
            default: ""
            }
        return startsTransfers(options) ? options.first { $0.long == known } : nil
    }

    /// Says what was probably meant by an operand that cannot be a URL.
    static func check(operand: String, detaches: Bool) throws(TransferFailure) {
        if operand == "-" { throw .usage("-o - writes to standard output") }
        guard !operand.contains("://") else { return }
        let shown = DisplayText.clean(operand)
        if ["-4", "-6"].contains(operand) {
            throw .usage(tr("there is no option \(operand)") + Suggestion.text(for: "ipv4", among: []))
        }
        if operand.isEmpty { throw .usage("a URL is empty, as of a variable that is not set") }
        if operand.hasPrefix("{\"") || operand.hasPrefix("[{") {
            throw .usage(
                "what begins with \(operand.prefix(1)) looks like data; longhaul request URL --data TEXT sends data")
        }
        if let command = Command.named(operand) {
            throw .usage("\"\(shown)\" is no URL; if the command is meant, it comes first: longhaul \(command.name)")
        }
        if detaches, operand.contains("=") {
            throw .usage("-b leaves the transfer to the service; --cookie '\(shown)' sends a cookie")
        }
        guard !operand.contains(where: { ":/[{".contains($0) }) else { return }
        let cookies = detaches ? "; -b leaves the transfer to the service, --cookie \(shown) sends cookies" : ""
        throw TransferFailure(
            .invalidURL,
            "\"\(shown)\" is no URL: begin one with https:// or http://; a file is named with -o \(shown)\(cookies)")
    }

    /// What a download lacks that has no URL: options that take none elsewhere have taken it.
    static func lackOfURL(_ arguments: Arguments) -> TransferFailure {
        if let text = arguments.value(.maxTime), text.contains("://") {
            return .usage("single files are downloaded, never whole sites: -m takes a time such as 10m")
        }
        if arguments.has(.mirror) {
            return .usage(
                "single files are downloaded, never whole sites: --mirror takes another place of the same file")
        }
        return .usage("download needs a URL, or a list with -i")
    }

    static func startsTransfers(_ options: [Option]) -> Bool { options.contains(.detach) }
}
