import Foundation
import FoundationDouble
import LonghaulApple
import LonghaulCore
import LonghaulFiles
import LonghaulRuntime
import LonghaulURLSession
import Synchronization

/// One process of an app: its session by the public API, its lifecycle, and the reports that it received.
final class AppProcess: Sendable {
    /// Ends with the process: later writes do not reach the disk.
    final class Life: Sendable {
        let isAlive = Mutex(true)
    }

    let app: AppSession
    let lifecycle = ProcessLifecycle()
    private let life = Life()
    private let told = Mutex<[HandoffReport]>([])
    private let following = Mutex<[Task<Void, Never>]>([])

    /// The app's main function. `launch`: launches an app that creates its own session.
    init(
        _ name: String, configuration: TransferSession.Configuration = TransferSession.Configuration(),
        options: AppOptions, home: String = NSHomeDirectory(), guarding: FileGuarding = .real,
        bundleIdentifier: String? = "org.example.photos",
        submitsWithCompletion: Bool = true, launching launch: ((AppSurroundings) -> AppSession)? = nil,
        adjusting adjust: (inout AppSurroundings, Life) -> Void = { _, _ in }
    ) {
        var surroundings = AppSurroundings { [life] sink throws(TransferFailure) in
            try FileWorkers { events in if life.isAlive.withLock({ $0 }) { sink(events) } }
        }
        surroundings.sessions = SystemSessions()
        surroundings.taskNames = TaskNames()
        surroundings.survives = { [life] _ in life.isAlive.withLock { $0 } }
        surroundings.home = home
        surroundings.guarding = guarding
        surroundings.bundleIdentifier = bundleIdentifier
        surroundings.submitsWithCompletion = submitsWithCompletion
        adjust(&surroundings, life)
        app =
            launch?(surroundings)
            ?? AppSession(name, configuration: configuration, options: options, surroundings: surroundings)
    }

    /// The reports of handoffs.
    var reports: [HandoffReport] { told.withLock { $0 } }

    /// Follows the lifecycle, as an app does once it runs.
    func follow() {
        let tasks = [
            Task { [lifecycle] in await lifecycle.run(AppLifecycle()) },
            Task { [app, lifecycle, self] in
                await app.follow(lifecycle, reporting: { report in self.told.withLock { $0.append(report) } })
            },
        ]
        following.withLock { $0 = tasks }
    }

    var isAlive: Bool { life.isAlive.withLock { $0 } }

    /// Nothing that the process does from now on reaches the disk. Its session does not reply: its callers stay suspended, and Swift
    /// warns of their leaked continuations.
    func cutOff() { life.isAlive.withLock { $0 = false } }

    /// SIGKILL. Returns when the process no longer observes the system's notifications.
    func die(_ how: () -> Void) async {
        cutOff()
        how()
        let engine = app.carrier.engine
        let runtime = app.carrier.runtime
        let tasks = following.withLock { $0 }
        for task in tasks { task.cancel() }
        engine?.shutDown()
        runtime?.stop()
        await tasks.first?.value
        await app.endAppLife()
    }
}
