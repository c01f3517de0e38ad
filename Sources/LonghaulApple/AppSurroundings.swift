package import Foundation
package import LonghaulCore
import LonghaulFiles
package import LonghaulRuntime
import LonghaulSystem
package import LonghaulURLSession

/// The environment of an app's session apart from the system's frameworks; tests simulate a device with it.
package struct AppSurroundings: Sendable {
    /// The objects for the system's sessions: one for each identifier in a process.
    package var sessions = SystemSessions.ofProcess
    /// The names that are registered with the system's scheduler.
    package var taskNames = TaskNames.ofProcess
    /// Creates the engine for file jobs that the system does not do.
    package var makeFiles: @Sendable (@escaping EngineSink) throws(TransferFailure) -> any FileEngine
    /// How long the system may take to report the exchanges that ended while no process was running.
    package var settling: TimeInterval = 2
    /// The wall clock.
    package var now: @Sendable () -> WallTime = SystemClock.wallTime
    /// Converts a time of `now` to the system's clock, on which the session's loop waits.
    package var onSystemClock: @Sendable (WallTime) -> WallTime = { $0 }
    /// Called before every commit and action, as the runtime does.
    package var survives: (@Sendable (LoopPoint) -> Bool)?
    /// The protection and the backup exclusion of files and directories.
    package var guarding = FileGuarding.real
    /// The home directory of the app, which has another path after an update.
    package var home = NSHomeDirectory()
    /// Replaces `Application Support/Longhaul` in the container.
    package var directory: String?
    /// The object that shows the notifications of this process's sessions.
    package var presenter = NotificationPresenter.ofProcess
    /// The bundle identifier of this app or app extension; `nil` in any other process.
    package var bundleIdentifier = Self.identifier(of: .main)
    /// The names for the system's scheduler in Info.plist; `nil` if there is no such entry.
    package var permittedTaskNames =
        Bundle.main.object(forInfoDictionaryKey: "BGTaskSchedulerPermittedIdentifiers") as? [String]
    /// Whether `submitTaskRequest` of iOS 27 replaces `submit`, which does not report all errors.
    package var submitsWithCompletion = true
    /// The limits of waits for the system.
    package var limits = Limits()
    /// Reports why a launch could not be completed.
    package var log: @Sendable (String) -> Void = { NSLog($0.replacingOccurrences(of: "%", with: "%%")) }

    /// How long this process waits in code that the system times.
    package struct Limits: Sendable {
        /// A launch for events; the system allows about thirty seconds.
        package var launch = Duration.seconds(25)
        /// The system's answer to the request for a task.
        package var answer = Duration.seconds(10)
        /// The end of a task whose time has expired. The system ends an app whose task does not end then.
        package var expiration = Duration.seconds(4)
    }

    package init(makeFiles: @escaping @Sendable (@escaping EngineSink) throws(TransferFailure) -> any FileEngine) {
        self.makeFiles = makeFiles
    }

    /// This process, with its own threads for jobs on files.
    package static var real: AppSurroundings {
        #if os(Linux)
            if let simulated { return simulated }
        #endif
        return AppSurroundings { sink throws(TransferFailure) in try FileWorkers(sink: sink) }
    }

    /// Returns the bundle identifier of an app. The program that runs tests without a host app has one too, but the notification center
    /// raises an exception there, as in every process that is not an app.
    package static func identifier(of bundle: Bundle) -> String? {
        ["app", "appex"].contains(bundle.bundleURL.pathExtension) ? bundle.bundleIdentifier : nil
    }
}
