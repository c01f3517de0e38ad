import LonghaulCore
import LonghaulSystem

extension Option {
    fileprivate static let newPriority = Option(
        "priority", value: "N|first|last", "Set the queue priority, or move to either end")
    fileprivate static let newRate = Option(
        "limit-rate", value: "RATE|none", "Limit the speed to RATE bytes/s, such as 2M")
    fileprivate static let newBegin = Option(
        "not-before", value: "WHEN|now", "Start no earlier than WHEN, such as 23:00")
    fileprivate static let newRetry = Option(
        "retry", value: "N", "Retry N times without progress")
    fileprivate static let newMaxTime = Option(
        "max-time", "m", value: "TIME", "Fail if not finished within TIME, from now or --not-before")
    fileprivate static let newPatience = Option(
        "give-up-after", value: "TIME|none", "Fail after TIME without progress")
    static let newOutput = Option("output", "o", value: "FILE", "Save one download as FILE instead")
    static let newDirectory = Option("directory", "d", value: "DIR", "Save downloads in DIR instead")
    fileprivate static let newGroup = Option("to-group", value: "NAME|none", "Move the transfers to group NAME")
    fileprivate static let newPredecessor = Option(
        "after", value: "ID|none", isGivenOnce: true, "Start after transfer ID succeeds; none removes this condition")
    fileprivate static let newSplit = Option(
        "split", value: "N|auto", "Use at most N connections from the next attempt on")
    fileprivate static let newNotify = Option("notify", value: "yes|no", "Turn desktop notifications on or off")
    fileprivate static let noConditions = Option("no-conditions", nil, "Remove all conditions from the transfers")
}

extension OptionGroup {
    fileprivate static let changes: [OptionGroup] = [
        OptionGroup(
            "Queue", [.newPriority, .newBegin, .newPredecessor, .afterAny, .newGroup],
            notes: [
                "`first` and `last` are one more and one less than the priorities of all other transfers that have not "
                    + "ended. The limit of a new group applies at once."
            ]),
        OptionGroup(
            "Files", [.newOutput, .newDirectory],
            notes: [
                "The next attempt moves the partial file before it sends a request. Between file systems, it copies the "
                    + "file, syncs the copy, and then deletes the original. If the new file system is full, the download "
                    + "waits for disk space and the original stays."
            ]),
        OptionGroup(
            "Limits and retries", [.newRate, .newSplit, .newRetry, .newMaxTime, .newPatience]),
        OptionGroup(
            "Conditions", OptionGroup.conditions.options + [.noConditions],
            examples: [.init("longhaul set film.mp4 --no-conditions", "Remove all conditions")]),
        OptionGroup(
            "Notifications", [.newNotify],
            examples: [.init("longhaul set film.mp4 --notify yes", "Show a notification at the end")]),
    ]
}

/// `longhaul set`: changes options of transfers that have not ended.
struct TransferChange: Sendable {
    static let command: Command = Command(
        "set", "ID…|--group NAME|--all [options]", "Change the options of transfers",
        groups: OptionGroup.changes + [
            OptionGroup(
                "Selection and output", Option.selection + [.session, .quiet],
                notes: [
                    "A change is atomic: if one option cannot be applied to a transfer, that transfer stays unchanged, "
                        + "and the command reports why."
                ])
        ],
        common: [
            .newPriority, .newRate, .newBegin, .newPredecessor, .newGroup, .newOutput, .newDirectory, .noMetered,
            .between, .noConditions, .chosenGroup, .allTransfers,
        ],
        examples: [
            .init("longhaul set film.mp4 --priority first", "Start before all other waiting transfers"),
            .init("longhaul set --all --limit-rate 500k", "Slow down all transfers at once"),
            .init("longhaul set 3c9e98ab -d /mnt/disk", "Move a download to another directory"),
        ],
        notes: [
            "A rate, a priority, and a group apply at once. A start time applies to transfers that wait or are paused. "
                + "The value default restores what a new transfer has.",
            "Conditions such as --no-metered replace all conditions of the transfers. --after requires a transfer that "
                + "is not running.",
            "-o and -d keep the bytes downloaded so far. -d requires a download that is not running. To move a failed "
                + "download, use set, then retry.",
            Option.transferUnits,
        ],
        run: { arguments, world throws(TransferFailure) in
            let change = try TransferChange(arguments, world)
            if let rules = change.adjustment.conditions { await UnreportedText.say(rules, arguments, world) }
            return try await ChosenTransfers.change(
                arguments.operands, "set", among: command.transfers, done: .changed, arguments, world
            ) { service, selection, session throws(TransferFailure) in
                var adjustment = change.adjustment
                adjustment.priority = try await change.place?.priority(of: selection, in: session, over: service)
                if adjustment.notifications == .always { try await service.allowNotifications(in: session) }
                let answer = try await service.adjust(adjustment, selection, in: session)
                if change.adjustment.destination != nil, !arguments.has(.quiet), case .ids(let ids) = selection {
                    await sayHowToRetry(ids, answer, service, session, world)
                }
                return answer
            }
        })

