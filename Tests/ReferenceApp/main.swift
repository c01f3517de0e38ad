import Glibc
import Longhaul
import ReferenceSystems

// A process of a reference system, controlled by a test:
//
//     ReferenceApp SYSTEM EXECUTION SERVER DIRECTORY
//
// EXECUTION is `service`, `handoff`, or `inProcess`. The app appends the lines that it shows to the file
// `shown` in DIRECTORY: a process that the service starts has no other output.

let arguments = CommandLine.arguments

@Sendable func show(_ line: String) {
    guard let file = fopen(CommandLine.arguments[4] + "/shown", "ae") else { exit(70) }
    fputs(line + "\n", file)
    fclose(file)
}

/// Opens the session as the system configures it, with the handlers of its tasks.
func open(_ system: some ReferenceSystem) async throws(TransferFailure) -> TransferSession {
    let executions: [String: TransferSession.Execution] = ["handoff": .handoff(), "inProcess": .inProcess()]
    var configuration = TransferSession.Configuration(execution: executions[arguments[2]] ?? .service)
    configuration.wake = WakeRegistration(
        .command(arguments), backoff: WakeBackoff(first: .milliseconds(200), longest: .seconds(1)))
    system.configure(&configuration)
    let session = try await TransferSession.open(type(of: system).session, configuration: configuration)
    try system.register(session.tasks)
    return session
}

/// The user opens the app, which stays open until it is ended.
func live(_ system: some ReferenceSystem) async throws(TransferFailure) {
    let session = try await open(system)
    let lifecycle = ProcessLifecycle()
    await withDiscardingTaskGroup { group in
        group.addTask { await lifecycle.run() }
        group.addTask { await session.follow(lifecycle, onHandoff: { show("handoff: \($0)") }) }
        group.addTask {
            do throws(TransferFailure) {
                try await system.open(session, lifecycle)
            } catch {
                show("failed, \(error.code.rawValue)")
            }
        }
    }
}

/// The service has started the app.
func work(_ system: some ReferenceSystem) async throws(TransferFailure) {
    show("started")
    let session = try await open(system)
    try await session.tasks.runDue()
    try await system.handleEvents(of: session)
    await session.close()
}

let platform = Platform(server: arguments[3], directory: arguments[4], show: show) {
    request, session throws(TransferFailure) in try await session.tasks.submit(request)
}
do throws(TransferFailure) {
    guard let system = System(rawValue: arguments[1])?.type else { exit(64) }
    if WakeRequest.current != nil {
        try await work(system.init(platform))
    } else {
        try await live(system.init(platform))
    }
} catch {
    show("failed, \(error.code.rawValue)")
    exit(1)
}
