import LonghaulClient
import LonghaulCore

/// Runs `top`: passes keys, signals, and updates to its state, performs the actions, and draws.
///
/// The service reports state changes, but not progress. `top` requests that once a second for the visible transfers.
struct TopRun: Sendable {
    private let world: World
    private let session: SessionID
    private let device: ScreenDevice
    private let usesColour: Bool

    private enum Input: Sendable {
        case device(ScreenDevice.Event)
        case state(TopState.Event)
    }

    private static let interval = Duration.seconds(1)
    /// Between two attempts to find the service again.
    private static let retry = Duration.seconds(2)

    init(world: World, session: SessionID, device: ScreenDevice) {
        self.world = world
        self.session = session
        self.device = device
        usesColour = world.environment["NO_COLOR"]?.isEmpty ?? true
    }

    /// Takes over the terminal, and restores it at the end.
    static func start(_ arguments: Arguments, _ world: World) async throws(TransferFailure) -> ExitStatus {
        try arguments.refuseOperands(of: "top")
        let session = try LocalCheck.session(arguments)
        let terminal = world.environment["TERM"] ?? ""
        guard world.console.isOutputTerminal, !["", "dumb"].contains(terminal) else {
            throw .usage(
                "top requires a terminal that can move its cursor. Without one, use longhaul list or longhaul watch.")
        }
        // A failure to start the service is reported before the screen is taken over.
        try await world.connect(true).close()
        guard let device = world.openScreen() else {
            throw .usage("The terminal cannot be opened. Use longhaul list or longhaul watch.")
        }
        defer { device.close() }
        return await TopRun(world: world, session: session, device: device).run()
    }

    func run() async -> ExitStatus {
        let (inputs, continuation) = AsyncStream<Input>.makeStream()
        let tell: @Sendable (TopState.Event) -> Void = { continuation.yield(.state($0)) }
        let (orders, order) = AsyncStream<TopState.Action>.makeStream()
        return await withTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { for await event in device.events { continuation.yield(.device(event)) } }
            group.addTask { await watch(tell) }
            group.addTask { await obey(orders, tell) }
            group.addTask {
                while !Task.isCancelled {
                    await world.pause(Self.interval)
                    tell(.tick)
                }
            }
            return await draw(inputs) { order.yield($0) }
        }
    }

    /// Draws until the user quits.
    private func draw(_ inputs: AsyncStream<Input>, order: (TopState.Action) -> Void) async -> ExitStatus {
        var state = TopState(session: session, size: device.size())
        var drawn: Screen?
        for await input in inputs {
            var event: TopState.Event?
            switch input {
            case .state(let told): event = told
            case .device(.typed(let bytes)):
                for key in TopKey.keys(in: bytes) {
                    for action in state.handle(.key(key), now: world.now()) {
                        if action == .leave { return .success }
                        perform(action, &drawn, order)
                    }
                }
            case .device(.resized): event = .resized(device.size())
            case .device(.suspend): perform(.suspend, &drawn, order)
            case .device(.continued):
                device.retake()
                drawn = nil
            case .device(.signal(let signal)): return Self.status(signal)
            case .device(.closed): return .hungUp
            }
            if let event {
                for action in state.handle(event, now: world.now()) { perform(action, &drawn, order) }
                // The answer with the next figures follows, and is drawn together with the update.
                if case .update = event { continue }
                if event == .tick, state.trouble == nil { continue }
            }
            let screen = TopView.screen(&state, now: world.now())
            let output = screen.drawing(over: drawn, usesColour: usesColour)
            if !output.isEmpty { device.write(output) }
            drawn = screen
        }
        return .success
    }

    private func perform(_ action: TopState.Action, _ drawn: inout Screen?, _ order: (TopState.Action) -> Void) {
        switch action {
        case .suspend:
            device.suspend()
            drawn = nil
        case .redraw: drawn = nil
        default: order(action)
        }
    }

    private static func status(_ signal: Signal) -> ExitStatus {
        switch signal {
        case .interrupt: .interrupted
        case .terminate: .terminated
        case .hangUp: .hungUp
        case .resized: .success
        }
    }

    private func obey(_ orders: AsyncStream<TopState.Action>, _ tell: (TopState.Event) -> Void) async {
        let desk = TopActionRunner(world: world, session: session)
        if let event = await desk.currentLimit() { tell(event) }
        if let event = await desk.endedBefore() { tell(event) }
        for await action in orders {
            if let event = await desk.perform(action) { tell(event) }
        }
        await desk.disconnect()
    }

    /// Watches the session, over one connection after another.
    private func watch(_ tell: (TopState.Event) -> Void) async {
        while !Task.isCancelled {
            do {
                let service = try await world.connect(true)
                defer { service.close() }
                let detail = WatchDetail(isBrief: true, omitsEnded: true)
                var isFirst = true
                for try await update in service.watch(.all, in: session, detail) {
                    if isFirst { tell(.found) }
                    isFirst = false
                    tell(.update(update))
                }
            } catch {
                let failure = error as? TransferFailure ?? .serviceAbsent
                tell(.lost(tr("Reconnecting: \(StateText.sentence(failure))")))
            }
            await world.pause(Self.retry)
        }
    }
}
