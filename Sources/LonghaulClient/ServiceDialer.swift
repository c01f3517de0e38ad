package import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// Opens a connection to the service and exchanges greetings, starting the service if necessary. It blocks: it runs on the connection's
/// own thread.
struct ServiceDialer {
    let paths: LonghaulPaths
    let starter: ServiceStarter?
    let core: ConnectionCore
    private let clock = SuspendingClock()
    private let patience = Duration.seconds(10)

    init(environment: [String: String], startsService: Bool, core: ConnectionCore) throws(TransferFailure) {
        paths = try LonghaulPaths(environment: environment)
        starter = startsService ? ServiceStarter(environment: environment, paths: paths) : nil
        self.core = core
    }

    func dial() throws(TransferFailure) -> Descriptor {
        let deadline = clock.now + patience
        if let socket = try dialRunning(until: deadline) { return socket }
        // A running service listens in its state directory. A connection to systemd's socket would start one.
        guard let starter else { throw .serviceAbsent }
        try paths.prepareStateDirectory()
        // Watched before the next attempt, so that a socket that appears after the attempt is not missed.
        return try dial(starter, NamesWatch(paths.stateDirectory), until: deadline)
    }

    /// Returns a connection to a running service; `nil` if none listens. A service whose queue is full (EAGAIN, unix(7)) is running, and
    /// busy.
    private func dialRunning(until deadline: SuspendingClock.Instant) throws(TransferFailure) -> Descriptor? {
        while true {
            switch try connect() {
            case .success(let socket): return try greet(socket, until: deadline) ? socket : nil
            case .failure(let error):
                guard starter == nil, error == .wouldBlock else { return nil }
                guard clock.now < deadline else { throw unanswered }
                try pause(nil, nil, milliseconds: 100, until: deadline)
            }
        }
    }

    private func dial(
        _ starter: ServiceStarter, _ names: NamesWatch?, until deadline: SuspendingClock.Instant
    ) throws(TransferFailure) -> Descriptor {
        var ready: Descriptor?
        var hasKnocked = false
        var otherStarts = false
        while clock.now < deadline {
            switch try connect() {
            case .success(let socket):
                if try greet(socket, until: deadline) { return socket }
            case .failure(let error) where error == .wouldBlock:
                // The queue is full: the service is running, and busy.
                try pause(names, ready, milliseconds: 100, until: deadline)
                continue
            case .failure where !hasKnocked:
                hasKnocked = true
                if try knock(starter, until: deadline) { continue }
            case .failure: break
            }
            if ready == nil, !otherStarts { ready = try starter.start() }
            switch try pause(names, ready, milliseconds: nil, until: deadline) {
            case .somethingAppeared: break
            case .listening: ready = nil
            case .otherStarts: (ready, otherStarts) = (nil, true)
            case .ended: throw starter.failure("longhauld exited before it was ready.")
            }
        }
        if otherStarts { throw otherPlace }
        throw unanswered
    }

    /// Makes systemd start its service, if it listens for one, and waits until the service answers. The service then
    /// listens in its state directory too; if its state directory is a different one, the attempt has failed.
    private func knock(
        _ starter: ServiceStarter, until deadline: SuspendingClock.Instant
    ) throws(TransferFailure) -> Bool {
        guard let path = paths.activationSocket else { return false }
        var answer = UnixSocket.connect(path: path)
        for order in ServiceStarter.Order.allCases {
            if case .success = answer { break }
            guard starter.bySystemd(order) else { return false }
            answer = UnixSocket.connect(path: path)
        }
        guard case .success(let socket) = answer, UnixSocket.peerUser(of: socket) == ThisProcess.user else {
            return false
        }
        do throws(TransferFailure) {
            return try greet(socket, until: deadline)
        } catch {
            if let ending = core.ending { throw ending }
            return false
        }
    }

    private enum StartEvent {
        case somethingAppeared, listening, otherStarts, ended
    }

    /// Waits for a name in the state directory, or for a message from the service that is starting.
    @discardableResult
    private func pause(
        _ names: NamesWatch?, _ ready: Descriptor?, milliseconds: Int32?, until deadline: SuspendingClock.Instant
    ) throws(TransferFailure) -> StartEvent {
        var wanted: [(descriptor: Int32, readiness: Readiness)] = [(core.wake.descriptor.number, .readable)]
        if let ready { wanted.append((ready.number, .readable)) }
        if let names { wanted.append((names.descriptor.number, .readable)) }
        // If names cannot be watched, it polls.
        let wait = milliseconds ?? (names == nil ? 20 : remaining(until: deadline))
        let result = PollSet.wait(wanted, milliseconds: wait)
        if let ending = core.ending { throw ending }
        if let ready, !result[1].isEmpty {
            // If there is no message, the service has exited.
            guard let word = try? ready.nextByte() else { return .ended }
            return word == ServiceReadiness.listening ? .listening : .otherStarts
        }
        names?.clearEvents()
        return .somethingAppeared
    }

