import Longhaul
import LonghaulCore
import TestSupport
import Testing

/// A separate home for one test, and the sessions in it.
final class SessionWorld: Sendable {
    static let session = "org.example.test"

    let product: Product
    let execution: TransferSession.Execution

    init(_ execution: TransferSession.Execution) throws {
        product = try Product()
        self.execution = execution
    }

    var files: TemporaryDirectory { product.home }

    var work: String { files.path("work") }

    func configuration() -> TransferSession.Configuration {
        var configuration = TransferSession.Configuration(execution: execution)
        configuration.environment = product.environment
        if Transport.current.isSecure { configuration.network.caFile = product.caFile }
        return configuration
    }

    func open() async throws -> TransferSession {
        try await TransferSession.open(Self.session, configuration: configuration())
    }

    /// One launch of an app: opens the session, and closes it at the end.
    func launch<Value: Sendable>(_ body: (TransferSession) async throws -> Value) async throws -> Value {
        let session = try await open()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(session))
        } catch {
            result = .failure(error)
        }
        await session.close()
        return try result.get()
    }
}

extension TransferSession.Execution {
    static let both: [TransferSession.Execution] = [.service, .inProcess()]
}

extension Transfer {
    /// Returns when the transfer matches the condition.
    @discardableResult
    func wait(until fits: (TransferSnapshot) -> Bool) async throws -> TransferSnapshot {
        for try await snapshot in snapshots where fits(snapshot) { return snapshot }
        throw TransferFailure(.internalFault, "it ended before it was what is waited for: \(try await snapshot())")
    }
}

extension TransferSession {
    /// The first transfer of a session that has one.
    var onlyTransfer: Transfer {
        get async throws {
            transfer(try #require(try await snapshots().first).id)
        }
    }

    func wait(until fits: (TransferList) -> Bool) async throws {
        var list = TransferList()
        for try await change in changes() {
            list.apply(change)
            if fits(list) { return }
        }
        throw TransferFailure(.internalFault, "the list ended before it was what is waited for")
    }
}

/// The common requirements of both executions.
@Suite(.timeLimit(.minutes(6)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"))
enum SessionConformance {}
