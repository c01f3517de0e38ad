import LonghaulCore

/// `--after` and `--after-any`, whose transfers are looked up before the command runs.
enum Predecessors {
    /// The states of transfers that can be named.
    static let transfers = StateText.liveWords

    static func resolve(_ arguments: Arguments, _ world: World) async throws(TransferFailure) -> Arguments {
        guard let option = [Option.after, .afterAny].first(where: arguments.has), let text = arguments.value(option),
            text != "none"
        else { return arguments }
        if arguments.has(.after), arguments.has(.afterAny) { throw .usage("Choose one of --after and --after-any.") }
        let service = try await world.connect(true)
        defer { service.close() }
        let session = try LocalCheck.session(arguments)
        let ids = try await IDLookup.find([text], among: transfers, in: session, over: service)
        var resolved = arguments
        if let id = ids.first { resolved.replace(option, with: id.description) }
        return resolved
    }

    /// Reads the IDs that `resolve` found.
    static func read(_ arguments: Arguments, into options: inout TransferOptions) {
        options.predecessor = (arguments.value(.after) ?? arguments.value(.afterAny)).flatMap { TransferID($0) }
        options.followsFailure = arguments.has(.afterAny)
    }
}
