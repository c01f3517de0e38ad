package import LonghaulCore
import LonghaulIPC
package import LonghaulSystem

/// A stream from the service. It retains the connection, and ends when it is released.
package final class ConnectionStream<Buffer: StreamBuffer>: Sendable {
    fileprivate let connection: ServiceConnection
    fileprivate let number: UInt64
    private let channel: StreamChannel<Buffer>

    init(_ connection: ServiceConnection, _ opened: (number: UInt64, channel: StreamChannel<Buffer>)) {
        self.connection = connection
        (number, channel) = opened
    }

    /// Returns the next element: the first one at once, later ones when something changes. `nil` after the end.
    package func next() async throws(TransferFailure) -> Buffer.Element? {
        try await channel.next()
    }

    package func end() {
        connection.core.close(number)
    }

    deinit {
        end()
    }
}

extension ConnectionStream where Buffer == WaitingLine<CredentialQuestion> {
    package func answer(_ question: UInt64, _ credential: Credential?) {
        connection.core.post(.answerCredential(provider: number, question: question, credential))
    }
}

extension ServiceConnection {
    package typealias Watch = ConnectionStream<WatchBuffer>
    package typealias Attendance = ConnectionStream<LatestValue<Int64>>
    package typealias TaskStream = ConnectionStream<LatestValue<TaskAssignments>>
    package typealias CredentialFeed = ConnectionStream<WaitingLine<CredentialQuestion>>
}

/// A stream in the connection's table.
enum OpenStream {
    case watch(WatchChannel)
    case credentials(CredentialChannel)
    case events(LatestValueChannel<Int64>)
    case tasks(LatestValueChannel<TaskAssignments>)

    /// Returns whether the message was an element of this stream.
    func receive(_ message: ServiceMessage) -> Bool {
        switch (self, message) {
        case (.watch(let channel), .update(let update)): channel.put(update)
        case (.credentials(let channel), .credentialWanted(let question)): channel.put(question)
        case (.events(let channel), .news(let newest)): channel.put(newest)
        case (.tasks(let channel), .taskRuns(let assignments)): channel.put(assignments)
        default: return false
        }
        return true
    }

    /// Ends the stream after its buffered elements; without a failure, it ends normally.
    func end(_ failure: TransferFailure?) {
        switch self {
        case .watch(let channel): channel.end(failure.map { .failure($0) } ?? .success(nil))
        case .credentials(let channel): channel.end(failure.map { .failure($0) } ?? .success(nil))
        case .events(let channel): channel.end(failure.map { .failure($0) } ?? .success(nil))
        case .tasks(let channel): channel.end(failure.map { .failure($0) } ?? .success(nil))
        }
    }

    /// Returns the message that ends the stream in the service.
    func farewell(_ number: UInt64) -> ClientMessage {
        if case .credentials = self { .endProviding(request: number) } else { .unwatch(request: number) }
    }
}
