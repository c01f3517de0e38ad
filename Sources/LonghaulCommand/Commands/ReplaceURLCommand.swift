import LonghaulCore
import LonghaulSystem

extension Command {
    static let replaceURL: Command = Command(
        "replace-url", "ID URL|- [options]", "Change a transfer's URL, such as an expired signed URL",
        options: [.header, .user, .session, .json, .quiet], transfers: StateText.openWords,
        examples: [
            .init("longhaul replace-url film.mp4 'https://example.org/film.mp4?sig=new'", "Continue with a new URL")
        ],
        notes: [
            "A download resumes if the new URL serves the same version, and otherwise restarts. A failed transfer "
                + "starts again; a paused one stays paused. -H and -u replace all headers of the transfer.",
            "URL - reads the URL from standard input, so that a secret is not in the process list.",
        ],
        reference: ([], [.init("longhaul replace-url film.mp4 https://example.org/film.mp4 -u ada", "Log in too")]),
        run: { arguments, world throws(TransferFailure) in
            guard arguments.operands.count == 2 else { throw .misuse("replace-url needs one ID and one URL.") }
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
                    world.console.say(tr("\(ShortID.text(id)) continues with \(DisplayText.clean(url.redacted))."))
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
