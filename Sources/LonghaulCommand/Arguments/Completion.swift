import LonghaulCore
import LonghaulIPC

/// Completions for a shell: one candidate per line, with its description after a tab.
///
/// The files in `packaging/completions` call `longhaul help --complete WORD…`; the last word is incomplete. For file names,
/// which the shell completes itself, the only line is `:files` or `:directories`.
struct Completion: Sendable {
    let world: World

    /// The maximum number of transfers offered.
    private static let most = 500

    /// Returns the candidates. Failures give none, since a shell cannot show a message here.
    func lines(_ words: [String]) async -> [String] {
        let words = Self.joined(words)
        guard let typed = words.last, let first = words.first else { return [] }
        if words.count == 1, !typed.hasPrefix("-") {
            let help = HelpText(catalogue: Language.catalogue).text(HelpText.helpAboutACommand)
            return rows(commands + [("help", help)], typed)
        }
        if first == "help" { return helpWords(words, typed) }
        // A URL or an option without a command belongs to a download. Other programs have their own options.
        guard ForeignProgram(word: first) == nil,
            let (command, before) = try? Program(world: world).command(in: words.dropLast())
        else { return [] }
        if let option = expectant(before, command) {
            return await rows(option.candidates, typed, command, before.dropLast())
        }
        if !before.contains("--"), typed.hasPrefix("-") { return options(of: command, typed) }
        let operands = (try? Arguments(parsing: before, options: command.options))?.operands ?? []
        return await rows(command.candidates(after: operands), typed, command, before)
    }

    private typealias Row = (word: String, meaning: String)

    private var commands: [Row] {
        let help = HelpText(catalogue: Language.catalogue)
        return Command.all.map { ($0.name, help.text($0.summary)) }
    }

    private func helpWords(_ words: [String], _ typed: String) -> [String] {
        if words.count == 2 { return rows(commands, typed) }
        let hasMore = words.count == 3 && Command.named(words[1])?.common.isEmpty == false
        return hasMore ? rows([("all", "")], typed) : []
    }

    /// Joins `--state=failed`, which bash passes as three words.
    private static func joined(_ words: [String]) -> [String] {
        var joined: [String] = []
        for word in words {
            if word == "=", joined.last?.hasPrefix("--") == true {
                continue
            }
            joined.append(word)
        }
        if words.last == "=" { joined.append("") }
        return joined
    }

    /// Returns the option whose value is incomplete.
    private func expectant(_ before: ArraySlice<String>, _ command: Command) -> Option? {
        guard let last = before.last, last.hasPrefix("-"), !before.dropLast().contains("--") else { return nil }
        let option = command.options.first { option in
            last == "--" + option.long || (!last.hasPrefix("--") && option.short == last.last)
        }
        return option?.value == nil ? nil : option
    }

    private func options(of command: Command, _ typed: String) -> [String] {
        if let equals = typed.firstIndex(of: "="),
            let option = command.options.first(where: { "--" + $0.long == typed[..<equals] }),
            case .words(let words) = option.candidates
        {
            return rows(words.map { ("--\(option.long)=\($0)", "") }, typed)
        }
        let help = HelpText(catalogue: Language.catalogue)
        let options = command.listed.map { ("--" + $0.long, help.text($0.help)) }
        return rows(options + [("--help", help.text(HelpText.helpAboutThisCommand))], typed)
    }

    private func rows(_ rows: [Row], _ typed: String) -> [String] {
        rows.filter { $0.word.hasPrefix(typed) }.map { row in
            row.meaning.isEmpty ? row.word : row.word + "\t" + DisplayText.clean(row.meaning)
        }
    }

    private func rows(
        _ candidates: Candidates, _ typed: String, _ command: Command, _ before: ArraySlice<String>
    ) async -> [String] {
        switch candidates {
        case .nothing: return []
        case .files: return [":files"]
        case .directories: return [":directories"]
        case .commands: return rows(commands, typed)
        case .words(let words): return rows(words.map { ($0, "") }, typed)
        case .transfers, .sessions, .groups, .tasks: break
        }
        guard let arguments = try? Arguments(parsing: before, options: command.options),
            let session = try? LocalCheck.session(arguments), let service = try? await world.connect(true)
        else { return [] }
        defer { service.close() }
        switch candidates {
        case .sessions:
            let names = (try? await service.status())?.sessions.map(\.id.description) ?? []
            return rows(names.map { ($0, "") }, typed)
        case .tasks:
            let tasks = (try? await service.tasks(after: nil, in: session))?.tasks ?? []
            return rows(tasks.map { ($0.identifier, "") }, typed)
        case .groups:
            let names = Set(await transfers(StateText.words, session, service).compactMap(\.group))
            return rows(names.sorted().map { ($0, "") }, typed)
        case .transfers(let states):
            let all = await transfers(states, session, service)
            let named = Dictionary(grouping: all, by: \.name).mapValues { Namesakes.meant(of: $0, among: states) }
            return rows(all.flatMap { names(of: $0, typed, hasOwnName: named[$0.name]?.map(\.id) == [$0.id]) }, typed)
        case .nothing, .files, .directories, .words, .commands: return []
        }
    }

    /// Returns the short identifier and the key, and the file name and the number if their beginning was typed.
    private func names(of transfer: TransferSnapshot, _ typed: String, hasOwnName: Bool) -> [Row] {
        let what = StateText.word(transfer.state) + " " + transfer.name
        var rows = [(ShortID.text(transfer.id), what)]
        if let key = transfer.key, DisplayText.clean(key) == key { rows.append((key, what)) }
        if !typed.isEmpty { rows.append((String(transfer.sequence), what)) }
        if !typed.isEmpty, hasOwnName, DisplayText.clean(transfer.name) == transfer.name {
            rows.append((transfer.name, StateText.word(transfer.state)))
        }
        return rows
    }

    /// Returns the newest ended transfers and the first of the others.
    private func transfers(
        _ states: [String], _ session: SessionID, _ service: any TransferService
    ) async -> [TransferSnapshot] {
        var found: [TransferSnapshot] = []
        let live = try? await service.list(ListQuery(ended: false, limit: Self.most), in: session)
        found += live?.transfers ?? []
        if states.contains(where: StateText.endedWords.contains), let totals = live?.totals {
            // Sequence numbers rise by at least one, so earlier ones can be skipped.
            let count = totals.succeeded + totals.failed + totals.cancelled
            let query = ListQuery(ended: true, afterSequence: Int64(max(0, count - Self.most)), limit: Self.most)
            found += (try? await service.list(query, in: session))?.transfers ?? []
        }
        return found.filter { states.contains(StateText.word($0.state)) }
    }
}
