import LonghaulCore

extension Option {
    fileprivate static let total = Option("total", value: "N", "How many run at once in all")
    fileprivate static let perHost = Option("per-host", value: "N", "How many run at once with one host")
    fileprivate static let perGroup = Option(
        "group", value: "NAME=N", "How many of this group run at once; 0 lifts the limit; may be repeated")
}

extension Command {
    static let limits = Command(
        "limits", "[options]", "Show or set how many transfers run at once",
        options: [.total, .perHost, .perGroup, .session, .json],
        run: { arguments, world throws(TransferFailure) in
            try arguments.refuseOperands(of: "limits")
            let session = try LocalCheck.session(arguments)
            let total = try arguments.integer(.total, 1...100_000)
            let perHost = try arguments.integer(.perHost, 1...100_000)
            var groups: [String: Int] = [:]
            for text in arguments.values(.perGroup) {
                let (name, limit) = try group(text)
                groups[name] = limit
            }
            let service = try await world.connect(true)
            defer { service.close() }
            var limits = try await service.limits(of: session)
            if total != nil || perHost != nil || !groups.isEmpty {
                limits.total = total ?? limits.total
                limits.perHost = perHost ?? limits.perHost
                for (name, limit) in groups { limits.perGroup[name] = limit > 0 ? limit : nil }
                try await service.setLimits(limits, of: session)
            }
            world.console.writeOutput(arguments.has(.json) ? json(limits) : Array(text(limits).utf8))
            return .success
        })

    private static func group(_ text: String) throws(TransferFailure) -> (String, Int) {
        guard let equals = text.lastIndex(of: "="), equals != text.startIndex,
            let limit = Int(text[text.index(after: equals)...]), (0...100_000).contains(limit)
        else { throw .usage("--group takes NAME=N, not \"\(text)\"") }
        return (String(text[..<equals]), limit)
    }

    private static func text(_ limits: SessionLimits) -> String {
        var lines = ["total \(limits.total)", "per host \(limits.perHost)"]
        for (name, limit) in limits.perGroup.sorted(by: { $0.key < $1.key }) {
            lines.append("group \(DisplayText.clean(name)) \(limit)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func json(_ limits: SessionLimits) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("total", limits.total)
            json.member("perHost", limits.perHost)
            json.object("perGroup") { json in
                for (name, limit) in limits.perGroup.sorted(by: { $0.key < $1.key }) { json.member(name, limit) }
            }
        }
        json.endLine()
        return json.bytes
    }
}
