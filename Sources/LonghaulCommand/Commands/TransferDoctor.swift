import LonghaulCore

/// Explains the states of transfers.
struct TransferDoctor: Sendable {
    let world: World
    let session: SessionID

    func examine(_ texts: [String], asJSON: Bool) async throws(TransferFailure) {
        let service = try await world.connect(true)
        defer { service.close() }
        let ids = try await IDLookup.find(
            texts, among: Command.doctor.transfers, choosesNewest: true, in: session, over: service)
        let around = try await surroundings(service)
        for (index, id) in ids.enumerated() {
            let lines = try await lines(about: id, around, service)
            if asJSON {
                for line in lines { world.console.writeOutput(Self.json(id, line)) }
            } else {
                if index > 0 { world.console.print("") }
                for line in lines { world.console.show(DisplayText.clean(line.text)) }
            }
        }
    }

    func surroundings(_ service: any TransferService) async throws(TransferFailure) -> TransferSurroundings {
        TransferSurroundings(
            conditions: try await service.conditions(), rules: try await service.rules(of: session),
            traffic: try await service.traffic())
    }

    func lines(
        about id: TransferID, _ around: TransferSurroundings, _ service: any TransferService
    ) async throws(TransferFailure) -> [DoctorText.Line] {
        let detail = try await service.show(id, in: session)
        let history = try await service.history(id, in: session)
        return DoctorText(detail: detail, history: history, around: around, session: session, world: world).lines
    }

    private static func json(_ id: TransferID, _ line: DoctorText.Line) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("id", id.description)
            json.member("topic", line.topic.rawValue)
            json.member("message", line.text)
            json.member("code", line.code)
        }
        json.endLine()
        return json.bytes
    }
}
