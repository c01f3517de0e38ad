import LonghaulCore

/// Says of transfers why they are where they are.
struct TransferDoctor: Sendable {
    let world: World
    let session: SessionID

    func examine(_ texts: [String], asJSON: Bool) async throws(TransferFailure) {
        let service = try await world.connect(true)
        defer { service.close() }
        let ids = try await IDLookup.find(texts, in: session, over: service)
        let around = TransferSurroundings(
            conditions: try await service.conditions(), rules: try await service.rules(of: session),
            traffic: try await service.traffic())
        for (index, id) in ids.enumerated() {
            let detail = try await service.show(id, in: session)
            let history = try await service.history(id, in: session)
            let lines = DoctorText(detail: detail, history: history, around: around, world: world).lines
            if asJSON {
                for line in lines { world.console.writeOutput(Self.json(id, line)) }
            } else {
                if index > 0 { world.console.print("") }
                world.console.print(lines.map { DisplayText.clean($0.text) }.joined(separator: "\n"))
            }
        }
    }

    private static func json(_ id: TransferID, _ line: DoctorText.Line) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("id", id.description)
            json.member("topic", line.topic.rawValue)
            json.member("message", line.text)
        }
        json.endLine()
        return json.bytes
    }
}
