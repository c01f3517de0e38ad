import LonghaulCore
import LonghaulSystem

extension Option {
    fileprivate static let data = Option(
        "data", "d", value: "TEXT|@FILE|-", isGivenOnce: true, "Send this body (default method: POST)")
    fileprivate static let jsonBody = Option(
        "json-body", value: "TEXT|@FILE|-", isGivenOnce: true, "Send this body as application/json")
    fileprivate static let include = Option("include", "i", "Print the status and headers before the body")
}

extension OptionGroup {
    fileprivate static let body = OptionGroup(
        "Body and response", [.data, .jsonBody, .include, .output, .overwrite],
        notes: [
            "The body of `--data` is `application/x-www-form-urlencoded` unless you pass a `Content-Type` "
                + "header. A body of more than 512 KiB needs `longhaul upload`. HEAD and TRACE have no body. "
                + "Longhaul keeps the first 1 MiB of a response.",
            "The command prints the response body, whatever the status. For `HEAD`, it prints the status and "
                + "the headers.",
        ],
        examples: [
            .init(
                "longhaul request PUT https://example.org/orders/7 --json-body @order.json -o answer.json",
                "Send a file, and save the response")
        ])
}

extension Command {
    static let request = Command(
        "request", "[METHOD] URL [options]", "Send a small request and print the response",
        groups: [OptionGroup.body] + OptionGroup.transfer,
        common: [
            .data, .jsonBody, .include, .output, .user, .header, .idempotencyKey, .notBefore, .retry, .detach, .json,
        ],
        examples: [
            .init("longhaul request https://example.org/status", "Send a GET request and print the response body"),
            .init(
                "longhaul request POST https://example.org/orders --json-body '{\"n\":1}'", "Send JSON"),
            .init(
                "longhaul request -b DELETE https://example.org/photos/7 --not-before 23:00",
                "Send a request tonight, in the background"),
        ],
        notes: [
            "The response body goes to standard output, or to the file of -o. With --json, the last line contains it. "
                + "If a POST is interrupted after Longhaul sent it, its outcome is unknown; only with "
                + "--idempotency-key does Longhaul send it again.",
            Option.transferUnits,
        ],
        run: { arguments, world throws(TransferFailure) in
            try await RequestOrder(arguments, world).start()
        })
}

/// Turns the command line into one request, and its response into output.
struct RequestOrder: Sendable {
    private let arguments: Arguments
    private let world: World
    private let spec: TransferSpec
    /// Where the response's body goes; `nil` is standard output.
    private let output: String?

    /// The largest body that fits into a message to the service with room to spare.
    private static let bodyLimit = 512 << 10

    init(_ arguments: Arguments, _ world: World) throws(TransferFailure) {
        self.arguments = arguments
        self.world = world
        guard let url = arguments.operands.last else {
            throw .misuse("A request needs a URL, and can have a method before it.")
        }
        if let hint = Self.hint(arguments) { throw hint }
        let target = try LocalCheck.url(url)
        if arguments.has(.data) && arguments.has(.jsonBody) { throw .usage("Choose one of --data and --json-body.") }
        if arguments.has(.output) && arguments.has(.detach) { throw .usage("--output does not work with --detach.") }
        output = arguments.value(.output).flatMap { OutputPlace.isStandardOutput($0) ? nil : world.absolute($0) }
        if let output, !LocalFiles.isSpecial(output) {
            try LocalFiles.checkNewFile(output, overwrites: arguments.has(.overwrite))
        }
        let body = try (arguments.value(.data) ?? arguments.value(.jsonBody)).map { text throws(TransferFailure) in
            try Self.body(text, world)
        }
        let given = arguments.operands.count == 2 ? arguments.operands[0] : nil
        let method = try LocalCheck.method(given ?? (body == nil ? "GET" : "POST"))
        let template = try TransferTemplate(arguments, world)
        var headers = template.headers(for: target)
        if arguments.has(.jsonBody) {
            headers.addUnlessThere("Content-Type", "application/json")
            headers.addUnlessThere("Accept", "application/json")
        } else if arguments.has(.data) {
            headers.addUnlessThere("Content-Type", "application/x-www-form-urlencoded")
        }
        var options = template.options
        // Two equal requests may both be intended.
        options.joinsEqualBefore = nil
        spec = TransferSpec(
            work: .request(body: body ?? []), method: method, url: target.text, headers: headers,
            options: options, network: template.network)
    }

