import LonghaulCore
import LonghaulSystem

/// The common options, for every transfer that a command starts.
struct TransferTemplate: Equatable, Sendable {
    /// The headers for every URL.
    private(set) var headers: [HeaderField] = []
    private var netrc: Netrc?
    var options = TransferOptions()
    var network = NetworkOptions()

    init(_ arguments: Arguments, _ world: World) throws(TransferFailure) {
        // Longhaul stores a body as it arrives, so a command copied from a browser must not request compression.
        let isCopied = arguments.typed.contains("--compressed")
        for text in arguments.values(.header) where !isCopied || !text.lowercased().hasPrefix("accept-encoding:") {
            headers.append(try Self.header(text))
        }
        if let referer = arguments.value(.referer) { headers.append(try LocalCheck.header("Referer", referer)) }
        if let user = arguments.value(.user) { headers.append(try Self.basic(user, world)) }
        if arguments.has(.netrc) {
            if arguments.has(.user) { throw .usage("Choose one of --user and --netrc.") }
            netrc = try Netrc(world)
        }
        options = try Self.options(arguments, world)
        network = try Self.network(arguments, world)
        headers += try IdentityOptions.read(arguments, world, into: &network)
    }

    /// Returns the headers for a URL.
    func headers(for url: TransferURL, _ more: [HeaderField] = []) -> [HeaderField] {
        let given = headers + more
        guard let field = netrc?.authorization(for: url.host), given.all("Authorization").isEmpty, url.userInfo == nil
        else { return given }
        return given + [field]
    }

    /// Reads `Name: value`. As with curl, `Name;` sends the header with an empty value, and `Name:` omits a header that would be sent
    /// otherwise.
    static func header(_ text: String) throws(TransferFailure) -> HeaderField {
        let name = text.prefix { $0 != ":" }
        if name.endIndex == text.endIndex, name.last == ";" {
            return try LocalCheck.header(String(name.dropLast()), "")
        }
        guard name.endIndex < text.endIndex else {
            throw .usage("A header must be written 'Name: value', not \"\(text)\".")
        }
        let value = text[text.index(after: name.endIndex)...]
        let field = try LocalCheck.header(String(name), String(value.trimming { $0 == " " || $0 == "\t" }))
        return field.value.isEmpty ? .omitting(field.name) : field
    }

    /// Reads an amount, or a rate a second: `500`, `100k`, `1.5M`, `1G` in powers of 1024 as with curl, and 0 for no limit. `2MiB`
    /// and `2MiB/s` are the same, and `2MB` is two million.
    static func rate(_ text: String) -> Int64? {
        var digits = Substring(text)
        var step: Int64 = 1_024
        if digits.hasSuffix("/s") { digits = digits.dropLast(2) }
        if digits.hasSuffix("iB") {
            digits = digits.dropLast(2)
            guard digits.last?.isLetter == true else { return nil }
        } else if digits.hasSuffix("B") {
            digits = digits.dropLast()
            step = 1_000
        }
        var unit: Int64 = 1
        switch digits.last {
        case "k", "K": (digits, unit) = (digits.dropLast(), step)
        case "m", "M": (digits, unit) = (digits.dropLast(), step * step)
        case "g", "G": (digits, unit) = (digits.dropLast(), step * step * step)
        default: break
        }
        if let number = Int64(digits), number >= 0 {
            let (rate, overflow) = number.multipliedReportingOverflow(by: unit)
            return overflow ? nil : rate
        }
        guard unit > 1, digits.first?.isNumber == true, digits.allSatisfy({ $0.isNumber || $0 == "." }),
            let number = Double(digits), number * Double(unit) < 9e18
        else { return nil }
        return Int64(number * Double(unit))
    }

    /// Reads a rate; `nil` stands for no limit.
    static func rateLimit(_ text: String, of option: String) throws(TransferFailure) -> Int64? {
        guard let rate = rate(text) else {
            throw .usage(
                "\(option) must be bytes a second such as 500k or 1.5M, or 0 for no limit, not \"\(text)\".")
        }
        return rate > 0 ? rate : nil
    }

    private static func basic(_ user: String, _ world: World) throws(TransferFailure) -> HeaderField {
        let given = LoginText(user)
        let shown = DisplayText.clean(given.name)
        let password = try given.password(world, prompt: tr("Password for \(shown): "))
        let credentials = given.name + ":" + password
        return HeaderField("Authorization", "Basic " + Base64.encode(credentials.utf8), isSecret: true)
    }

