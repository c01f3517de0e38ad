import LonghaulCore

extension Option {
    fileprivate static let none = Option("none", nil, "Remove the credential helper")
    fileprivate static let bearer = Option("bearer", nil, "Give a bearer token; prompts for it")
}

/// `longhaul credentials`: shows or sets the credential sources.
enum CredentialsCommand {
    static let command = Command(
        "credentials", "[helper -- COMMAND…|helper --none|give NAME URL]",
        "Show or set the credential sources", options: [.none, .bearer, .user, .session, .json],
        examples: [
            .init("longhaul credentials helper -- git credential-store", "Use a git credential helper"),
            .init("longhaul credentials give photos https://example.org -u ada", "Give a password; prompts for it"),
        ],
        notes: [
            "A transfer with --credential NAME stores no secret: the service requests the credential when it sends. "
                + "helper sets the program that supplies credentials, with the protocol of git credential helpers.",
            "give keeps a password (--user) or a token (--bearer) in the memory of the service, for the origin of the "
                + "URL. Transfers that wait for the credential resume.",
        ],
        run: { arguments, world throws(TransferFailure) in
            let session = try LocalCheck.session(arguments)
            switch arguments.operands.first {
            case nil: return try await show(session, arguments, world)
            case "helper": return try await setHelper(session, arguments, world)
            case "give": return try await give(session, arguments, world)
            case let word?: throw .usage("credentials takes helper or give, not \"\(word)\".")
            }
        })

    private static func show(
        _ session: SessionID, _ arguments: Arguments, _ world: World
    ) async throws(TransferFailure) -> ExitStatus {
        let service = try await world.connect(true)
        defer { service.close() }
        report(try await service.credentials(of: session), arguments, world)
        return .success
    }

    private static func setHelper(
        _ session: SessionID, _ arguments: Arguments, _ world: World
    ) async throws(TransferFailure) -> ExitStatus {
        let command = Array(arguments.operands.dropFirst())
        guard command.isEmpty == arguments.has(.none) else {
            throw .misuse("credentials helper needs -- and a command, or --none.")
        }
        let service = try await world.connect(true)
        defer { service.close() }
        report(try await service.setCredentialHelper(command, of: session), arguments, world)
        return .success
    }

    private static func give(
        _ session: SessionID, _ arguments: Arguments, _ world: World
    ) async throws(TransferFailure) -> ExitStatus {
        guard arguments.operands.count == 3, let name = CredentialName(arguments.operands[1]) else {
            throw .misuse("credentials give needs a URL, and a name of letters, digits, and .-_+@.")
        }
        guard arguments.has(.bearer) != arguments.has(.user) else { throw .usage("Choose one of --user and --bearer.") }
        let url = try LocalCheck.url(arguments.operands[2])
        let service = try await world.connect(true)
        defer { service.close() }
        try await service.provideCredential(try credential(arguments, world), named: name, for: url.text, in: session)
        report(try await service.credentials(of: session), arguments, world)
        return .success
    }

    private static func credential(
        _ arguments: Arguments, _ world: World
    ) throws(TransferFailure) -> Credential {
        guard let user = arguments.value(.user) else { return .bearer(try world.promptPassword(tr("Token: "))) }
        let given = LoginText(user)
        let shown = DisplayText.clean(given.name)
        return .basic(
            userName: given.name,
            password: try given.password(world, prompt: tr("Password for \(shown): ")))
    }

    private static func report(_ report: CredentialReport, _ arguments: Arguments, _ world: World) {
        if arguments.has(.json) {
            var json = JSONWriter()
            json.object { $0.members(of: report) }
            json.endLine()
            return world.console.writeOutput(json.bytes)
        }
        world.console.show(CredentialText.lines(report).joined(separator: "\n"), indent: 14)
    }
}
