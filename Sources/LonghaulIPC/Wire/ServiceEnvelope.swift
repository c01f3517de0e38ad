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

extension ServiceEnvelope: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.unsigned(request, at: 1)
        switch message {
        case .welcome(let version, let program): writer.message(Greeting(version: version, program: program), at: 2)
        case .session(let reply): writer.message(reply, at: 3)
        case .update(let update): writer.message(update, at: 4)
        case .sessions(let summaries): writer.message(WireList(summaries), at: 5)
        case .status(let status): writer.message(status, at: 6)
        case .done: writer.empty(at: 7)
        case .credentialWanted(let question): writer.message(question, at: 25)
        case .failed(let failure): writer.message(failure, at: 8)
        case .news(let number): writer.signed(Optional(number), at: 20)
        case .conditions(let report): writer.message(report, at: 40)
        case .traffic(let report): writer.message(report, at: 41)
        case .taskRuns(let assignments): writer.message(assignments, at: 50)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var request: UInt64 = 0
        var message: ServiceMessage?
        while let field = try reader.nextField() {
            switch field {
            case 1: request = try reader.unsigned()
            case 2:
                let greeting: Greeting = try reader.message()
                message = .welcome(version: greeting.version, program: greeting.program)
            case 3: message = .session(try reader.message())
            case 4: message = .update(try reader.message())
            case 5: message = .sessions((try reader.message() as WireList<SessionSummary>).items)
            case 6: message = .status(try reader.message())
            case 7: message = try reader.empty(as: .done)
            case 25: message = .credentialWanted(try reader.message())
            case 8: message = .failed(try reader.message())
            case 20: message = .news(newestEvent: try reader.signed())
            case 40: message = .conditions(try reader.message())
            case 41: message = .traffic(try reader.message())
            case 50: message = .taskRuns(try reader.message())
            default: try reader.skip()
            }
        }
        guard let message else { throw .unknownValue }
        self.init(request: request, message: message)
    }
}
