import LonghaulCore
import LonghaulIPC

/// The whole command: from the words that were typed to the exit status.
package struct Program: Sendable {
    private let world: World

    package init(world: World) {
        self.world = world
    }

    /// `words` are the arguments without the program's name; `nil` is one that is not UTF-8.
    package func run(_ words: [String?]) async -> Int32 {
        if let index = words.firstIndex(of: nil) {
            let remedy = "rename the file, or give another name to a link to it"
            world.console.say(ErrorLine.text(.usage("word \(index + 1) after longhaul is not UTF-8: \(remedy)")))
            return ExitStatus.usage.number
        }
        // Programs that read JSON compare sentences at most with those of the documentation.
        let catalogue = words.contains("--json") ? nil : world.catalogue()
        return await Language.$catalogue.withValue(catalogue) { await obey(words.compactMap(\.self)) }
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
            // A URL alone, or options before one, mean what curl and wget do with them, and a Metalink what aria2 does.
            let isDownload = first.contains("://") || first.hasPrefix("-") || MetalinkOrders.isMetalink(first)
            guard let command = isDownload ? .download : Command.named(first) else { return unknown(first) }
            let rest = isDownload ? words[...] : rest
            let beforeEnd = rest.prefix { $0 != "--" }
            if beforeEnd.contains("--help") || beforeEnd.contains("-h") { return help(command.name) }
            return await run(command, rest).number
        }
    }

    private func run(_ command: Command, _ words: ArraySlice<String>) async -> ExitStatus {
        do throws(TransferFailure) {
            let preferred = try Preferences.words(for: command, world)
            let typed = try Arguments(parsing: preferred + words, options: command.options)
            let arguments = try await Predecessors.resolve(typed, world)
            guard let notice = try notice(for: command, arguments) else {
                return try await command.run(arguments, world)
            }
            let status = try await command.run(arguments, notice.watching(world))
            return status == .success && notice.isTold && command.onlyLooks ? .damaged : status
        } catch {
            tell(error, of: command, asJSON: words.contains("--json"))
            return ExitStatus(error.code)
        }
    }

    /// Whoever asks a session is told of its damage; the doctor without IDs finds it itself.
    private func notice(for command: Command, _ arguments: Arguments) throws(TransferFailure) -> DamageNotice? {
        let isExamination = command.name == Command.doctor.name && arguments.operands.isEmpty
        guard command.options.contains(.session), !isExamination else { return nil }
        return DamageNotice(try LocalCheck.session(arguments))
    }

    private func tell(_ failure: TransferFailure, of command: Command, asJSON: Bool) {
        if asJSON {
            var json = JSONWriter()
            json.object { $0.members(of: failure) }
            json.endLine()
            world.console.writeOutput(json.bytes)
        } else if failure.code == .invalidArgument {
            let sentence = StateText.sentence(failure) + "; see longhaul help \(command.name)"
            world.console.say(ErrorLine.text(.usage(sentence)))
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
        guard let command = Command.named(name) else { return unknown(name) }
        world.console.print(helpText.about(command, isWhole: isWhole))
        return 0
    }

    /// Of URLs that have no host, and so do not look like one.
    private static let foreignSchemes = ["magnet", "mailto", "data", "file"]

    private func unknown(_ name: String) -> Int32 {
        if let scheme = Self.foreignSchemes.first(where: { name.hasPrefix($0 + ":") }) {
            world.console.say(ErrorLine.text(.usage("\(scheme) is not spoken here: URLs begin with http and https")))
            return ExitStatus.usage.number
        }
        let meant = Suggestion.command(for: name) ?? Suggestion.nearest(to: name, among: Command.all.map(\.name))
        let other =
            name.contains { "./".contains($0) }
            ? tr("; a URL begins with https:// or http://") : tr("; see longhaul help")
        let hint = meant.map { tr(" (did you mean \($0)?)") } ?? other
        world.console.say(ErrorLine.text(.usage(tr("there is no command \"\(name)\"") + hint)))
        return ExitStatus.usage.number
    }
}
