import LonghaulCore

extension Option {
    fileprivate static let total = Option(
        "total", value: "N|default", "Limit concurrent transfers in total (default: 16)")
    fileprivate static let perHost = Option(
        "per-host", value: "N|none|default", "Limit concurrent transfers per host (default: 6)")
    fileprivate static let streams = Option(
        "streams", value: "N|none|default", "Limit concurrent streams per HTTP/2 or HTTP/3 host (default: 100)")
    fileprivate static let perGroup = Option(
        "group", value: "NAME=N|NAME=none", "Limit concurrent transfers of group NAME; repeatable")
    fileprivate static let rate = Option(
        "rate", value: "RATE|none", "Limit the combined speed to RATE bytes/s")
    fileprivate static let schedule = Option(
        "schedule", value: "WINDOW|none", "Set another rate for certain hours; repeatable")
    fileprivate static let budget = Option(
        "budget", value: "AMOUNT|none", "Limit metered traffic per day to AMOUNT, such as 200M")
    fileprivate static let monthlyBudget = Option(
        "monthly-budget", value: "AMOUNT|none", "Limit metered traffic per month to AMOUNT")
    fileprivate static let reset = Option("reset", nil, "Reset all limits to their defaults first")
    fileprivate static let allSessions = Option(
        "all-sessions", nil, "Set --total, rates, and budgets for all sessions together")
}

/// `longhaul limits`: shows or sets limits of a session, or of all sessions together.
enum LimitsCommand {
    static let command = Command(
        "limits", "[options]", "Show or set limits on concurrency, speed, and traffic",
        groups: [
            OptionGroup(
                "Concurrency", [.total, .perHost, .streams, .perGroup],
                notes: [
                    "`--total` is refused above what the open-file limit of the service allows (`ulimit -Hn`, minus a "
                        + "reserve, four per transfer). All sessions together cannot exceed that number either; further "
                        + "transfers wait for their turn."
                ]),
            OptionGroup(
                "Speed", [.rate, .schedule],
                notes: [
                    "Rates are divided equally, the common one among sessions first, and transfers share what others do "
                        + "not use. `--schedule` replaces all earlier windows; the first open window counts."
                ]),
            OptionGroup(
                "Metered traffic", [.budget, .monthlyBudget],
                notes: ["Budgets count bodies in both directions over metered networks."]),
            OptionGroup("Session and output", [.reset, .allSessions, .session, .json]),
        ],
        examples: [
            .init("longhaul limits --total 8 --per-host 2 --group films=1", "Limit concurrent transfers"),
            .init("longhaul limits --rate 2M --schedule 'mon-fri 9:00-17:00=500k'", "Slow down at work"),
            .init("longhaul limits --all-sessions --monthly-budget 5G", "Limit metered traffic of all apps"),
            .init("longhaul limits --reset", "Restore the defaults"),
        ],
        notes: [
            "Without options, the command shows the limits. A limit that you set always holds. While --total and "
                + "--per-host have their defaults, the first four transfers of an attached command start beyond them. Every "
                + "option accepts default.",
            "Running transfers share the rate equally. Budgets count by local days and months. RATE and AMOUNT are "
                + "bytes, or a number with k, M, or G (powers of 1024). WINDOW is days, local hours, and a RATE or none.",
        ],
        run: { arguments, world throws(TransferFailure) in
            try arguments.refuseOperands(of: "limits")
            let session = try LocalCheck.session(arguments)
            let isForAll = arguments.has(.allSessions)
            if isForAll, let option = [Option.perHost, .streams, .perGroup, .session].first(where: arguments.has) {
                throw .usage("--\(option.long) limits one session and cannot be combined with --all-sessions.")
            }
            let total = try count(arguments, .total, unlimited: isForAll ? 0 : nil)
            let perHost = try count(arguments, .perHost, unlimited: LimitsText.unlimited)
            let streams = try count(arguments, .streams, unlimited: LimitsText.unlimited)
            var groups: [String: Int] = [:]
            for text in arguments.values(.perGroup) {
                let (name, limit) = try group(text)
                groups[name] = limit
            }
            let change = try TrafficChange(arguments)
            let service = try await world.connect(true)
            defer { service.close() }
            let resets = arguments.has(.reset)
            var limits = try await service.limits(of: session)
            if !isForAll, [.total, .perHost, .streams, .reset].contains(where: arguments.has) || !groups.isEmpty {
                if resets { limits = SessionLimits() }
                if arguments.has(.total) { limits.chosenTotal = total }
                if arguments.has(.perHost) { limits.chosenPerHost = perHost }
                if arguments.has(.streams) { limits.chosenStreams = streams }
                for (name, limit) in groups { limits.perGroup[name] = limit > 0 ? limit : nil }
                try await service.setLimits(limits, of: session)
            }
            var rules = try await service.rules(of: session)
            if !isForAll, change.isChange || resets {
                if resets { rules.rules.traffic = TrafficLimits() }
                change.apply(to: &rules.rules.traffic)
                try await service.setRules(rules.rules, of: session)
            }
            var traffic = try await service.traffic()
            if isForAll, change.isChange || arguments.has(.total) || resets {
                if resets { traffic.limits = TrafficLimits() }
                change.apply(to: &traffic.limits)
                if arguments.has(.total) { traffic.limits.transfers = total == 0 ? nil : total }
                traffic = try await service.setTraffic(traffic.limits)
            }
            let shown = LimitsText(limits: limits, own: rules, common: traffic)
            world.console.writeOutput(arguments.has(.json) ? shown.json : Array(shown.text.utf8))
            return .success
        })

