package import LonghaulCore

/// The service's message with the number of the request it belongs to.
package struct ServiceEnvelope: Equatable, Sendable {
    /// Zero when it is about the connection itself, which ends after it.
    package var request: UInt64
    package var message: ServiceMessage

    package init(request: UInt64, message: ServiceMessage) {
        self.request = request
        self.message = message
    }
}

extension ServiceEnvelope: WireRecord {
    package static var blank: Self { Self(request: 0, message: .done) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.unsigned(&request, 1)
        try wire.cases(&message)
    }
}

extension ServiceMessage: WireCases {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 2, { Self.welcome(version: $0.version, program: $0.program) }) {
            if case .welcome(let version, let program) = $0 {
                Greeting(version: version, program: program)
            } else {
                nil
            }
        }
        try wire.message(&value, 3, Self.session) { if case .session(let reply) = $0 { reply } else { nil } }
        try wire.message(&value, 4, Self.update) { if case .update(let update) = $0 { update } else { nil } }
        try wire.message(&value, 5, { Self.sessions($0.items) }) {
            if case .sessions(let summaries) = $0 { WireList(summaries) } else { nil }
        }
        try wire.message(&value, 6, Self.status) { if case .status(let status) = $0 { status } else { nil } }
        try wire.empty(&value, 7, .done)
        try wire.message(&value, 8, Self.failed) { if case .failed(let failure) = $0 { failure } else { nil } }
        try wire.message(&value, 9, Self.credentialWanted) {
            if case .credentialWanted(let question) = $0 { question } else { nil }
        }
        try wire.signed(&value, 10, Self.news) { if case .news(let number) = $0 { number } else { nil } }
        try wire.message(&value, 11, Self.conditions) { if case .conditions(let report) = $0 { report } else { nil } }
        try wire.message(&value, 12, Self.traffic) { if case .traffic(let report) = $0 { report } else { nil } }
        try wire.message(&value, 13, Self.taskRuns) {
            if case .taskRuns(let assignments) = $0 { assignments } else { nil }
        }
    }
}
