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
    fileprivate static let newOutput = Option(
        "output", "o", value: "FILE", "Another name for the file, of one download")
    fileprivate static let newDirectory = Option(
        "directory", "d", value: "DIR", "Another directory, for downloads that have not begun")
    fileprivate static let newGroup = Option("to-group", value: "NAME|none", "Another group, or none")

    fileprivate static let changes: [Option] = [
        .newPriority, .newRate, .newBegin, .newRetry, .newMaxTime, .newPatience, .newOutput, .newDirectory, .newGroup,
    ]
}

/// `longhaul set`: what was asked of transfers is changed while they wait, each thing by the option that it was asked for with.
struct TransferChange: Sendable {
    static let command: Command = Command(
        "set", "ID…|--group NAME|--all [options]", "Change what was asked of transfers that have not ended",
        options: Option.changes + [.chosenGroup, .allTransfers, .session, .quiet],
        notes: [
            "The options mean what they mean where a transfer is submitted, and --to-group is the group to which they belong from now "
                + "on. A rate, a priority and a group count at once; a date is for what waits, and a directory for a download that "
                + "has not begun, since its bytes lie beside its destination."
        ],
        run: { arguments, world throws(TransferFailure) in
            let change = try TransferChange(arguments, world)
            return try await ChosenTransfers.change(
                arguments.operands, "set", among: command.transfers, done: "changed", arguments, world
            ) { service, selection, session throws(TransferFailure) in
                var adjustment = change.adjustment
                adjustment.priority = try await change.place?.priority(of: selection, in: session, over: service)
                return try await service.adjust(adjustment, selection, in: session)
            }
        })

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
        self.adjustment = adjustment
    }

    private static func destination(
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