    /// The command with the words in order: method, URL, options. Fields of a form become the data.
    private static func hint(_ arguments: Arguments) -> TransferFailure? {
        let (operands, typed) = (arguments.operands, arguments.typed)
        guard let url = operands.first(where: { $0.contains("://") || HostText.isHost($0) }) else { return nil }
        let methods = operands.filter { $0 != url && $0.utf8.allSatisfy { (0x41...0x5A).contains($0) } }
        let data = operands.filter { $0 != url && !methods.contains($0) }
        let isInOrder = operands.count <= 2 && operands.last == url && url.contains("://")
        guard !isInOrder, methods.count <= 1 else { return nil }
        let options = typed.filter { !operands.contains($0) }
        let body = data.isEmpty ? [] : ["--data", data.joined(separator: "&")]
        let target = url.contains("://") ? url : HostText.url(url)
        let line = ShellText.line(["request"] + methods + [target] + options + body)
        return .usage("A request is a method, a URL, and options. Type: \(line)")
    }

    func start() async throws(TransferFailure) -> ExitStatus {
        let order = Order.transfer(spec, subject: spec.redactedURL)
        let outcome = try await TransferRun.start(arguments, world, TransferRun.source([order]))
        guard !arguments.has(.detach), let id = outcome.ids.first, !outcome.status.isSignal else {
            return outcome.status
        }
        let service = try await world.connect(true)
        defer { service.close() }
        let detail = try await service.show(id, in: try LocalCheck.session(arguments))
        guard let response = detail.response else { return outcome.status }
        return outcome.status.joined(with: try deliver(response, detail))
    }

    private func deliver(
        _ response: Response, _ detail: TransferDetail
    ) throws(TransferFailure) -> ExitStatus {
        let includesHead = arguments.has(.include) || spec.method == "HEAD"
        let content = (includesHead ? ResponseOutput.head(response) : []) + response.body
        if let output {
            let overwrites = arguments.has(.overwrite) || LocalFiles.isSpecial(output)
            try LocalFiles.write(content, to: output, overwrites: overwrites)
        } else if !arguments.has(.json) {
            world.console.writeOutput(world.console.isOutputTerminal ? ResponseOutput.harmless(content) : content)
        }
        if arguments.has(.json) {
            var json = JSONWriter()
            json.object { json in
                json.member("event", "response")
                json.object("transfer") { $0.members(of: detail) }
            }
            json.endLine()
            world.console.writeOutput(json.bytes)
        }
        guard response.isTruncated else { return .success }
        let kept = HumanText.bytes(Int64(response.body.count))
        let failure = TransferFailure(
            .lengthMismatch,
            tr(
                "The response is longer than the stored \(kept), or was interrupted. To get all of a GET response, use longhaul URL."
            ))
        world.console.say(ErrorLine.text(failure))
        return .content
    }

    private static func body(_ text: String, _ world: World) throws(TransferFailure) -> [UInt8] {
        if text == "-" {
            return try LocalFiles.read(LentDescriptor(world.input), limit: bodyLimit, name: tr("standard input"))
        }
        guard text.hasPrefix("@") else { return Array(text.utf8) }
        let path = String(text.dropFirst())
        return try LocalFiles.readAll(world.absolute(path), limit: bodyLimit)
    }
}

extension [HeaderField] {
    fileprivate mutating func addUnlessThere(_ name: String, _ value: String) {
        if all(name).isEmpty { append(HeaderField(name, value)) }
    }
}
