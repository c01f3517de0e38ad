import LonghaulCore

extension Option {
    fileprivate static let allTasks = Option("all", "a", "Cancel all pending tasks")
}

/// Shows an app's background tasks, runs or cancels them.
enum TasksCommand {
    static let command = Command(
        "tasks", "list|run|cancel [ID]… [options]", "List, run, or cancel an app's background tasks",
        options: [.allTasks, .session, .json],
        examples: [.init("longhaul tasks list --session org.example.storms", "List the tasks of an app")],
        notes: [
            "list shows for each task its next run, what delays it, the result of its last run, and whether the app is "
                + "throttled. longhaul service status lists the sessions of apps.",
            "run starts pending tasks now, regardless of what delays them, for tests and debugging. It starts the app "
                + "if necessary.",
            "cancel removes pending tasks, including repeating ones. Running tasks continue.",
        ],
        run: { arguments, world throws(TransferFailure) in
            let session = try LocalCheck.session(arguments)
            let names = Array(arguments.operands.dropFirst())
            for name in names {
                if let refusal = BackgroundTaskRequest.refusal(ofIdentifier: name) { throw refusal }
            }
            let verb = arguments.operands.first
            guard let verb, ["list", "run", "cancel"].contains(verb) else {
                throw .misuse("tasks needs list, run, or cancel.")
            }
            if arguments.has(.allTasks), verb != "cancel" || !names.isEmpty {
                throw .usage("--all is only for tasks cancel, without identifiers.")
            }
            guard verb == "list" || !names.isEmpty || arguments.has(.allTasks) else {
                throw .usage(
                    "tasks \(verb) needs the identifier of a task. To list the tasks, run longhaul tasks list.")
            }
            let service = try await world.connect(true)
            defer { service.close() }
            switch verb {
            case "list": try await list(names, service, session, isJSON: arguments.has(.json), world)
            case "run":
                for name in names { try await service.forceTask(name, in: session) }
                if !arguments.has(.json) { try await report(names, service, session, world) }
            default:
                if names.isEmpty { try await service.cancelAllTasks(in: session) }
                for name in names { try await service.cancelTask(name, in: session) }
            }
            return .success
        })

    private static func list(
        _ names: [String], _ service: any TransferService, _ session: SessionID, isJSON: Bool, _ world: World
    ) async throws(TransferFailure) {
        var isEmpty = true
        try await forEachPage(service, session) { page, isFirst in
            let shown = page.tasks.filter { names.isEmpty || names.contains($0.identifier) }
            let text = TaskText(session: session, world: world, throttle: page.throttle)
            if isJSON {
                var json = JSONWriter()
                for task in shown {
                    json.object { $0.members(of: task, page.throttle) }
                    json.endLine()
                }
                world.console.writeOutput(json.bytes)
            } else {
                let lines = (isFirst ? text.heading : []) + shown.flatMap(text.lines)
                if !lines.isEmpty { world.console.show(lines.joined(separator: "\n"), indent: 8) }
                isEmpty = isEmpty && lines.isEmpty
            }
        }
        if isEmpty, !isJSON { world.console.say(tr("The session \(session) has no background tasks.")) }
    }

    /// Reports the effect of forced runs.
    private static func report(
        _ names: [String], _ service: any TransferService, _ session: SessionID, _ world: World
    ) async throws(TransferFailure) {
        let wake = try await service.wakeStatus(of: session)
        try await forEachPage(service, session) { page, _ in
            let text = TaskText(session: session, world: world, throttle: page.throttle)
            for task in page.tasks where names.contains(task.identifier) {
                world.console.say(text.outcome(ofRunning: task, wake))
            }
        }
    }

    private static func forEachPage(
        _ service: any TransferService, _ session: SessionID, _ body: (TaskPage, _ isFirst: Bool) -> Void
    ) async throws(TransferFailure) {
        var last: String?
        var page: TaskPage
        repeat {
            page = try await service.tasks(after: last, in: session)
            body(page, last == nil)
            last = page.tasks.last?.identifier
        } while page.hasMore
    }
}
