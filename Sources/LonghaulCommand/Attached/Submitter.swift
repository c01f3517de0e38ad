import LonghaulCore

/// Sends orders to the service in batches and tells what it answered.
struct Submitter: Sendable {
    let world: World
    let session: SessionID
    let tell: @Sendable (AttachedEvent) -> Void

    func run(_ source: OrderSource) async {
        do throws(TransferFailure) {
            try await submit(source)
            tell(.submissionEnded(nil))
        } catch {
            tell(.submissionEnded(error))
        }
    }

    private func submit(_ source: OrderSource) async throws(TransferFailure) {
        let connection = try await world.connect(true)
        defer { connection.close() }
        try await source { orders throws(TransferFailure) in
            var rest = orders[...]
            while !rest.isEmpty {
                try await submit(Array(rest.prefix(Order.batchSize)), over: connection)
                rest = rest.dropFirst(Order.batchSize)
            }
        }
    }

    private func submit(
        _ orders: [Order], over connection: any TransferService
    ) async throws(TransferFailure) {
        let specs = orders.compactMap { order in if case .transfer(let spec, _) = order { spec } else { nil } }
        var answers = specs.isEmpty ? [] : try await connection.submit(specs, to: session)
        guard answers.count == specs.count else {
            throw TransferFailure(
                .internalFault,
                "the service gave \(answers.count) answers to \(specs.count) transfers; see longhaul list")
        }
        answers.reverse()
        let complete = orders.map { order in
            switch order {
            case .transfer: answers.removeLast()
            case .refused(_, let failure): SubmissionAnswer.refused(failure)
            }
        }
        tell(.answered(orders, complete))
    }
}
