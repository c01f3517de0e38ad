import LonghaulCore

/// The keys of `top`.
extension TopState {
    /// The keys as the help shows them.
    static var help: [(String, String)] {
        [
            (tr("arrows, j k"), tr("select; also Page Up, Page Down, Home, and End")),
            ("p", tr("pause the selected transfer")), ("r", tr("resume it")),
            ("t", tr("retry it, or start it now")),
            ("a", tr("continue it under any conditions")),
            ("c", tr("cancel it")), ("d", tr("remove an ended transfer from the list")),
            ("D", tr("remove all ended transfers from the list")),
            ("f  l", tr("move it to the front or the end of the queue")),
            ("+  -", tr("raise or lower its priority by one")), ("s", tr("limit its speed")),
            ("S", tr("limit the speed of the whole session")), (tr("Enter, i"), tr("why it is in its state")),
            ("h", tr("its history")), ("/", tr("find by name, state, or host")), ("Ctrl-L", tr("redraw the screen")),
            ("Ctrl-Z", tr("suspend top")), ("q, Ctrl-C", tr("quit; the transfers continue")),
        ]
    }

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
        case .character("D"): confirmForgettingEnded()
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
        case "r": return [.control(.resume, id, done: tr("Resumed."))]
        case "t": return [.control(.retry, id, done: tr("Started again."))]
        case "a":
            return [
                .adjust(TransferAdjustment(ignoresConditions: true), id, done: tr("Continues under any conditions."))
            ]
        case "c": cancel(transfer)
        case "d": return remove(transfer)
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
        return [.adjust(TransferAdjustment(priority: priority), id, done: tr("Priority: \(priority)"))]
    }

    private mutating func pause(_ transfer: TransferSnapshot) -> [Action] {
        let action = Action.control(.pause, transfer.id, done: tr("Paused."))
        guard transfer.losesBytesWhenStopped, transfer.bytesDone > 0 else { return [action] }
        let (name, bytes) = (DisplayText.clean(transfer.name), HumanText.bytes(transfer.bytesDone))
        mode = .question(tr("\(name) cannot be resumed: a pause loses \(bytes). Pause anyway? y/n"), action)
        return []
    }

    private mutating func cancel(_ transfer: TransferSnapshot) {
        guard !transfer.state.isEnded else { return say(tr("It has ended. Press d to remove it from the list.")) }
        let (name, bytes) = (DisplayText.clean(transfer.name), HumanText.bytes(transfer.bytesDone))
        let action = Action.control(.cancel, transfer.id, done: tr("Cancelled."))
        mode = .question(
            transfer.bytesDone > 0 ? tr("Cancel \(name) and lose \(bytes)? y/n") : tr("Cancel \(name)? y/n"), action)
    }

    private mutating func remove(_ transfer: TransferSnapshot) -> [Action] {
        guard transfer.state.isEnded else {
            say(tr("It has not ended. Press c to cancel it first."))
            return []
        }
        let action = Action.control(.remove, transfer.id, done: tr("Removed from the list."))
        guard transfer.keepsPartialFile else { return [action] }
        let (name, bytes) = (DisplayText.clean(transfer.name), HumanText.bytes(transfer.bytesDone))
        mode = .question(tr("\(name) could be resumed by a retry; its removal loses \(bytes). Remove it? y/n"), action)
        return []
    }

    private mutating func confirmForgettingEnded() {
        let ended = totals.succeeded + totals.failed + totals.cancelled
        guard ended > 0 else { return say(tr("No transfer has ended.")) }
        mode = .question(
            tr("Remove all ended transfers from the list (\(ended))? Failed ones lose their partial files. y/n"),
            .forgetEnded)
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
            // `h` and `i` switch between the panels.
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
            say(tr("A rate must be bytes per second such as 500k or 2M, or none, not \"\(text)\"."))
            return []
        }
        if case .rate(let id, _) = prompt {
            let done = rate > 0 ? tr("Limited to \(HumanText.rate(rate)).") : tr("Not limited.")
            return [.adjust(TransferAdjustment(rateLimit: rate), id, done: done)]
        }
        return [.limit(rate)]
    }

    /// Selects the next transfer with this text in its name, state, or host, and continues from the first one.
    private mutating func find(_ text: String) {
        let wanted = text.lowercased()
        let order = book.order
        let next = order.indices.dropFirst(selectedIndex + 1) + Array(order.indices.prefix(selectedIndex + 1))
        let found = next.first { index in
            guard let transfer = book.transfers[order[index]] else { return false }
            return [transfer.name, StateText.shown(transfer.state), String(transfer.host)].contains {
                $0.lowercased().contains(wanted)
            }
        }
        guard let found else { return say(tr("No transfer matches \"\(text)\".")) }
        select(found)
    }
}
