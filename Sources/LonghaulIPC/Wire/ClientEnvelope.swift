package import LonghaulCore

/// A client's message with its request's number.
package struct ClientEnvelope: Equatable, Sendable {
    /// Above zero, and not the number of a pending request of this connection.
    package var request: UInt64
    package var message: ClientMessage

    package init(request: UInt64, message: ClientMessage) {
        self.request = request
        self.message = message
    }
}

extension ClientEnvelope: WireRecord {
    package static var blank: Self { Self(request: 0, message: .status) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.unsigned(&request, 1)
        try wire.cases(&message)
    }

    package func complete() throws(WireError) {
        guard request > 0 else { throw .missingValue }
    }
}

extension ClientMessage: WireCases {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 2, { Self.hello(version: $0.version, program: $0.program) }) {
            if case .hello(let version, let program) = $0 { Greeting(version: version, program: program) } else { nil }
        }
        try wire.message(&value, 3, { Self.session($0.session, $0.command) }) {
            if case .session(let id, let command) = $0 {
                SessionCommandRequest(session: id, command: command)
            } else {
                nil
            }
        }
        try wire.message(&value, 4, { Self.watch($0.session, $0.selection, $0.detail) }) {
            if case .watch(let id, let selection, let detail) = $0 {
                WatchRequest(session: id, selection: selection, detail: detail)
            } else {
                nil
            }
        }
        try wire.unsigned(&value, 5, Self.unwatch) { if case .unwatch(let request) = $0 { request } else { nil } }
        try wire.empty(&value, 6, .sessions)
        try wire.empty(&value, 7, .status)
        try wire.empty(&value, 8, .stop)
        try wire.message(&value, 9, { Self.release($0.session, $0.mode) }) {
            if case .release(let id, let mode) = $0 { ReleaseRequest(session: id, mode: mode) } else { nil }
        }
        try wire.message(&value, 10, Self.adopt) { if case .adopt(let id) = $0 { id } else { nil } }
        try wire.message(&value, 11, Self.provideCredentials) {
            if case .provideCredentials(let id) = $0 { id } else { nil }
        }
        try wire.message(
            &value, 12, { Self.answerCredential(provider: $0.provider, question: $0.question, $0.credential) }
        ) {
            if case .answerCredential(let provider, let question, let credential) = $0 {
                CredentialReply(provider: provider, question: question, credential: credential)
            } else {
                nil
            }
        }
        try wire.unsigned(&value, 13, Self.endProviding) {
            if case .endProviding(let request) = $0 { request } else { nil }
        }
        try wire.message(&value, 14, Self.attach) { if case .attach(let id) = $0 { id } else { nil } }
        try wire.empty(&value, 15, .conditions)
        try wire.message(&value, 16, Self.setOverride) {
            if case .setOverride(let override) = $0 { override } else { nil }
        }
        try wire.empty(&value, 17, .traffic)
        try wire.message(&value, 18, Self.setTraffic) { if case .setTraffic(let limits) = $0 { limits } else { nil } }
        try wire.message(&value, 19, { Self.runTasks($0.session, $0.runner) }) {
            if case .runTasks(let id, let runner) = $0 { TaskRunnerRequest(session: id, runner: runner) } else { nil }
        }
    }
}

/// The payload of `hello` and `welcome`.
struct Greeting: WireRecord {
    static var blank: Self { Self(version: 0, program: "") }

    var version: Int
    var program: String

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.integer(&version, 1)
        try wire.text(&program, 2)
    }
}

/// The payload of `session`.
private struct SessionCommandRequest: WireRecord {
    static var blank: Self { Self(session: .blank, command: .info) }

    var session: SessionID
    var command: SessionCommand

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&session, 1)
        try wire.required(&command, 2)
    }
}

/// The payload of `runTasks`.
private struct TaskRunnerRequest: WireRecord {
    static var blank: Self { Self(session: .blank, runner: .blank) }

    var session: SessionID
    var runner: TaskRunner

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&session, 1)
        try wire.required(&runner, 2)
    }
}

/// The payload of `watch`.
private struct WatchRequest: WireRecord {
    static var blank: Self { Self(session: .blank, selection: .all, detail: WatchDetail()) }

    var session: SessionID
    var selection: TransferSelection
    var detail: WatchDetail

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&session, 1)
        try wire.required(&selection, 2)
        try wire.flag(&detail.omitsQueued, 3)
        try wire.flag(&detail.isBrief, 4)
        try wire.flag(&detail.omitsEnded, 5)
    }
}

/// The payload of `release`.
private struct ReleaseRequest: WireRecord {
    static var blank: Self { Self(session: .blank, mode: .whenHarmless) }

    var session: SessionID
    var mode: ReleaseMode

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&session, 1)
        try wire.choice(&mode, 2)
    }
}
