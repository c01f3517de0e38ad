import LonghaulCore

/// Words that users of curl, wget, and aria2 type by habit. Words with the same meaning here are accepted. For any other, the
/// failure contains the command that does what was meant.
enum Habit {
    static func startsTransfers(_ options: [Option]) -> Bool { options.contains(.detach) }

    /// An option that is accepted from another program.
    struct Reading {
        /// The option that means the same here; `nil` if the words are ignored, or have no equivalent.
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
            case .nothing, .lacking, .habit, .part(.fewerDirectories): Reading(foreign: option)
            case .option(let long): options.first { $0.long == long }.map { Reading(same: $0, foreign: option) }
            case .part, .same, .nearest, .command, .impossible: nil
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
        if let sentence = known.lazy.compactMap(\.option.meaning.explanation).first {
            return .usage(name + ": " + sentence())
        }
        // The program has the option, so its other words are at fault.
        if name.hasPrefix("--"), let program = known.first?.program {
            do throws(TransferFailure) {
                _ = try ForeignCommand(typed, of: program).line()
            } catch {
                return error
            }
        }
        return .usage(tr("There is no option \(name).") + nearest(name, options))
    }

    /// Returns the advice for an option that no program has.
    private static func nearest(_ name: String, _ options: [Option]) -> String {
        let isList = options.contains { $0.long == "newest" }
        if isList, ["-v", "--verbose", "-l", "--long", "--details"].contains(name) {
            return " " + tr("All details of a transfer are in longhaul show ID.")
        }
        if isList, ["--sort", "--sort-by", "--order", "-S"].contains(name) {
            return " " + tr("The list is in order of submission; a program can sort the output of --json.")
        }
        if ["--exec", "--then", "--hook", "--on-complete"].contains(name), startsTransfers(options),
            let sentence = ForeignOption.named("--on-download-complete", of: .aria2c)?.meaning.explanation
        {
            return " " + sentence()
        }
        guard name.hasPrefix("--") else { return "" }
        let word = name.dropFirst(2)
        guard let meant = Synonyms.option(String(word), options) else { return "" }
        return " " + tr("Did you mean --\(meant)?")
    }

    /// Returns the command with the words as another program means them, if they make sense there: the first matching program counts.
    static func hint(_ typed: [String], _ programs: [ForeignProgram], option: String? = nil) -> TransferFailure? {
        for program in programs {
            guard let command = try? ForeignCommand(typed, of: program), command.isPlausible,
                let line = try? command.line()
            else { continue }
            if let note = command.note, let advice = try? command.advice(note) { return .usage(advice) }
            let lack = command.notice.map { $0 + " " } ?? ""
            guard let option else { return .usage(lack + tr("With Longhaul, type: \(line)")) }
            return .usage(lack + tr("\(option) is an option of \(program.rawValue). With Longhaul, type: \(line)"))
        }
        return nil
    }

    /// The command of Longhaul, and why it does not do quite the same.
    static func command(_ typed: [String], _ program: ForeignProgram) -> (line: String, note: String?)? {
        guard let command = try? ForeignCommand(typed, of: program), command.isPlausible,
            let line = try? command.line()
        else { return nil }
        return (line, command.note)
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
        let before = typed.firstIndex(of: operand).flatMap { $0 > 0 ? typed[$0 - 1] : nil }
        let option = before.flatMap { ForeignOption.named($0, of: .wget)?.takesValue == true ? $0 : nil }
        if !HostText.isHost(operand), let hint = hint(typed, programs, option: option) { throw hint }
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
        // No page has this address; wget's -e sets its options.
        if let referer = arguments.value(.referer), referer.contains("="), !referer.contains(where: "./".contains),
            let hint = hint(typed, [.wget], option: "-e")
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
    fileprivate var isRefused: Bool {
        switch meaning {
        case .same, .nearest, .impossible: true
        case .nothing, .lacking, .option, .part, .habit, .command: false
        }
    }
}
