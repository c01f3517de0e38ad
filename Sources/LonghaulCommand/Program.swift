import LonghaulCore
import LonghaulIPC

/// The whole command: from the words that were typed to the exit status.
package struct Program: Sendable {
    private let world: World

    package init(world: World) {
        self.world = world
    }

    /// - Parameter words: The arguments without the program's name; `nil` stands for one that is not UTF-8.
    package func run(_ words: [String?]) async -> Int32 {
        // Programs that read JSON may compare sentences with those in the documentation. curl sends data with its --json.
        let isForeign = words.first.flatMap { $0 }.flatMap { ForeignProgram(word: $0) } != nil
        let catalogue = Self.wantsJSON(words.compactMap(\.self)) && !isForeign ? nil : world.catalogue()
        return await Language.$catalogue.withValue(catalogue) {
            if let fault = world.environmentFault {
                report(fault, of: nil)
                return ExitStatus(fault.code).number
            }
            guard let index = words.firstIndex(of: nil) else { return await obey(words.compactMap(\.self)) }
            report(
                .usage("Argument \(index + 1) is not UTF-8. Rename the file, or link to it by another name."), of: nil)
            return ExitStatus.usage.number
        }
    }

    private func obey(_ words: [String]) async -> Int32 {
        guard let first = words.first else {
            world.console.say(helpText.overview())
            return ExitStatus.usage.number
        }
        let rest = words.dropFirst()
        switch first {
        case "--version", "-V", "version":
            world.console.print("longhaul \(Release.version)")
            return 0
        case "--help", "-h", "help":
            guard rest.first == "--complete" else { return help(rest.first, isWhole: rest.dropFirst().first == "all") }
            for line in await Completion(world: world).lines(Array(rest.dropFirst())) { world.console.print(line) }
            return 0
        default:
            do throws(TransferFailure) {
                let (command, rest) = try command(in: words)
                let beforeEnd = rest.prefix { $0 != "--" }
                if beforeEnd.contains("--help") || beforeEnd.contains("-h") { return help(command.name) }
                var world = world
                world.console.hidesPaths = ForeignProgram(word: first) != nil
                return await Program(world: world).run(command, rest).number
            } catch {
                report(error, of: nil)
                return ExitStatus(error.code).number
            }
        }
    }

    /// Whether the output is for a program. Data after `--json` is meant for curl's option of that name.
    private static func wantsJSON(_ words: some Collection<String>) -> Bool {
        zip(words, words.dropFirst() + [""]).contains { word, next in
            word == "--json" && !["{", "[", "@"].contains(next.prefix(1))
        }
    }

    /// Finds the command, and the words after its name.
    func command(in words: [String]) throws(TransferFailure) -> (Command, ArraySlice<String>) {
        guard let first = words.first else { return (.download, []) }
        let rest = words.dropFirst()
        if let program = ForeignProgram(word: first) {
            guard !rest.contains("--help") else { return (.download, ["--help"]) }
            let translated = try ForeignCommand(rest, of: program, isNamed: true)
            if let note = translated.note {
                // The command to type has no program's name before it.
                throw .usage(try ForeignCommand(rest, of: program).advice(note))
            }
            let line = try translated.words()
            if let notice = translated.notice { world.console.say(notice) }
            return try command(in: line)
        }
        if words.prefix(2) == ["service", "restart"] {
            throw .usage("The service starts again with the next command. Type: \(ShellText.line(["service", "stop"]))")
        }
        // A URL alone, or options before one, mean what curl and wget do with them, and a Metalink what aria2 does.
        guard first.hasPrefix("-") || first.contains("://") || MetalinkOrders.isMetalink(first) else {
            if let command = Command.named(first) { return (command, rest) }
            throw Suggestion.unknown(first, Array(rest), world)
        }
        guard let index = commandIndex(in: words), let command = Command.named(words[index]) else {
            return (.download, words[...])
        }
        var others = words
        others.remove(at: index)
        return (command, others[...])
    }

    /// Finds a command that follows options which belong to it.
    private func commandIndex(in words: [String]) -> Int? {
        guard let index = words.firstIndex(where: { Command.named($0) != nil }),
            let command = Command.named(words[index])
        else { return nil }
        // The word is the value of an option if that is not complete without it.
        guard let read = try? Arguments(parsing: words[..<index], options: command.options), read.operands.isEmpty
        else {
            return nil
        }
        return index
    }

    private func run(_ command: Command, _ words: ArraySlice<String>) async -> ExitStatus {
        let typed: Arguments
        do throws(TransferFailure) {
            let preferred = try Preferences.words(for: command, world)
            typed = try Arguments(parsing: words, after: preferred, options: command.options)
        } catch {
            var error = error
            // A sentence that names a command has answered already.
            if error.code == .invalidArgument, !error.message.contains("longhaul ") {
                error.advice = TransferFailure.help
            }
            report(error, of: command, asJSON: Self.wantsJSON(words))
            return ExitStatus(error.code)
        }
        if !typed.has(.quiet), let notice = ForeignCommand.notice(lacking: typed.lacking).first {
            world.console.say(notice)
        }
        return await ErrorLine.$showsCode.withValue(typed.has(.verbose)) {
            await run(command, typed, asJSON: Self.wantsJSON(words))
        }
    }

    private func run(_ command: Command, _ typed: Arguments, asJSON: Bool) async -> ExitStatus {
        do throws(TransferFailure) {
            if command.takesPaths, let fault = world.directoryFault { throw fault }
            let arguments = try await Predecessors.resolve(typed, world)
            guard let notice = try notice(for: command, arguments) else {
                return try await command.run(arguments, world)
            }
            let status = try await command.run(arguments, notice.watching(world))
            await notice.finish(world)
            return status == .success && notice.isTold && command.onlyLooks ? .damaged : status
        } catch {
            report(error, of: command, asJSON: asJSON)
            return ExitStatus(error.code)
        }
    }

    /// Reports damage of the session that a command uses; the doctor without IDs finds it itself.
    private func notice(for command: Command, _ arguments: Arguments) throws(TransferFailure) -> DamageNotice? {
        let isExamination = command.name == Command.doctor.name && arguments.operands.isEmpty
        guard command.options.contains(.session), !isExamination else { return nil }
        return DamageNotice(try LocalCheck.session(arguments))
    }

    private func report(_ failure: TransferFailure, of command: Command?, asJSON: Bool = false) {
        let failure = command.map(failure.namingHelp) ?? failure
        if asJSON {
            var json = JSONWriter()
            json.object { $0.members(of: failure) }
            json.endLine()
            world.console.writeOutput(json.bytes)
        } else {
            world.console.say(ErrorLine.text(failure))
        }
    }

    private var helpText: HelpText { HelpText(catalogue: Language.catalogue) }

    private func help(_ name: String?, isWhole: Bool = false) -> Int32 {
        guard let name, name != "help" else {
            world.console.print(helpText.overview())
            return 0
        }
        if name == "--man" {
            world.console.print(ManualPage.text())
            return 0
        }
        if name == "--pot" {
            world.console.print(TranslationTemplate.text())
            return 0
        }
        guard let command = Command.named(name) else {
            report(Suggestion.unknown(name, [], world), of: nil)
            return ExitStatus.usage.number
        }
        world.console.print(helpText.about(command, isWhole: isWhole))
        return 0
    }
}
