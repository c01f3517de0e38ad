import LonghaulClient
import LonghaulCore

extension Option {
    fileprivate static let newPriority = Option("priority", value: "N|first|last", "Its place among those that wait")
    fileprivate static let newRate = Option("limit-rate", value: "RATE|none", "Bytes a second at the most, at once")
    fileprivate static let newBegin = Option(
        "not-before", value: "WHEN|now", "Another date before which it does not begin")
    fileprivate static let newRetry = Option("retry", value: "N", "How often it is tried again without a byte")
    fileprivate static let newMaxTime = Option(
        "max-time", "m", value: "TIME", "How long it may take, from now on or from its date")
    fileprivate static let newPatience = Option(
        "give-up-after", value: "TIME|none", "How long it may go without a byte")
    static let newOutput = Option("output", "o", value: "FILE", "Save one download as FILE instead")
    static let newDirectory = Option("directory", "d", value: "DIR", "Save downloads in DIR instead")
    fileprivate static let newGroup = Option("to-group", value: "NAME|none", "Another group, or none")
    fileprivate static let newPredecessor = Option(
        "after", value: "ID|none", isGivenOnce: true, "Start after this transfer has succeeded, or after none")
    fileprivate static let newSplit = Option(
        "split", value: "N|auto", "Use at most N connections from the next attempt on")
    fileprivate static let newNotify = Option("notify", value: "yes|no", "Whether to show notifications")
    fileprivate static let noConditions = Option("no-conditions", nil, "Remove the conditions of the transfers")

    static let conditions: [Option] = [
        .noMetered, .noConstrained, .noRoaming, .link, .whenIdle, .leastBattery, .onPower, .whenConvenient,
        .background, .between,
    ]
    static let changes: [Option] =
        [
            .newPriority, .newRate, .newBegin, .newRetry, .newMaxTime, .newPatience, .newOutput, .newDirectory,
            .newGroup, .newPredecessor, .afterAny, .newSplit, .newNotify,
        ] + conditions + [.noConditions]
}

/// `longhaul set`: changes options of transfers that have not ended.
struct TransferChange: Sendable {
    static let command: Command = Command(
        "set", "ID…|--group NAME|--all [options]", "Change what was asked of transfers that have not ended",
        options: Option.changes + [.chosenGroup, .allTransfers, .session, .quiet],
        notes: [
            "The options mean what they mean where a transfer is submitted, and --to-group is the group to which they belong from now "
                + "on. A rate, a priority and a group count at once; a date is for what waits.",
            "Conditions such as --no-metered replace all conditions of the transfers. --after needs a transfer that is not running.",
            "-o and -d keep what has been downloaded: it is moved, or copied to another file system, when the download "
                + "continues. -d needs a download that is not running. A failed download can be moved as well; longhaul retry "
                + "then resumes it.",
        ],
        run: { arguments, world throws(TransferFailure) in
            let change = try TransferChange(arguments, world)
            return try await ChosenTransfers.change(
                arguments.operands, "set", among: command.transfers, done: "changed", arguments, world
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
            world.console.say("\(ShortID.text(id)) has ended. Start it again with: \(session.hint("retry", id))")
        }
    }

    private let adjustment: TransferAdjustment
    private let place: QueuePlace?

    private init(_ arguments: Arguments, _ world: World) throws(TransferFailure) {
        guard Option.changes.contains(where: arguments.has) else {
            throw .usage("set needs what is to be changed, such as --priority first or --not-before 23:00")
        }
        var adjustment = TransferAdjustment()
        place = try arguments.value(.newPriority).map { text throws(TransferFailure) in
            guard let place = QueuePlace(text) else {
                throw .usage("--priority takes a number, first or last, not \"\(DisplayText.clean(text))\"")
            }
            return place
        }
        if let text = arguments.value(.newRate) {
            guard let rate = RulesText.limit(text) else {
                throw .usage("--limit-rate takes bytes a second such as 500k or 2M, or none, not \"\(text)\"")
            }
            adjustment.rateLimit = rate
        }
        if let text = arguments.value(.newBegin) {
            adjustment.earliestBeginDate = text == "now" ? world.now() : try TransferTemplate.beginDate(text, world)
        }
        adjustment.retryLimit = try arguments.integer(.newRetry, 0...1_000_000)
        adjustment.timeoutIntervalForResource = try arguments.span(.newMaxTime)
        adjustment.progressTimeout =
            arguments.value(.newPatience) == "none" ? .zero : try arguments.span(.newPatience)
        if let name = arguments.value(.newGroup) {
            guard !name.isEmpty else { throw .usage("--to-group needs the name of a group, or none") }
            adjustment.group = name == "none" ? "" : name
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
        if output != nil, arguments.operands.count != 1 { throw .usage("-o is for one download only") }
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
            segments = text == "auto" ? 0 : try arguments.integer(.newSplit, 1...SegmentPolicy.mostChosen)
        }
        if let text = arguments.value(.newNotify) {
            guard text == "yes" || text == "no" else {
                throw .usage("--notify takes yes or no, not \"\(DisplayText.clean(text))\"")
            }
            notifications = text == "yes" ? .always : .never
        }
        let addsConditions = Option.conditions.contains(where: arguments.has)
        guard addsConditions || arguments.has(.noConditions) else { return }
        guard !addsConditions || !arguments.has(.noConditions) else {
            throw .usage("choose --no-conditions or conditions")
        }
        conditions = try TransferTemplate.conditions(arguments)
    }
}