    private static func options(_ arguments: Arguments, _ world: World) throws(TransferFailure) -> TransferOptions {
        var options = TransferOptions()
        options.key = arguments.value(.key)
        if arguments.has(.ifKeyExists), !arguments.has(.key) { throw .usage("--if-key-exists needs --key.") }
        if let policy = arguments.value(.ifKeyExists) { options.keyConflict = try conflict(policy) }
        options.group = arguments.value(.group)
        options.priority = try arguments.integer(.priority, -1_000_000...1_000_000) ?? options.priority
        if let date = arguments.value(.notBefore) {
            options.earliestBeginDate = try beginDate(date, world)
        }
        Predecessors.read(arguments, into: &options)
        options.timeoutIntervalForResource = try arguments.span(.maxTime) ?? options.timeoutIntervalForResource
        options.progressTimeout = try arguments.span(.giveUpAfter)
        options.retryLimit = try arguments.integer(.retry, 0...1_000_000) ?? options.retryLimit
        if !arguments.has(.retry), !arguments.has(.detach) {
            options.unknownHostRetryLimit = RetryEndText.unknownHostRetries
        }
        if let text = arguments.value(.limitRate) { options.rateLimit = try rateLimit(text, of: "--limit-rate") }
        options.segments = try arguments.integer(.split, 1...SegmentPolicy.mostChosen)
        options.conditions = try conditions(arguments)
        options.idempotencyKey = arguments.value(.idempotencyKey)
        if !arguments.has(.again) { options.joinsEqualBefore = world.now() }
        if arguments.has(.notify) { options.notifications = .always }
        options.credentialName = try arguments.value(.credential).map { text throws(TransferFailure) in
            if arguments.has(.user) { throw .usage("Choose one of --user and --credential.") }
            guard let name = CredentialName(text) else {
                throw .usage("--credential must be a name of letters, digits, and . - _ + @, not \"\(text)\".")
            }
            return name
        }
        return options
    }

    /// Reads the time of `--not-before`.
    static func beginDate(_ text: String, _ world: World) throws(TransferFailure) -> WallTime {
        if let instant = TimeText.instant(text, now: world.now(), offset: world.zone) { return instant }
        throw .usage(
            "The start time must be such as 23:00, 8pm, monday, \"2030-01-31 12:00\", or +1h30m, not \"\(text)\".")
    }

    static func conditions(_ arguments: Arguments) throws(TransferFailure) -> ConditionRules {
        ConditionRules(
            allowsExpensiveNetworkAccess: !arguments.has(.noMetered),
            allowsRoaming: !arguments.has(.noRoaming), requiresExternalPower: arguments.has(.onPower),
            isDiscretionary: arguments.has(.whenConvenient),
            yieldsToOtherTraffic: arguments.has(.yielding), hours: try arguments.value(.between).map(hours),
            links: try arguments.value(.link).map(RulesText.links) ?? [],
            requiresIdleMachine: arguments.has(.whenIdle),
            leastBatteryLevel: try arguments.integer(.leastBattery, 1...100))
    }

    /// Reads `22:00-06:00`.
    static func hours(_ text: String) throws(TransferFailure) -> TimeWindow {
        guard let hours = RulesText.hours(text) else {
            throw .usage("--between must be two different times of the day such as 22:00-06:00, not \"\(text)\".")
        }
        return hours
    }

    private static func conflict(_ text: String) throws(TransferFailure) -> TransferOptions.KeyConflict {
        switch text {
        case "keep": return .keep
        case "replace": return .replace
        default: throw .usage("--if-key-exists must be keep or replace, not \"\(text)\".")
        }
    }

    private static func network(_ arguments: Arguments, _ world: World) throws(TransferFailure) -> NetworkOptions {
        var network = NetworkOptions()
        let proxy = arguments.value(.proxy)
        if let proxy, !proxy.isEmpty { network.proxy = try LocalCheck.proxy(proxy, world) }
        // As with curl, an empty proxy turns the variables off.
        network.noProxy = proxy?.isEmpty == true ? "*" : arguments.value(.noProxy)
        var variables = ProxyVariables(environment: world.environment)
        // As with curl, an empty list has no exceptions.
        if arguments.has(.noProxy) { variables.exceptions = "" }
        network.variables = variables
        network.allowsUntrustedServer = arguments.has(.insecure)
        network.caFile = try IdentityOptions.authorities(arguments, world)
        try LocalPaths.check(network)
        network.connectTimeout = try arguments.span(.connectTimeout) ?? network.connectTimeout
        network.timeoutIntervalForResponse =
            try arguments.span(.responseTimeout, allowsZero: true) ?? network.timeoutIntervalForResponse
        network.timeoutIntervalForRequest =
            try arguments.span(.stallTimeout, allowsZero: true) ?? network.timeoutIntervalForRequest
        network.http3 = arguments.has(.http3) ? .tried : arguments.has(.altSvc) ? .announced : .never
        network.userAgent = arguments.value(.userAgent)
        network.redirectLimit = try arguments.integer(.maxRedirects, 0...1_000) ?? network.redirectLimit
        network.keepsHeaders = arguments.has(.verbose)
        return network
    }
}

extension StringProtocol {
    /// The text without the characters at either end that `isBlank` names.
    func trimming(_ isBlank: (Character) -> Bool) -> SubSequence {
        var rest = self[...]
        while let first = rest.first, isBlank(first) { rest = rest.dropFirst() }
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return rest
    }
}
