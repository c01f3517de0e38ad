import Longhaul
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"))
struct HandlerTests {
    static let executions: [TransferSession.Execution] = [.service, .inProcess()]

    private func tasks(
        _ session: TransferSession, _ change: (inout BackgroundTaskSettings) -> Void = { _ in }
    ) async throws -> BackgroundTasks {
        let tasks = session.tasks
        var settings = BackgroundTaskSettings()
        change(&settings)
        try await tasks.setSettings(settings)
        return tasks
    }

    @Test(arguments: executions) func dueTasksRunUntilAppMayExit(_ execution: TransferSession.Execution)
        async throws
    {
        let world = try SessionWorld(execution)
        try await world.launch { session in
            let tasks = try await tasks(session)
            let ran = Mutex<[String]>([])
            for name in ["a", "b", "c", "d", "e", "f"] {
                try tasks.register(name) { context in
                    ran.withLock { $0.append(context.identifier) }
                    #expect(context.remainingTime > .seconds(20))
                    if name == "c" { throw TransferFailure(.offline, "No way out.") }
                }
                try await tasks.submit(.appRefresh(name))
            }
            // In addition to the run that is due.
            try await tasks.submit(.processing("a", repeats: .daily(hour: 3)))
            try await tasks.runDue()
            #expect(ran.withLock { $0.sorted() } == ["a", "b", "c", "d", "e", "f"])
            let failed = try #require(try await tasks.statuses().first { $0.identifier == "c" })
            #expect(failed.last?.outcome == .failed && failed.last?.message == "No way out.")
            #expect(try await tasks.pending().map(\.identifier) == ["a"])
        }
    }

    @Test(arguments: executions) func aHandlerSubmitsTheNextOne(_ execution: TransferSession.Execution) async throws {
        let world = try SessionWorld(execution)
        try await world.launch { session in
            let tasks = try await tasks(session)
            let rounds = Mutex(0)
            try tasks.register("again") { context in
                let round = rounds.withLock { rounds in
                    rounds += 1
                    return rounds
                }
                if round < 5 { try await tasks.submit(.appRefresh("again")) }
            }
            try await tasks.submit(.appRefresh("again"))
            try await tasks.runDue()
            #expect(rounds.withLock { $0 } == 5)
        }
    }

    @Test(arguments: executions) func aHandlerIsCancelledAtTheEndOfItsTimeWithTheReason(
        _ execution: TransferSession.Execution
    ) async throws {
        let world = try SessionWorld(execution)
        try await world.launch { session in
            let tasks = try await tasks(session) {
                $0.refreshBudget = .milliseconds(100)
                // Long enough for a busy machine.
                $0.grace = .seconds(60)
            }
            let reasons = Mutex<[TaskCancellationReason?]>([])
            try tasks.register("slow") { context in
                try? await Task.sleep(for: .seconds(600))
                reasons.withLock { $0.append(context.cancellationReason) }
                context.onExpiration { reason in reasons.withLock { $0.append(reason) } }
                context.onExpiration { reasons.withLock { $0.append(nil) } }
            }
            try await tasks.submit(.appRefresh("slow"))
            try await tasks.runDue()
            #expect(reasons.withLock { $0 } == [.budgetExpired, .budgetExpired, nil])
            #expect(try await tasks.statuses().first?.last?.outcome == .expired)
            #expect(try await tasks.throttle().strikes == 0)
        }
    }

    @Test(arguments: executions) func leavingCancelsHandlersAndWaitsForThem(_ execution: TransferSession.Execution)
        async throws
    {
        let world = try SessionWorld(execution)
        try await world.launch { session in
            let tasks = try await tasks(session)
            let (began, begin) = AsyncStream<Void>.makeStream()
            let reason = Mutex<TaskCancellationReason?>(nil)
            try tasks.register("long") { context in
                begin.yield()
                try? await Task.sleep(for: .seconds(600))
                reason.withLock { $0 = context.cancellationReason }
            }
            try await tasks.submit(.processing("long"))
            let running = Task { try await tasks.run() }
            for await _ in began { break }
            let failure = await #expect(throws: TransferFailure.self) { try await tasks.run() }
            #expect(failure?.code == .invalidState)
            running.cancel()
            try await running.value
            #expect(reason.withLock { $0 } == .appExiting)
            #expect(try await tasks.statuses().first?.last?.outcome == .succeeded)
        }
    }

    @Test(arguments: executions) func lateOrSecondHandlerIsRefused(_ execution: TransferSession.Execution) async throws
    {
        let world = try SessionWorld(execution)
        try await world.launch { session in
            let ran = Mutex<[String]>([])
            try session.tasks.register("first") { _ in ran.withLock { $0.append("first") } }
            #expect(throws: TransferFailure.self) { try session.tasks.register("first") { _ in } }
            #expect(throws: TransferFailure.self) { try session.tasks.register("a b") { _ in } }
            try await session.tasks.submit(.appRefresh("first"))
            let (began, begin) = AsyncStream<Void>.makeStream()
            try session.tasks.register("second") { _ in
                begin.yield()
                try? await Task.sleep(for: .seconds(600))
            }
            try await session.tasks.submit(.appRefresh("second"))
            let running = Task { try await session.tasks.run() }
            for await _ in began { break }
            let failure = #expect(throws: TransferFailure.self) { try session.tasks.register("late") { _ in } }
            #expect(failure?.code == .invalidState)
            running.cancel()
            try await running.value
            try session.tasks.register("late") { _ in }
            #expect(ran.withLock { $0 } == ["first"], "the handler that was registered first")
        }
    }

    @Test(arguments: executions) func invalidTaskRequestIsRefused(_ execution: TransferSession.Execution) async throws {
        let world = try SessionWorld(execution)
        try await world.launch { session in
            let tasks = try await tasks(session) { $0.enforcesAppleLimits = true }
            let wrong: [(BackgroundTaskRequest, FailureCode)] = [
                (.appRefresh("a b"), .invalidArgument), (.appRefresh("a", repeats: .daily(hour: 25)), .invalidArgument),
                (.appRefresh("second"), .tooManyPendingTaskRequests),
            ]
            try await tasks.submit(.appRefresh("first"))
            for (request, code) in wrong {
                let failure = await #expect(throws: TransferFailure.self) { try await tasks.submit(request) }
                #expect(failure?.code == code)
            }
            let failure = await #expect(throws: TransferFailure.self) { try await tasks.force("nothing") }
            #expect(failure?.code == .unknownTask)
            try await tasks.cancelAll()
            #expect(try await tasks.pending().isEmpty)
        }
    }
}
