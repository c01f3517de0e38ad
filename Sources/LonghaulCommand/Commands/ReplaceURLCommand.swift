import LonghaulCore
import LonghaulSystem

extension Command {
    static let replaceURL: Command = Command(
        "replace-url", "ID URL|- [options]", "Give a transfer another URL, such as a signed one, and go on",
        options: [.header, .user, .session, .json, .quiet], transfers: StateText.openWords,
        notes: [
            "What was won is kept: a download goes on where it is if the new URL leads to the same version, else it begins "
                + "anew. A failed transfer starts again, a paused one stays paused. Header fields (-H, --user) replace all "
                + "that it had; without them they stay.",
            "The URL - is read from standard input, so that a secret in it is in no list of processes.",
        ],
        run: { arguments, world throws(TransferFailure) in
            guard arguments.operands.count == 2 else { throw .usage("replace-url needs one ID and one URL") }
            let session = try LocalCheck.session(arguments)
            let url = try LocalCheck.url(try text(arguments.operands[1], world))
            let changesHeaders = arguments.has(.header) || arguments.has(.user)
            let headers = changesHeaders ? try TransferTemplate(arguments, world).headers : nil
            let service = try await world.connect(true)
            defer { service.close() }
            let ids = try await IDLookup.find(
                [arguments.operands[0]], among: replaceURL.transfers, in: session, over: service)
            for id in ids {
                try await service.replaceURL(of: id, with: url.text, headers: headers, in: session)
                if arguments.has(.json) {
                    var json = JSONWriter()
                    json.object { json in
                        json.member("id", id.description)
                        json.member("url", url.redacted)
                    }
                    json.endLine()
                    world.console.writeOutput(json.bytes)
                } else if !arguments.has(.quiet) {
                    world.console.say("\(ShortID.text(id)) goes on with \(DisplayText.clean(url.redacted))")
                }
            }
            return .success
        })

    private static func text(_ operand: String, _ world: World) throws(TransferFailure) -> String {
        guard operand == "-" else { return operand }
        let bytes = try LocalFiles.read(LentDescriptor(world.input), limit: 64 << 10, name: "standard input")
        return String(String(decoding: bytes, as: UTF8.self).trimming { $0.isWhitespace })
    }
}
