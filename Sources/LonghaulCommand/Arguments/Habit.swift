import LonghaulCore

/// Words that users of curl, wget, and aria2 type by habit. Words with the same meaning here are accepted. For any other, the
/// failure contains the command that does what was meant.
enum Habit {
    static func startsTransfers(_ options: [Option]) -> Bool { options.contains(.detach) }

    /// An option that is accepted from another program.
    struct Reading {
        /// The option that means the same here; `nil` if the words are ignored.
        var same: Option?
        var foreign: ForeignOption?
    }

    /// Reads `name` as an option of another program.
    static func reading(_ name: String, _ options: [Option]) -> Reading? {
        // Commands that cancel or remove do so at once.
        if ["-y", "--yes"].contains(name), options.contains(.allTransfers) { return Reading() }
        guard startsTransfers(options) else { return nil }
        var known = ForeignOption.programs(with: name).map(\.option)
        if name.hasPrefix("--") {
            // wget skips an existing file with a word by which curl only chooses another name.
            guard !known.contains(where: \.isRefused) else { return nil }
        } else {
            // The most likely program decides about a letter. A value could be taken for a file or a URL.
            known = known.first.map { $0.takesValue ? [] : [$0] } ?? []
        }
        return known.lazy.compactMap { option -> Reading? in
            switch option.meaning {
            case .nothing, .part(.compressed): Reading(foreign: option)
            case .option(let long): options.first { $0.long == long }.map { Reading(same: $0, foreign: option) }
            case .part, .nearest, .command: nil
            }
        }.first
    }

    /// The failure for an option that the command does not have.
    ///
    /// - Parameter typed: The words after the command's name.
    static func unknown(_ name: String, _ typed: [String], _ options: [Option]) -> TransferFailure {
        guard startsTransfers(options) else {
            return .usage(tr("There is no option \(name).") + nearest(name, options))
        }
        if options.contains(where: { $0.long == "tus" }), ["-r", "-R", "--recursive"].contains(name) {
            return directoryUpload(typed.first { !$0.hasPrefix("-") } ?? "DIR", to: typed.last ?? "URL")
        }
        // wget's -qO- has a dash in a cluster of letters.
        if name == "--", let hint = hint(typed, [.wget]) { return hint }
        let known = ForeignOption.programs(with: name)
        let isRefused = name.hasPrefix("--") && known.contains(where: \.option.isRefused)
        let programs = isRefused ? known.filter(\.option.isRefused) : known
        if let hint = hint(typed, programs.map(\.program), option: name) { return hint }
        for case .nearest(_, let sentence) in known.map(\.option.meaning) { return .usage(name + ": " + sentence()) }
        return .usage(tr("There is no option \(name).") + nearest(name, options))
    }

    private static func nearest(_ name: String, _ options: [Option]) -> String {
        guard name.hasPrefix("--") else { return "" }
        let word = name.dropFirst(2)
        let own = ["rate": "limit-rate", "form-data": "form", "clobber": "overwrite", "background": "yield"][word]
        guard let meant = own ?? Suggestion.nearest(to: String(word), among: options.map(\.long)) else { return "" }
        return " " + tr("Did you mean --\(meant)?")
    }

    /// Returns the command with the words as another program means them, if they make sense there: the first matching program counts.
    static func hint(_ typed: [String], _ programs: [ForeignProgram], option: String? = nil) -> TransferFailure? {
        for program in programs {
            guard let (line, note) = command(typed, program) else { continue }
            if let note { return .usage(note + " " + tr("Type: \(line)")) }
            guard let option else { return .usage("With Longhaul, type: \(line)") }
            return .usage("\(option) is an option of \(program.rawValue). With Longhaul, type: \(line)")
        }
        return nil
    }

    /// The command of Longhaul, and why it does not do quite the same.
    static func command(_ typed: [String], _ program: ForeignProgram) -> (line: String, note: String?)? {
        guard let command = try? ForeignCommand(typed, of: program), command.isPlausible,
            let words = try? command.words()
        else { return nil }
        return (ShellText.line(words), command.note)
    }

