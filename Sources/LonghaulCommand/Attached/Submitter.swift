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

    /// A session that tells nothing yet tells of what asks for it. What an app has set stays.
    private func allowNotifications(_ connection: any TransferService) async throws(TransferFailure) {
        guard try await connection.notifications(.status, of: session).settings == nil else { return }
        _ = try await connection.notifications(.set(.commandLine), of: session)
    }

    private func submit(
        _ orders: [Order], over connection: any TransferService
    ) async throws(TransferFailure) {
        let specs = orders.compactMap { order in if case .transfer(let spec, _) = order { spec } else { nil } }
        if specs.contains(where: { $0.options.notifications == .always }) { try await allowNotifications(connection) }
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

extension NotificationSettings {
    /// What `--notify` means: also while somebody looks at the terminal, who may be looking elsewhere.
    fileprivate static var commandLine: NotificationSettings {
        var settings = NotificationSettings(
            appName: "Longhaul", icon: "folder-download", kinds: [.finished, .failed, .needsYou])
        settings.coverage = .chosen
        settings.showsWhileAppIsHere = true
        return settings
    }
}