    /// Reads the number of a limit; `nil` for the default.
    ///
    /// - Parameter unlimited: The number for `none`; `nil` if the option has no such value.
    private static func count(
        _ arguments: Arguments, _ option: Option, unlimited: Int?
    ) throws(TransferFailure) -> Int? {
        switch arguments.value(option) {
        case "auto", "default": nil
        case "none" where unlimited != nil: unlimited
        default: try arguments.integer(option, 1...LimitsText.unlimited)
        }
    }

    private static func group(_ text: String) throws(TransferFailure) -> (String, Int) {
        let value = text.lastIndex(of: "=").map { text[text.index(after: $0)...] } ?? ""
        let name = String(text.dropLast(value.count + 1))
        let limit = ["none", "default"].contains(value) ? 0 : Int(value)
        guard !name.isEmpty, let limit, (0...LimitsText.unlimited).contains(limit) else {
            throw .usage("--group must be NAME=N or NAME=none, not \"\(text)\".")
        }
        return (name, limit)
    }
}

/// New rates and budgets, of one session or of all.
private struct TrafficChange {
    private var rate: Int64?
    private var windows: [SessionRules.RateWindow]?
    private var perDay: Int64?
    private var perMonth: Int64?

    init(_ arguments: Arguments) throws(TransferFailure) {
        rate = try Self.amount(arguments, .rate)
        perDay = try Self.amount(arguments, .budget)
        perMonth = try Self.amount(arguments, .monthlyBudget)
        let texts = arguments.values(.schedule)
        if texts == ["none"] || texts == ["default"] {
            windows = []
        } else if !texts.isEmpty {
            var read: [SessionRules.RateWindow] = []
            for text in texts {
                guard let window = RulesText.window(text) else {
                    throw .usage(
                        "--schedule must be days, hours, and a rate such as 'mon-fri 9:00-17:00=500k', not \"\(text)\"."
                    )
                }
                read.append(window)
            }
            windows = read
        }
    }

    var isChange: Bool { rate != nil || windows != nil || perDay != nil || perMonth != nil }

    func apply(to limits: inout TrafficLimits) {
        if let rate { limits.rateLimit = rate > 0 ? rate : nil }
        if let windows { limits.timetable = windows }
        if let perDay { limits.budget.bytesPerDay = perDay > 0 ? perDay : nil }
        if let perMonth { limits.budget.bytesPerMonth = perMonth > 0 ? perMonth : nil }
    }

    private static func amount(_ arguments: Arguments, _ option: Option) throws(TransferFailure) -> Int64? {
        guard let text = arguments.value(option) else { return nil }
        guard let amount = RulesText.limit(text) else {
            throw .usage("--\(option.long) must be bytes such as 500k or 2M, none, or default, not \"\(text)\".")
        }
        return amount
    }
}
