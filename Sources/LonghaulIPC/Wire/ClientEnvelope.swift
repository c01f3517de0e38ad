package import LonghaulCore

/// A client's message with its request's number.
package struct ClientEnvelope: Equatable, Sendable {
    /// Above zero, and not the number of a request of this connection that is still under way.
    package var request: UInt64
    package var message: ClientMessage

    package init(request: UInt64, message: ClientMessage) {
        self.request = request
        self.message = message
    }
}

extension ClientEnvelope: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.unsigned(request, at: 1)
        switch message {
        case .hello(let version, let program): writer.message(Greeting(version: version, program: program), at: 2)
        case .session(let id, let command): writer.message(SessionRequest(session: id, body: command), at: 3)
        case .watch(let id, let selection, let detail):
            writer.message(SessionRequest(session: id, body: selection, detail: detail), at: 4)
        case .unwatch(let request): writer.unsigned(Optional(request), at: 5)
        case .sessions: writer.empty(at: 6)
        case .status: writer.empty(at: 7)
        case .stop: writer.empty(at: 8)
        case .release(let id, let mode): writer.message(ReleaseRequest(session: id, mode: mode), at: 9)
        case .adopt(let id): writer.message(id, at: 10)
        case .provideCredentials(let id): writer.message(id, at: 25)
        case .answerCredential(let provider, let question, let credential):
            writer.message(
                CredentialReplyWire(provider: provider, question: question, credential: credential), at: 26)
        case .endProviding(let request): writer.unsigned(Optional(request), at: 27)
        case .attach(let id): writer.message(id, at: 20)
        case .conditions: writer.empty(at: 40)
        case .setOverride(let override): writer.message(override, at: 41)
        case .traffic: writer.empty(at: 42)
        case .setTraffic(let limits): writer.message(limits, at: 43)
        case .runTasks(let id, let runner): writer.message(SessionRequest(session: id, body: runner), at: 50)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var request: UInt64 = 0
        var message: ClientMessage?
        while let field = try reader.nextField() {
            switch field {
            case 1: request = try reader.unsigned()
            case 2:
                let greeting: Greeting = try reader.message()
                message = .hello(version: greeting.version, program: greeting.program)
            case 3:
                let body: SessionRequest<SessionCommand> = try reader.message()
                message = .session(body.session, body.body)
            case 4:
                let body: SessionRequest<TransferSelection> = try reader.message()
                message = .watch(body.session, body.body, body.detail)
            case 5: message = .unwatch(request: try reader.unsigned())
            case 6: message = try reader.empty(as: .sessions)
            case 7: message = try reader.empty(as: .status)
            case 8: message = try reader.empty(as: .stop)
            case 9:
                let body: ReleaseRequest = try reader.message()
                message = .release(body.session, body.mode)
            case 10: message = .adopt(try reader.message())
            case 25: message = .provideCredentials(try reader.message())
            case 26:
                let body: CredentialReplyWire = try reader.message()
                message = .answerCredential(
                    provider: body.provider, question: body.question, body.credential)
            case 27: message = .endProviding(request: try reader.unsigned())
            case 20: message = .attach(try reader.message())
            case 40: message = try reader.empty(as: .conditions)
            case 41: message = .setOverride(try reader.message())
            case 42: message = try reader.empty(as: .traffic)
            case 43: message = .setTraffic(try reader.message())
            case 50:
                let body: SessionRequest<TaskRunner> = try reader.message()
                message = .runTasks(body.session, body.body)
            default: try reader.skip()
            }
        }
        guard let message else { throw .unknownValue }
        guard request > 0 else { throw .missingValue }
        self.init(request: request, message: message)
    }
}

/// The payload of `hello` and `welcome`.
struct Greeting: WireMessage {
    var version: Int
    var program: String

    init(version: Int, program: String) {
        self.version = version
        self.program = program
    }

    func encode(into writer: inout WireWriter) {
        writer.integer(version, at: 1)
        writer.text(program, at: 2)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(version: 0, program: "")
        while let field = try reader.nextField() {
            switch field {
            case 1: version = try reader.integer()
            case 2: program = try reader.text()
            default: try reader.skip()
            }
        }
    }
}

/// Something asked of one session.
private struct SessionRequest<Body: WireMessage>: WireMessage {
    var session: SessionID
    var body: Body
    /// For watches.
    var detail: WatchDetail

    init(session: SessionID, body: Body, detail: WatchDetail = WatchDetail()) {
        self.session = session
        self.body = body
        self.detail = detail
    }

    func encode(into writer: inout WireWriter) {
        writer.message(session, at: 1)
        writer.message(body, at: 2)
        writer.flag(detail.omitsQueued, at: 80)
        writer.flag(detail.isBrief, at: 90)
        writer.flag(detail.omitsEnded, at: 91)
    }

    init(from reader: inout WireReader) throws(WireError) {
        var session: SessionID?
        var body: Body?
        var detail = WatchDetail()
        while let field = try reader.nextField() {
            switch field {
            case 1: session = try reader.message()
            case 2: body = try reader.message()
            case 80: detail.omitsQueued = try reader.flag()
            case 90: detail.isBrief = try reader.flag()
            case 91: detail.omitsEnded = try reader.flag()
            default: try reader.skip()
            }
        }
        guard let session, let body else { throw .missingValue }
        self.init(session: session, body: body, detail: detail)
    }
}

/// The payload of `release`.
private struct ReleaseRequest: WireMessage {
    var session: SessionID
    var mode: ReleaseMode

    init(session: SessionID, mode: ReleaseMode) {
        self.session = session
        self.mode = mode
    }

    func encode(into writer: inout WireWriter) {
        writer.message(session, at: 1)
        writer.choice(mode, at: 2)
    }

    init(from reader: inout WireReader) throws(WireError) {
        var session: SessionID?
        var mode = ReleaseMode.whenHarmless
        while let field = try reader.nextField() {
            switch field {
            case 1: session = try reader.message()
            case 2: mode = try reader.choice()
            default: try reader.skip()
            }
        }
        guard let session else { throw .missingValue }
        self.init(session: session, mode: mode)
    }
}
