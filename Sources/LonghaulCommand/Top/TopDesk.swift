import LonghaulCore

/// Does what `top` asks of the service, one thing after another, over a connection that is made again when it was lost.
actor TopDesk {
    private let world: World
    private let session: SessionID
    private var service: (any TransferService)?

    init(world: World, session: SessionID) {
        self.world = world
        self.session = session
    }

    /// What came of an action; what concerns the screen alone is nothing to the service.
    func perform(_ action: TopState.Action) async -> TopState.Event? {
        do throws(TransferFailure) {
            return try await answer(to: action, over: try await connected())
        } catch  where error.code == .serviceUnavailable {
            // The connection may be one that was lost since the last question; every action may be asked for twice.
            disconnect()
        } catch {
            return .said(StateText.sentence(error))
        }
        do throws(TransferFailure) {
            return try await answer(to: action, over: try await connected())
        } catch {
            disconnect()
            return .lost(StateText.sentence(error))
        }
    }

    /// The session's own limit; `nil` when it cannot be asked for now, and is shown when somebody changes it.
    func currentLimit() async -> TopState.Event? {
        guard let rules = try? await connected().rules(of: session).rules else { return nil }
        return .limit(rules.traffic.rateLimit)
    }

    func disconnect() {
        service?.close()
        service = nil
    }

    private func connected() async throws(TransferFailure) -> any TransferService {
        if let service { return service }
        let new = try await world.connect(true)
        service = new
        return new
    }

    private func answer(
        to action: TopState.Action, over service: any TransferService
    ) async throws(TransferFailure) -> TopState.Event? {
        switch action {
        case .ask(let ids):
            // Without transfers there are the figures of the session still.
            let query = ListQuery(selection: .ids(ids), limit: max(1, ids.count), wantsRate: true)
            return .page(try await service.list(query, in: session))
        case .control(let verb, let id, let done):
            return said(try await service.control(verb, .ids([id]), in: session), done)
        case .adjust(let adjustment, let id, let done):
            return said(try await service.adjust(adjustment, .ids([id]), in: session), done)
        case .place(let place, let id):
            let priority = try await place.priority(of: .ids([id]), in: session, over: service)
            let answer = try await service.adjust(TransferAdjustment(priority: priority), .ids([id]), in: session)
            return said(answer, "has priority \(priority)")
        case .limit(let rate):
            var rules = try await service.rules(of: session).rules
            rules.traffic.rateLimit = rate > 0 ? rate : nil
            try await service.setRules(rules, of: session)
            return .limit(rules.traffic.rateLimit)
        case .reason(let id): return try await reason(id, service)
        case .history(let id):
            let name = try await service.show(id, in: session).snapshot.name
            let lines = try await service.history(id, in: session).map { HistoryText.line($0, world) }
            return .panel(title: "History of \(name)", lines: lines.reversed())
        case .suspend, .redraw, .leave: return nil
        }
    }

    private func said(_ answer: ControlAnswer, _ done: String) -> TopState.Event {
        .said(answer.refusals.first.map { StateText.sentence($0.failure) } ?? done)
    }

    private func reason(_ id: TransferID, _ service: any TransferService) async throws(TransferFailure)
        -> TopState.Event
    {
        let doctor = TransferDoctor(world: world, session: session)
        let around = try await doctor.surroundings(service)
        let transfer = try await service.show(id, in: session).snapshot
        let address = "\(transfer.method) \(transfer.url)"
        let file = transfer.path.map { [$0] } ?? []
        let lines = try await doctor.lines(about: id, around, service).map(\.text)
        return .panel(title: "\(transfer.name)  \(ShortID.text(id))", lines: lines + ["", address] + file)
    }
}
