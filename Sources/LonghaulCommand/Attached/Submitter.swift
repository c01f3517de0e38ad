import LonghaulClient
import LonghaulCore
import LonghaulSystem

/// Sends orders to the service in batches, and reports the answers.
struct Submitter: Sendable {
    let world: World
    let session: SessionID
    /// Whether the command stays: the first of its transfers are attended.
    let isAttended: Bool
    let tell: @Sendable (AttachedEvent) -> Void

    func run(_ source: OrderSource) async {
        do throws(TransferFailure) {
            try await submit(source)
            tell(.submissionEnded(nil))
        } catch {
            tell(.submissionEnded(error))
        }
    }

    /// While the service stores some orders, the next ones are made and sent. Answers are reported as they arrive.
    private func submit(_ source: OrderSource) async throws(TransferFailure) {
        let connection = try await world.connect(true)
        defer { connection.close() }
        let (batches, line) = AsyncStream<Batch>.makeStream()
        let room = SendWindow(attended: isAttended ? TransferOptions.mostAttended : 0)
        async let told = reportAnswers(to: batches, room)
        var failure: TransferFailure?
        do throws(TransferFailure) {
            try await source { orders throws(TransferFailure) in
                for start in stride(from: 0, to: orders.count, by: Order.batchSize) {
                    try await room.enter()
                    let batch = await room.attending(Array(orders[start...].prefix(Order.batchSize)))
                    line.yield(try await send(batch, over: connection))
                }
            }
        } catch {
            failure = error
        }
        line.finish()
        if let first = await told ?? failure { throw first }
    }

    /// Orders that were sent and not answered.
    private struct Batch: Sendable {
        var orders: [Order]
        var sent: PendingSubmission?
        var count: Int
    }

    /// Orders stored after a failure are reported too. Returns the first failure.
    private func reportAnswers(to batches: AsyncStream<Batch>, _ room: SendWindow) async -> TransferFailure? {
        var failure: TransferFailure?
        for await batch in batches {
            do throws(TransferFailure) {
                try await reportAnswers(to: batch)
                await room.release(nil)
            } catch {
                failure = failure ?? error
                await room.release(error)
            }
        }
        return failure
    }

    private func send(
        _ orders: [Order], over connection: any TransferService
    ) async throws(TransferFailure) -> Batch {
        var specs = orders.compactMap { order in if case .transfer(let spec, _) = order { spec } else { nil } }
        MountPoints.record(in: &specs, environment: world.environment)
        if specs.contains(where: { $0.options.notifications == .always }) {
            try await connection.allowNotifications(in: session)
        }
        return Batch(
            orders: orders, sent: specs.isEmpty ? nil : connection.send(specs, to: session), count: specs.count)
    }

    private func reportAnswers(to batch: Batch) async throws(TransferFailure) {
        var answers = try await batch.sent?.answers() ?? []
        guard answers.count == batch.count else {
            throw TransferFailure(
                .internalFault,
                "the service gave \(answers.count) answers to \(batch.count) transfers; see longhaul list")
        }
        answers.reverse()
        let complete = batch.orders.map { order in
            switch order {
            case .transfer: answers.removeLast()
            case .refused(_, let failure): SubmissionAnswer.refused(failure)
            }
        }
        tell(.answered(batch.orders, complete))
    }
}

/// The number of batches that may be unanswered: enough that the service never waits for the next one.
private actor SendWindow {
    private var free = 3
    private var failure: TransferFailure?
    private var waiter: CheckedContinuation<Void, Never>?
    /// The number of later transfers that are attended.
    private var attended: Int

    init(attended: Int) { self.attended = attended }

    /// Returns the orders, with the first transfers of the command attended.
    func attending(_ orders: [Order]) -> [Order] {
        var orders = orders
        orders.attend(&attended)
        return orders
    }

    /// Waits for room. Fails after a failure.
    func enter() async throws(TransferFailure) {
        if free == 0, failure == nil { await withCheckedContinuation { waiter = $0 } }
        if let failure { throw failure }
        free -= 1
    }

    func release(_ failure: TransferFailure?) {
        free += 1
        self.failure = self.failure ?? failure
        waiter?.resume()
        waiter = nil
    }
}

extension TransferService {
    /// Enables notifications for the transfers that ask for them, unless an app has its own settings.
    func allowNotifications(in session: SessionID) async throws(TransferFailure) {
        guard try await notifications(.status, of: session).settings == nil else { return }
        _ = try await notifications(.set(.commandLine), of: session)
    }
}

extension NotificationSettings {
    /// The settings of `--notify`. Notifications appear even while the command runs: the user may not look at the terminal.
    fileprivate static var commandLine: NotificationSettings {
        var settings = NotificationSettings(
            appName: "Longhaul", icon: "folder-download", desktopEntry: "io.longhaul.Longhaul",
            kinds: [.finished, .failed, .needsYou])
        settings.coverage = .chosen
        settings.showsWhileAppIsOpen = true
        settings.opensApp = false
        return settings
    }
}