    private static func sayHowToRetry(
        _ ids: [TransferID], _ answer: ControlAnswer, _ service: any TransferService, _ session: SessionID,
        _ world: World
    ) async {
        for id in ids where !answer.refusals.contains(where: { $0.id == id }) {
            guard let transfer = try? await service.show(id, in: session).snapshot, transfer.state.isEnded else {
                continue
            }
            world.console.say(tr("\(ShortID.text(id)) has ended. To start it again, run \(session.hint("retry", id))."))
        }
    }

    private let adjustment: TransferAdjustment
    private let place: QueuePlace?

    private init(_ arguments: Arguments, _ world: World) throws(TransferFailure) {
        guard OptionGroup.changes.flatMap(\.options).contains(where: arguments.has) else {
            throw .misuse("set needs an option to change, such as --priority first or --not-before 23:00.")
        }
        var adjustment = TransferAdjustment()
        place = try arguments.value(.newPriority).map { text throws(TransferFailure) in
            guard let place = QueuePlace(text == "default" ? "0" : text) else {
                throw .usage(
                    "--priority must be a number, first, last, or default, not \"\(DisplayText.clean(text))\".")
            }
            return place
        }
        if let text = arguments.value(.newRate) {
            guard let rate = RulesText.limit(text) else {
                throw .usage(
                    "--limit-rate must be bytes per second such as 500k or 2M, none, or default, not \"\(text)\".")
            }
            adjustment.rateLimit = rate
        }
        if let text = arguments.value(.newBegin) {
            let isNow = ["now", "none", "default"].contains(text)
            adjustment.earliestBeginDate = isNow ? world.now() : try TransferTemplate.beginDate(text, world)
        }
        let usual = TransferOptions()
        adjustment.retryLimit =
            arguments.value(.newRetry) == "default"
            ? usual.retryLimit : try arguments.integer(.newRetry, 0...1_000_000)
        adjustment.timeoutIntervalForResource =
            arguments.value(.newMaxTime) == "default"
            ? usual.timeoutIntervalForResource : try arguments.span(.newMaxTime)
        adjustment.progressTimeout =
            ["none", "default"].contains(arguments.value(.newPatience)) ? .zero : try arguments.span(.newPatience)
        if let name = arguments.value(.newGroup) {
            guard !name.isEmpty else { throw .usage("--to-group must be the name of a group, or none.") }
            adjustment.group = name == "none" || name == "default" ? "" : name
        }
        adjustment.destination = try Self.destination(arguments, world)
        try adjustment.readQueueing(arguments)
        self.adjustment = adjustment
    }

    /// Returns where `-o` and `-d` move downloads to; `nil` without them.
    static func destination(
        _ arguments: Arguments, _ world: World
    ) throws(TransferFailure) -> TransferAdjustment.Destination? {
        let (output, directory) = (arguments.value(.newOutput), arguments.value(.newDirectory))
        guard output != nil || directory != nil else { return nil }
        if output != nil, arguments.operands.count != 1 { throw .usage("-o is for a single download only.") }
        let place = try DownloadPlace(output: output, directory: directory, overwrites: false, world: world)
        if directory != nil { try place.makeDirectory() }
        try place.check(remedy: "Choose another name.")
        var destination = TransferAdjustment.Destination(directory: place.directory, fileName: place.fileName)
        destination.mountPoint = MountPoints(environment: world.environment).mountPoint(of: place.directory)
        return destination
    }
}

extension TransferAdjustment {
    /// Reads the predecessor, the connections, the notifications, and the conditions.
    fileprivate mutating func readQueueing(_ arguments: Arguments) throws(TransferFailure) {
        if let text = arguments.value(.newPredecessor) ?? arguments.value(.afterAny) {
            predecessor = Predecessor(TransferID(text), followsFailure: arguments.has(.afterAny))
        }
        if let text = arguments.value(.newSplit) {
            segments =
                text == "auto" || text == "default" ? 0 : try arguments.integer(.newSplit, 1...SegmentPolicy.mostChosen)
        }
        if let text = arguments.value(.newNotify) {
            guard text == "yes" || text == "no" else {
                throw .usage("--notify must be yes or no, not \"\(DisplayText.clean(text))\".")
            }
            notifications = text == "yes" ? .always : .never
        }
        let addsConditions = OptionGroup.conditions.options.contains(where: arguments.has)
        guard addsConditions || arguments.has(.noConditions) else { return }
        guard !addsConditions || !arguments.has(.noConditions) else {
            throw .usage("--no-conditions cannot be combined with conditions.")
        }
        conditions = try TransferTemplate.conditions(arguments)
    }
}
