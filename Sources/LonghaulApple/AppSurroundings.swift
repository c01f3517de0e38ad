package import Foundation
package import LonghaulCore
package import LonghaulRuntime
package import LonghaulURLSession

/// What an app's session has around it, apart from the system's own frameworks; tests play a device with it.
package struct AppSurroundings: Sendable {
    /// The objects for the system's sessions: one for each identifier in a process.
    package var sessions = SystemSessions.ofProcess
    /// Does the jobs on files that the system does not do.
    package var makeFiles: @Sendable (@escaping EngineSink) throws(TransferFailure) -> any FileEngine
    /// How long the system may take to tell of what ended while no process was there.
    package var settling: TimeInterval = 2
    /// Asked before every commit and action, as the runtime asks it.
    package var survives: (@Sendable (LoopPoint) -> Bool)?
    /// What is done to a file or directory that the system is to protect or to leave out of a backup.
    package var guarding = FileGuarding.real

    package init(makeFiles: @escaping @Sendable (@escaping EngineSink) throws(TransferFailure) -> any FileEngine) {
        self.makeFiles = makeFiles
    }
}
