import LonghaulConditions
import LonghaulCore
import LonghaulCurl
import LonghaulIPC
import LonghaulRuntime
import LonghaulSystem

/// The daemon, one for each state directory and so for each user. It listens, keeps the sessions open, and exits on request or when
/// idle.
package struct Service {
    private let options: ServiceOptions
    private let environment: [String: String]

    package init(options: ServiceOptions, environment: [String: String]) {
        self.options = options
        self.environment = environment
    }

    /// Serves until the exit. Call it first, while the process has one thread. Returns the exit status.
    package func run() -> Int32 {
        do throws(TransferFailure) {
            ThisProcess.raiseDescriptorLimit()
            // Without the notes a transfer that crashes the service may do so at each start; that is no reason to refuse the
            // others.
            try? TrapNotes.begin()
            // Before any thread exists: threads inherit the mask that leaves SIGTERM and SIGINT to the descriptor.
            let signals = try openSignals()
            let paths = try LonghaulPaths(environment: environment)
            try paths.prepareStateDirectory()
            try PrivateDirectory.create(paths.sessions, mayTighten: true)
            let handedOver = try SocketActivation.listener(environment: environment)
            let lock =
                if handedOver == nil {
                    try ServiceLock.acquire(paths)
                } else {
                    try ServiceLock.waitForTurn(
                        paths, signals: signals, notifier: ServiceNotifier(environment: environment))
                }
            guard let lock else {
                ServiceLog.notice("another longhauld of this user runs", ["state": paths.stateDirectory])
                notifyStarter(ServiceReadiness.otherRuns)
                return 0
            }
            let entrance = try ServiceSocket.open(paths, lock)
            let exchange = ProgramExchange()
            try withExtendedLifetime(lock) { () throws(TransferFailure) in
                try serve(entrance, handedOver, signals, paths, exchange)
            }
            if exchange.hasBegun { throw exchange.become(options, handedOver) }
            return 0
        } catch {
            ServiceLog.notice("longhauld cannot run", ["code": error.code.rawValue, "message": error.message])
            return 1
        }
    }

    /// The components behind the socket.
    private struct Components {
        let mailbox: ServerMailbox
        let watches: ServiceWatches
        let providers: ServiceProviders
        let conditions: ConditionsController
        let host: SessionHost
        let sessions: SessionsWatch?
    }

    /// Connects the components; only the observation of the conditions begins.
    private func makeComponents(_ paths: LonghaulPaths) throws(TransferFailure) -> Components {
        let mailbox = try ServerMailbox()
        let watches = ServiceWatches(mailbox: mailbox)
        let providers = ServiceProviders(mailbox: mailbox)
        let directories = SessionDirectories(stateDirectory: paths.stateDirectory)
        var world = RuntimeEnvironment.real { layout, sink throws(TransferFailure) in
            try Engine.overLibcurl(alternatives: layout.alternatives, cookies: layout.cookies, sink: sink)
        }
        // For sessions without their own helper.
        world.credentialHelper = HelperSource.shellCommand(environment["LONGHAUL_CREDENTIAL_HELPER"])
        let waker = Waker(environment: environment)
        world.wake = { order, reply in waker.start(order, then: reply) }
        let notifications = try Notifier()
        world.notify = { session, order, news in notifications.post(session, order, then: news) }
        let conditions = ConditionsController(stateDirectory: paths.stateDirectory, watchesSettings: false)
        if let damage = conditions.damage {
            ServiceLog.notice("files for all sessions were damaged", ["message": damage.message])
        }
        let board = TrafficShaper(conditions.surroundings())
        board.connect(&world, ledger: conditions.ledger)
        let sessions = SessionsWatch(directories, sessions: paths.sessions)
        let host = SessionHost(
            directories: directories, environment: world,
            onOpen: { id, runtime in
                // Changes since its opening began, before any client can query it.
                runtime.update(board.surroundings(for: id))
                watches.attachAll(of: id, to: runtime)
                providers.attachAll(of: id, to: runtime)
            },
            onOpened: { board.recordOpen($0) },
            onRelease: {
                watches.detachAll(of: $0)
                providers.detachAll(of: $0)
            },
            onRest: { sessions?.watch($0) }, wake: mailbox.wakeServer)
        board.setTell { id, surroundings in host.pass(id, surroundings) }
        conditions.start(
            .init(
                changed: { board.set($0) }, networkReturned: { host.reportNetworkReturn() },
                networkChanged: { host.reportNetworkChange() },
                clockChanged: { host.reportClockChange() },
                prepareForSleep: { host.finishAll($0) }))
        return Components(
            mailbox: mailbox, watches: watches, providers: providers, conditions: conditions, host: host,
            sessions: sessions)
    }

    private func makeServer(
        _ listener: Descriptor, _ handedOver: Descriptor?, _ components: Components, _ clients: ClientCount,
        _ paths: LonghaulPaths
    ) throws(TransferFailure) -> SocketServer {
        let status = ServiceStatus(
            version: Release.version, processID: Int(ThisProcess.id), startedAt: SystemClock.wallTime(),
            isSocketActivated: handedOver != nil, clients: 0, residentBytes: 0, stateDirectory: paths.stateDirectory,
            sessions: [], libcurl: CurlEngine.libcurlVersion, directPaths: CurlEngine.directPaths,
            hasHTTP3: CurlEngine.hasHTTP3)
        let desk = RequestRouter(
            host: components.host, watches: components.watches, providers: components.providers,
            mailbox: components.mailbox,
            status: status, conditions: components.conditions)
        let server = try SocketServer(
            listener: listener, mailbox: components.mailbox, program: "longhauld " + Release.version,
            handler: .init(
                request: { desk.route($1, $0, clients: clients.value) },
                clientLeft: {
                    components.watches.endAll(of: $0)
                    components.providers.endAll(of: $0)
                    components.host.clientLeft($0)
                }))
        if let handedOver { try server.addListener(handedOver) }
        return server
    }

    private func serve(
        _ entrance: (door: ServiceSocket, listener: Descriptor), _ handedOver: Descriptor?, _ signals: StopSignals,
        _ paths: LonghaulPaths, _ exchange: ProgramExchange
    ) throws(TransferFailure) {
        let components = try makeComponents(paths)
        let (mailbox, host) = (components.mailbox, components.host)
        defer { components.conditions.stop() }
        let clients = ClientCount()
        let server = try makeServer(entrance.listener, handedOver, components, clients, paths)
        try watch(entrance.door, for: server)
        try server.addSource(signals.descriptor) {
            while let name = signals.next() {
                ServiceLog.notice("stop requested", ["by": name])
                mailbox.stop()
            }
        }
        if let sessions = components.sessions {
            let look = {
                sessions.renew()
                host.openExisting()
            }
            try server.addSource(sessions.descriptor, readable: look)
            sessions.renew()
        }
        if let changes = exchange.changes { try server.addSource(changes, readable: exchange.check) }
        let notifier = ServiceNotifier(environment: environment)
        var keeping = Housekeeping(options: options, host: host, notifier: notifier, exchange: exchange)
        host.openExisting()
        notifyStarter(ServiceReadiness.listening)
        notifier.notify("READY=1", "STATUS=Listening at \(entrance.door.place)")
        ServiceLog.notice(
            "started", ["version": Release.version, "pid": String(ThisProcess.id), "socket": entrance.door.place])

        server.run { now in
            clients.value = server.clientCount
            return keeping.turn(clients: server.clientCount, now: now, leave: mailbox.stop)
        }

        // systemd would kill a service that reports its stop and does not exit.
        if !exchange.hasBegun { notifier.notify("STOPPING=1", "STATUS=Stopping") }
        // The name comes first: a new client then starts another service, which waits for the lock.
        entrance.door.close()
        host.stop()
        server.finish(within: .milliseconds(200))
        // Helpers have their own sessions, which get no signal.
        ChildProgram.endCalls(withinMilliseconds: 1_000)
        ServiceLog.notice("stopped", ["pid": String(ThisProcess.id)])
    }

    private func watch(_ door: ServiceSocket, for server: SocketServer) throws(TransferFailure) {
        guard let losses = door.losses else { return }
        try server.addSource(losses) {
            guard let listener = door.renewed() else { return }
            // The kernel lacks memory; the next loss is another chance.
            do throws(TransferFailure) { try server.replaceFirstListener(with: listener) } catch {
                ServiceLog.notice("the new socket is not heard", ["message": error.message])
            }
        }
    }

    private func openSignals() throws(TransferFailure) -> StopSignals {
        do throws(SystemError) {
            return try StopSignals()
        } catch {
            throw TransferFailure(.internalFault, "Could not receive signals.", error: error)
        }
    }

    /// It does not matter if the starter has exited.
    private func notifyStarter(_ word: UInt8) {
        guard let descriptor = options.readyDescriptor else { return }
        try? Descriptor(descriptor).write([word])
    }

    /// The number of clients for the status, which is also read on the server's thread.
    private final class ClientCount {
        var value = 0
    }
}
