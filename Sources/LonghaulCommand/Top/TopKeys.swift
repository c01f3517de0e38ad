import LonghaulCore

/// What the keys of `top` do.
extension TopState {
    /// The keys as help shows them.
    static let help = [
        ("arrows, j k", "select; Page Up and Down, Home and End too"), ("p", "pause the selected transfer"),
        ("r", "resume it, start it again, or try at once"), ("a", "go on whatever the conditions are"),
        ("c", "cancel it, or forget one that has ended"), ("f  l", "first or last in the queue"),
        ("+  -", "priority up or down by one"), ("s", "limit its speed"), ("S", "limit the speed of the whole session"),
        ("Enter, i", "why it is where it is"), ("h", "its history"), ("/", "find by name"),
        ("Ctrl-L", "draw the screen again"), ("Ctrl-Z", "back to the shell for a while"),
        ("q, Ctrl-C", "leave; transfers go on"),
    ]

    mutating func press(_ key: TopKey) -> [Action] {
        switch key {
        case .control("c"): return [.leave]
        case .control("z"): return [.suspend]
        case .control("l"): return [.redraw]
        default: break
        }
        switch mode {
        case .list: return pressInList(key)
        case .help:
            mode = .list
            return []
        case .panel(let title, let lines, let first):
            return pressInPanel(key, title, lines, first)
        case .prompt(let prompt, let text): return type(key, prompt, text)
        case .question(_, let action):
            mode = .list
            return key == .character("y") || key == .character("Y") ? [action] : []
        }
    }

    private mutating func pressInList(_ key: TopKey) -> [Action] {
        switch key {
        case .up, .character("k"): select(selectedIndex - 1)
        case .down, .character("j"): select(selectedIndex + 1)
        case .pageUp, .control("b"): select(selectedIndex - room)
        case .pageDown, .control("f"), .character(" "): select(selectedIndex + room)
        case .home, .character("g"): select(0)
        case .end, .character("G"): select(.max)
        case .character("q"): return [.leave]
        case .character("?"): mode = .help
        case .character("S"): mode = .prompt(.wholeRate, text: "")
        case .character("/"): mode = .prompt(.search, text: "")
        case .character(let letter): return pressForSelected(letter)
        case .enter: return selected.map { [.reason($0)] } ?? []
        case .escape, .backspace, .control: break
        }
        return []
    }

    /// Keys that concern the selected transfer.
    private mutating func pressForSelected(_ letter: Character) -> [Action] {
        guard let transfer = selectedTransfer else { return [] }
        let id = transfer.id
        switch letter {
        case "p": return pause(transfer)
        case "r":
            return transfer.state == .paused
                ? [.control(.resume, id, done: "resumed")] : [.control(.retry, id, done: "started again")]
        case "a": return [.adjust(TransferAdjustment(ignoresConditions: true), id, done: "released")]
        case "c": return cancel(transfer)
        case "f": return [.place(.first, id)]
        case "l": return [.place(.last, id)]
        case "+", "=": return priority(transfer.priority + 1, of: id)
        case "-": return priority(transfer.priority - 1, of: id)
        case "s": mode = .prompt(.rate(id, name: transfer.name), text: "")
        case "i": return [.reason(id)]
        case "h": return [.history(id)]
        default: break
        }
        return []
    }

    private func priority(_ priority: Int, of id: TransferID) -> [Action] {
        guard TransferAdjustment.priorities.contains(priority) else { return [] }
        return [.adjust(TransferAdjustment(priority: priority), id, done: "has priority \(priority)")]
    }

    private mutating func pause(_ transfer: TransferSnapshot) -> [Action] {
        let action = Action.control(.pause, transfer.id, done: "paused")
        guard transfer.losesBytesWhenStopped, transfer.bytesDone > 0 else { return [action] }
        let loss = "cannot be resumed: a pause loses \(HumanText.bytes(transfer.bytesDone))."
        mode = .question("\(DisplayText.clean(transfer.name)) \(loss) Pause all the same? y/n", action)
        return []
    }

    private mutating func cancel(_ transfer: TransferSnapshot) -> [Action] {
        if transfer.state.isEnded { return [.control(.remove, transfer.id, done: "forgotten")] }
        let name = DisplayText.clean(transfer.name)
        mode = .question(
            "Cancel \(name) and delete what has arrived of it? y/n",
            .control(.cancel, transfer.id, done: "cancelled"))
        return []
    }

    private mutating func pressInPanel(
        _ key: TopKey, _ title: String, _ lines: [String], _ first: Int
    ) -> [Action] {
        let step: Int
        switch key {
        case .up, .character("k"): step = -1
        case .down, .character("j"): step = 1
        case .pageUp: step = -room
        case .pageDown, .character(" "): step = room
        default:
            mode = .list
            // The other panel is one key away.
            if let id = selected, key == .character("h") { return [.history(id)] }
            if let id = selected, key == .character("i") { return [.reason(id)] }
            return []
        }
        let last = max(0, TopView.wrapped(lines, size.columns).count - TopView.panelRoom(size))
        mode = .panel(title: title, lines: lines, first: max(0, min(first + step, last)))
        return []
    }

    private mutating func type(_ key: TopKey, _ prompt: Prompt, _ text: String) -> [Action] {
        switch key {
        case .character(let letter): mode = .prompt(prompt, text: text + String(letter))
        case .backspace: mode = .prompt(prompt, text: String(text.dropLast()))
        case .escape: mode = .list
        case .enter:
            mode = .list
            return answer(prompt, text)
        case .up, .down, .pageUp, .pageDown, .home, .end, .control: break
        }
        return []
    }

    private mutating func answer(_ prompt: Prompt, _ text: String) -> [Action] {
        let text = String(text.trimming { $0 == " " })
        if text.isEmpty { return [] }
        if prompt == .search {
            find(text)
            return []
        }
        guard let rate = RulesText.limit(text) else {
            say("a rate is bytes a second such as 500k, 2M or none, not \"\(text)\"")
            return []
        }
        if case .rate(let id, _) = prompt {
            let done = rate > 0 ? "limited to \(HumanText.rate(rate))" : "goes as fast as it can"
            return [.adjust(TransferAdjustment(rateLimit: rate), id, done: done)]
        }
        return [.limit(rate)]
    }

    /// The next one after the selected one that has this in its name, from the beginning again at the end.
    private mutating func find(_ text: String) {
        let wanted = text.lowercased()
        let order = book.order
        let next = order.indices.dropFirst(selectedIndex + 1) + Array(order.indices.prefix(selectedIndex + 1))
        let found = next.first { book.transfers[order[$0]]?.name.lowercased().contains(wanted) == true }
        guard let found else { return say("no name has \"\(text)\" in it") }
        select(found)
    }
}
