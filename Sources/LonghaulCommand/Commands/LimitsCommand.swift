import LonghaulCore

extension Option {
    fileprivate static let total = Option(
        "total", value: "N|auto", "Limit concurrent transfers in total (default: auto, 16)")
    fileprivate static let perHost = Option(
        "per-host", value: "N|auto", "Limit concurrent transfers with one host (default: auto, 6)")
    fileprivate static let streams = Option(
        "streams", value: "N|auto",
        "The same where they share connections, by HTTP/2 or HTTP/3; auto: 100, or what the others say")
    fileprivate static let rate = Option("rate", value: "RATE|none", "Bytes a second of the session in all")
    fileprivate static let globalRate = Option("global-rate", value: "RATE|none", "Bytes a second of all sessions")
    fileprivate static let globalTotal = Option(
        "global-total", value: "N|none", "How many transfers of all sessions run at once")
    fileprivate static let schedule = Option(
        "schedule", value: "WINDOW|none",
        "Another rate at certain times, such as 'mon-fri 9:00-17:00=500k'; may be repeated")
    fileprivate static let globalSchedule = Option(
        "global-schedule", value: "WINDOW|none", "The same for all sessions together")
    fileprivate static let budget = Option(
        "budget", value: "AMOUNT|none", "Bytes a day over metered networks, such as 200M")
    fileprivate static let monthlyBudget = Option(
        "monthly-budget", value: "AMOUNT|none", "Bytes a month over metered networks")
    fileprivate static let globalBudget = Option("global-budget", value: "AMOUNT|none", "Bytes a day for all sessions")
    fileprivate static let globalMonthlyBudget = Option(
        "global-monthly-budget", value: "AMOUNT|none", "Bytes a month for all sessions")
    fileprivate static let perGroup = Option(
        "group", value: "NAME=N", "How many of this group run at once; 0 lifts the limit; may be repeated")
}

extension Command {
    static let limits = Command(
        "limits", "[options]", "Show or set how many transfers run at once, how fast, and how much",
        options: [
            .total, .perHost, .streams, .perGroup, .rate, .globalRate, .schedule, .globalSchedule, .budget,
            .monthlyBudget, .globalTotal, .globalBudget, .globalMonthlyBudget, .session, .json,
        ],
        notes: [
            "Attended transfers, the first four of a command that stays, start beyond --total and --per-host as long as "
                + "these are auto. A limit that is set always holds.",
            "Rates are shared fairly among the transfers that run. Budgets count what goes over metered networks; days and months are local ones.",
            "The options that begin with global concern all of your sessions together, the others one session.",
            "RATE and AMOUNT are bytes, or a number with k, M or G, which are powers of 1024: 500k, 2M. WINDOW is days, hours "
                + "of local time, and a RATE or none.",
        ],
        run: { arguments, world throws(TransferFailure) in
            try arguments.refuseOperands(of: "limits")
            let session = try LocalCheck.session(arguments)
            let total = try count(arguments, .total)
            let perHost = try count(arguments, .perHost)
            let streams = try count(arguments, .streams)
            var groups: [String: Int] = [:]
            for text in arguments.values(.perGroup) {
                let (name, limit) = try group(text)
                groups[name] = limit
            }
            let own = try TrafficChange(arguments, .rate, .schedule, .budget, .monthlyBudget)
            let common = try TrafficChange(
                arguments, .globalRate, .globalSchedule, .globalBudget, .globalMonthlyBudget, total: .globalTotal)
            let service = try await world.connect(true)
            defer { service.close() }
            var limits = try await service.limits(of: session)
            if [.total, .perHost, .streams].contains(where: arguments.has) || !groups.isEmpty {
                if arguments.has(.total) { limits.chosenTotal = total }
                if arguments.has(.perHost) { limits.chosenPerHost = perHost }
                if arguments.has(.streams) { limits.chosenStreams = streams }
                for (name, limit) in groups { limits.perGroup[name] = limit > 0 ? limit : nil }
                try await service.setLimits(limits, of: session)
            }
            var rules = try await service.rules(of: session)
            if own.isChange {
                own.apply(to: &rules.rules.traffic)
                try await service.setRules(rules.rules, of: session)
            }
            var traffic = try await service.traffic()
            if common.isChange {
                common.apply(to: &traffic.limits)
                traffic = try await service.setTraffic(traffic.limits)
            }
            let shown = LimitsText(limits: limits, own: rules, common: traffic)
            world.console.writeOutput(arguments.has(.json) ? shown.json : Array(shown.text.utf8))
            return .success
        })

    /// Reads the number of a limit; `nil` for the default.
    private static func count(_ arguments: Arguments, _ option: Option) throws(TransferFailure) -> Int? {
        arguments.value(option) == "auto" ? nil : try arguments.integer(option, 1...100_000)
    }

    private static func group(_ text: String) throws(TransferFailure) -> (String, Int) {
        guard let equals = text.lastIndex(of: "="), equals != text.startIndex,
            let limit = Int(text[text.index(after: equals)...]), (0...100_000).contains(limit)
        else { throw .usage("--group takes NAME=N, not \"\(text)\"") }
        return (String(text[..<equals]), limit)
    }
}

/// What the options say about rates and budgets, of a session or of all.
private struct TrafficChange {
    private var rate: Int64?
    private var windows: [SessionRules.RateWindow]?
    private var perDay: Int64?
    private var perMonth: Int64?
    /// 0 lifts the limit.
    private var transfers: Int?

    init(
        _ arguments: Arguments, _ rate: Option, _ schedule: Option, _ day: Option, _ month: Option,
        total: Option? = nil
    ) throws(TransferFailure) {
        if let total { transfers = arguments.value(total) == "none" ? 0 : try arguments.integer(total, 1...10_000) }
        self.rate = try Self.amount(arguments, rate)
        perDay = try Self.amount(arguments, day)
        perMonth = try Self.amount(arguments, month)
        let texts = arguments.values(schedule)
        if texts == ["none"] {
            windows = []
        } else if !texts.isEmpty {
            var read: [SessionRules.RateWindow] = []
            for text in texts {
                guard let window = RulesText.window(text) else {
                    throw .usage(
                        "--\(schedule.long) takes days, hours and a rate such as 'mon-fri 9:00-17:00=500k', not \"\(text)\""
                    )
                }
                read.append(window)
            }
            windows = read
        }
    }

    var isChange: Bool { transfers != nil || rate != nil || windows != nil || perDay != nil || perMonth != nil }

    func apply(to limits: inout TrafficLimits) {
        if let transfers { limits.transfers = transfers > 0 ? transfers : nil }
        if let rate { limits.rateLimit = rate > 0 ? rate : nil }
        if let windows { limits.timetable = windows }
        if let perDay { limits.budget.bytesPerDay = perDay > 0 ? perDay : nil }
        if let perMonth { limits.budget.bytesPerMonth = perMonth > 0 ? perMonth : nil }
    }

    private static func amount(_ arguments: Arguments, _ option: Option) throws(TransferFailure) -> Int64? {
        guard let text = arguments.value(option) else { return nil }
        guard let amount = RulesText.limit(text) else {
            throw .usage("--\(option.long) takes bytes such as 500k, 2M or none, not \"\(text)\"")
        }
        return amount
    }
}