    /// Refuses an operand that cannot be a URL, with the command that was probably meant.
    static func check(operand: String, _ arguments: Arguments, _ world: World) throws(TransferFailure) {
        // A URL without its scheme may hold a password, which the failure must not repeat.
        guard !operand.contains("://"), !operand.contains("@") else { return }
        if operand == "-" {
            throw hint(arguments.typed, [.wget]) ?? .usage("Longhaul writes to standard output with -o -.")
        }
        if operand.isEmpty { throw .usage("A URL is empty. Is a variable not set?") }
        let typed = arguments.typed
        if let command = Command.named(operand) {
            let words = [command.name] + (startsTransfers(command.options) ? typed.filter { $0 != operand } : [])
            throw .usage("The command comes first. Type: \(ShellText.line(words))")
        }
        let isData = operand.hasPrefix("{\"") || operand.hasPrefix("[{")
        let programs: [ForeignProgram] = isData || arguments.has(.detach) ? [.curl, .wget] : [.wget, .curl, .aria2c]
        if !HostText.isHost(operand), let hint = hint(typed, programs) { throw hint }
        throw noURL(operand, typed, world)
    }

    /// Returns whether the value is a number after a dash: the last bytes of a file, as with curl, and no option of another program.
    static func isSuffix(_ text: String) -> Bool {
        text.hasPrefix("-") && text.count > 1 && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Refuses values that belong to options with the same letters in other programs.
    static func checkValues(_ arguments: Arguments, _ world: World) throws(TransferFailure) {
        let typed = arguments.typed
        if let text = arguments.value(.continueAt), text != "-" {
            throw .usage("-C must be -. To download the rest from there on, use this: --range \(text)-")
        }
        if let text = arguments.value(.range), text.contains("://") || text.hasPrefix("-") && !isSuffix(text),
            let hint = hint(typed, [.wget])
        {
            throw hint
        }
        // curl sends what would become a directory.
        let directories = arguments.values(.directory).filter(typed.contains)
        let isData = directories.contains { text in
            (text.contains("=") || "@{".contains(text.prefix(1))) && !LocalFiles.isDirectory(world.absolute(text))
        }
        if isData || directories.count > 1, let hint = hint(typed, [.curl], option: "-d") { throw hint }
        // curl's -i shows the headers of a URL, and Longhaul reads a list.
        if let list = arguments.value(.input), list.contains("://"), !MetalinkOrders.isMetalink(list),
            let hint = hint(typed, [.curl])
        {
            throw hint
        }
    }

    private static func noURL(_ operand: String, _ typed: [String], _ world: World) -> TransferFailure {
        let shown = DisplayText.clean(operand)
        if LocalFiles.exists(world.absolute(operand)) {
            let url = typed.first { $0.contains("://") } ?? "URL"
            return TransferFailure(
                .invalidURL,
                tr("\"\(shown)\" is a file. To upload it, type: \(ShellText.line(["upload", operand, url]))"))
        }
        guard HostText.isHost(operand) else {
            return TransferFailure(
                .invalidURL, tr("\"\(shown)\" is not a URL. A URL begins with https:// or http://; -o names the file."))
        }
        let words = typed.map { $0 == operand ? HostText.url(operand) : $0 }
        return TransferFailure(
            .invalidURL, tr("A URL begins with https:// or http://. Type: \(ShellText.line(words))"))
    }

    /// The failure of a download without a URL. An option that takes a value only here may have taken the URL.
    static func missingURL(_ arguments: Arguments) -> TransferFailure {
        if arguments.typed.contains(where: { $0.contains("://") }),
            let hint = hint(arguments.typed, [.wget, .curl, .aria2c])
        {
            return hint
        }
        return .misuse("A download needs a URL, or a list of URLs with -i.")
    }

    static func directoryUpload(_ directory: String, to url: String) -> TransferFailure {
        let files = (directory.hasSuffix("/") ? directory : directory + "/") + "*"
        // A shell replaces the pattern only without quotes.
        let line = ShellText.line(["upload"]) + " " + files + " " + (url.hasSuffix("/") ? url : url + "/")
        return TransferFailure(
            .sourceUnreadable,
            tr("\(directory) is a directory, and Longhaul uploads files. For the files in it, type: \(line)"))
    }
}

extension ForeignOption {
    fileprivate var isRefused: Bool { if case .nearest = meaning { true } else { false } }
}
