import LonghaulCore

/// `longhaul trust`: shows a server certificate that was rejected, and accepts its key.
enum TrustCommand {
    static let command: Command = Command(
        "trust", "ID [sha256//KEY] [options]", "Show or accept an untrusted server certificate",
        options: [.session, .json, .quiet], transfers: StateText.openWords,
        examples: [
            .init("longhaul trust 3c9e98ab", "Show the certificate that Longhaul rejected")
        ],
        notes: [
            "Compare the public key with the one that the server's operator gives you over another channel. If they are "
                + "equal, pass the key after ID: Longhaul then accepts this key, for this transfer and this server only, "
                + "and the transfer resumes. Any other key is rejected again."
        ],
        reference: ([], [.init("longhaul trust 3c9e98ab --json", "Show the certificate as JSON")]),
        run: { arguments, world throws(TransferFailure) in
            guard (1...2).contains(arguments.operands.count) else {
                throw .misuse("trust needs one ID, and the key to accept.")
            }
            let session = try LocalCheck.session(arguments)
            let service = try await world.connect(true)
            defer { service.close() }
            let ids = try await IDLookup.find(
                [arguments.operands[0]], among: command.transfers, in: session, over: service)
            for id in ids {
                let detail = try await service.show(id, in: session)
                guard let certificate = detail.lastFailure?.certificate else {
                    throw TransferFailure(
                        .invalidState,
                        tr(
                            "The last failure of \(ShortID.text(id)) was not about a certificate. For its state, run \(session.hint("doctor", id))."
                        )
                    )
                }
                guard arguments.operands.count == 2 else {
                    show(certificate, of: detail.snapshot, session, arguments, world)
                    continue
                }
                guard arguments.operands[1] == certificate.publicKey else {
                    throw TransferFailure(
                        .invalidArgument,
                        tr(
                            "\(certificate.origin) presented the key \(certificate.publicKey), not this one. No key was accepted."
                        )
                    )
                }
                try await service.trust(certificate.key, for: id, in: session)
                report(certificate, of: id, arguments, world)
            }
            return .success
        })

    private static func show(
        _ certificate: ServerCertificate, of transfer: TransferSnapshot, _ session: SessionID, _ arguments: Arguments,
        _ world: World
    ) {
        if arguments.has(.json) { return write(certificate, of: transfer.id, world) }
        let dates = [certificate.validFrom, certificate.validUntil].map {
            CivilTime(secondsSince1970: $0.seconds).text()
        }
        let rows = [
            (tr("Server"), certificate.origin), (tr("Subject"), certificate.subject),
            (tr("Issuer"), certificate.issuer), (tr("Valid from"), dates[0]), (tr("Valid until"), dates[1]),
            (tr("SHA-256 fingerprint"), certificate.fingerprint), (tr("Public key"), certificate.publicKey),
        ]
        let width = 2 + (rows.map { DisplayText.width($0.0) }.max() ?? 0)
        var lines = rows.map { DisplayText.fit($0.0, width) + $0.1 }
        if certificate.subject == certificate.issuer { lines += ["", tr("The certificate is self-signed.")] }
        // A transfer that has succeeded or was cancelled sends no more requests.
        if transfer.state != .succeeded, transfer.state != .cancelled {
            lines += [
                "", tr("To accept this key, run: \(session.hint("trust", transfer.id)) \(certificate.publicKey)"),
            ]
        }
        world.console.writeOutput(Array((lines.map(DisplayText.clean).joined(separator: "\n") + "\n").utf8))
    }

    private static func report(
        _ certificate: ServerCertificate, of id: TransferID, _ arguments: Arguments, _ world: World
    ) {
        if arguments.has(.json) { return write(certificate, of: id, world) }
        if !arguments.has(.quiet) {
            world.console.say(tr("Accepted the key of \(certificate.origin) for \(ShortID.text(id))."))
        }
    }

    private static func write(_ certificate: ServerCertificate, of id: TransferID, _ world: World) {
        var json = JSONWriter()
        json.object { json in
            json.member("id", id.description)
            json.object("certificate") { $0.members(of: certificate) }
        }
        json.endLine()
        world.console.writeOutput(json.bytes)
    }
}
