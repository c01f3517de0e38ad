import LonghaulCore

/// Performs the actions of `top` one after another, over a connection that is reopened when it was lost.
actor TopActionRunner {
    private let world: World
    private let session: SessionID
    private var service: (any TransferService)?

    init(world: World, session: SessionID) {
        self.world = world
        self.session = session
    }

    /// Returns the result of an action; `nil` for actions that concern only the screen.
    func perform(_ action: TopState.Action) async -> TopState.Event? {
        do throws(TransferFailure) {
            return try await answer(to: action, over: try await connected())
        } catch  where error.code == .serviceUnavailable {
            // The connection may have been lost since the last request; every action may be repeated.
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

    /// Returns the session's own limit; `nil` if the service does not answer now.
    func currentLimit() async -> TopState.Event? {
        guard let rules = try? await connected().rules(of: session).rules else { return nil }
        return .limit(rules.traffic.rateLimit)
    }

    /// Returns the failed and the newest other transfers that ended before `top` started; `nil` if the service does not
    /// answer now.
    func endedBefore() async -> TopState.Event? {
        guard let service = try? await connected(),
            let totals = try? await service.list(ListQuery(ended: true, limit: 1), in: session).totals,
            let ended = try? await ListPages.ended(TopTransfers.keptEnded, totals, in: session, over: service)
        else { return nil }
        return .ended(ended.failed.suffix(TopTransfers.keptEnded) + ended.others)
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
        case .query(let ids):
            // Without transfers, the answer still has the totals of the session.
            let query = ListQuery(selection: .ids(ids), limit: max(1, ids.count), wantsRate: true)
            return .page(try await service.list(query, in: session))
        case .control(let verb, let id, let done):
            return said(try await service.control(verb, .ids([id]), in: session), done)
        case .adjust(let adjustment, let id, let done):
            return said(try await service.adjust(adjustment, .ids([id]), in: session), done)
        case .place(let place, let id):
            let priority = try await place.priority(of: .ids([id]), in: session, over: service)
            let answer = try await service.adjust(TransferAdjustment(priority: priority), .ids([id]), in: session)
            return said(answer, tr("Priority: \(priority)"))
        case .forgetEnded:
            let answer = try await service.control(.remove, .all, in: session)
            let count = answer.changed
            return said(
                answer, count == 1 ? tr("1 transfer removed.") : tr("\(count) transfers removed."))
        case .limit(let rate):
            var rules = try await service.rules(of: session).rules
            rules.traffic.rateLimit = rate > 0 ? rate : nil
            try await service.setRules(rules, of: session)
            return .limit(rules.traffic.rateLimit)
        case .reason(let id): return try await reason(id, service)
        case .history(let id):
            let name = try await service.show(id, in: session).snapshot.name
            let lines = try await service.history(id, in: session).map { HistoryText.line($0, world) }
            return .panel(title: tr("History of \(name)"), lines: lines, showsEnd: true)
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