    private func connect() throws(TransferFailure) -> Result<Descriptor, SystemError> {
        let result = ServiceTraces.connect(paths)
        switch result {
        case .success(let socket):
            guard UnixSocket.peerUser(of: socket) == ThisProcess.user else {
                throw TransferFailure(.accessDenied, "The service at \(paths.socket) belongs to another user.")
            }
        case .failure(let error):
            guard [.missing, .connectionRefused, .wouldBlock].contains(error) else {
                throw unreachable(error)
            }
        }
        return result
    }

    /// Sends the hello message. Returns `false` if the service exited before it answered, because it was about to stop.
    private func greet(_ socket: Descriptor, until deadline: SuspendingClock.Instant) throws(TransferFailure) -> Bool {
        var output = OutputQueue()
        let hello = ClientMessage.hello(version: Int(Frame.version), program: CommandLine.arguments.first ?? "")
        output.append(try Frame.bytes(of: ClientEnvelope(request: .max, message: hello)))
        // A hello fits into the empty buffer of a new socket. If the service has exited, reading reports that.
        _ = output.write(to: socket)
        var reader = FrameReader()
        while true {
            PollSet.wait(
                [(socket.number, .readable), (core.wake.descriptor.number, .readable)],
                milliseconds: remaining(until: deadline))
            if let ending = core.ending { throw ending }
            switch receive(from: socket, &reader) {
            case .moved: break
            case .full: guard clock.now < deadline else { throw unanswered }
            case .gone: return false
            }
            guard let answer = try welcome(&reader) else { continue }
            if case .failed(let failure) = answer { throw failure }
            return true
        }
    }

    /// Never reads past the frame's end: later bytes belong to the connection's thread.
    private func receive(from socket: Descriptor, _ reader: inout FrameReader) -> UnixSocket.Outcome {
        let count = min(reader.bytesWanted, 4 << 10)
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { scratch in
            let moved = UnixSocket.receive(from: socket, into: scratch)
            if case .moved(let count) = moved { reader.append(UnsafeRawBufferPointer(rebasing: scratch[..<count])) }
            return moved
        }
    }

    private func welcome(_ reader: inout FrameReader) throws(TransferFailure) -> ServiceMessage? {
        do throws(FrameFault) {
            guard let bytes = try reader.next() else { return nil }
            if let envelope = try? ServiceEnvelope.decoded(wireBytes: bytes) { return envelope.message }
        } catch {
            throw error.failure
        }
        throw TransferFailure(.protocolMismatch, "The program at \(paths.socket) is not the longhauld of this version.")
    }

    /// The failure if another service has locked the state directory, and no socket answers.
    private var otherPlace: TransferFailure {
        guard let holder = ServiceTraces.holder(paths) else {
            return TransferFailure(
                .serviceUnavailable,
                "Another longhauld uses \(paths.stateDirectory) and does not answer at \(paths.socket). It hangs, is of "
                    + "an earlier version, or runs on another machine that shares this directory. End it there.")
        }
        return TransferFailure(
            .serviceUnavailable,
            "Another longhauld (process \(holder.process) on \(holder.host)) uses \(paths.stateDirectory) and does not "
                + "answer at \(paths.socket). It hangs, is of an earlier version, or runs on another machine that shares "
                + "this directory. End it there.")
    }

    private func unreachable(_ error: SystemError) -> TransferFailure {
        guard error == .denied else {
            return TransferFailure(.serviceUnavailable, "Could not connect to \(paths.socket).", error: error)
        }
        return TransferFailure(
            .serviceUnavailable,
            "Could not connect to \(paths.socket): \(error.text). HOME or XDG_STATE_HOME may name the directory of another "
                + "user: set it to your own.", origin: error.origin)
    }

    private var unanswered: TransferFailure {
        starter?.failure("longhauld did not answer within 10 seconds.")
            ?? TransferFailure(
                .serviceUnavailable,
                "longhauld did not answer within 10 seconds. Try again. If that does not help, end its process.")
    }

    private func remaining(until deadline: SuspendingClock.Instant) -> Int32 {
        PollSet.milliseconds(deadline - clock.now)
    }
}

extension TransferFailure {
    /// No service listens.
    package static let serviceAbsent = TransferFailure(
        .serviceUnavailable,
        "longhauld is not running. It starts with the first transfer, or with longhaul service start.")
}
