import Foundation
import Longhaul
import LonghaulCore
import Synchronization

/// The end of a process that returns from a notification.
enum Termination {
    /// Of the some five seconds that the system gives.
    static let time = Duration.seconds(4)

    /// Tells the end, and returns when all that holds it back is done or the time is over. The main thread turns meanwhile and is
    /// not blocked: what observers do on the main actor would wait for it.
    @MainActor static func holdBack(_ lifecycle: ProcessLifecycle, for time: Duration = Termination.time) {
        let isSettled = Mark()
        let end = ContinuousClock.now + time
        lifecycle.enter(.terminating, within: time) { isSettled.set() }
        while !isSettled.isSet, ContinuousClock.now < end {
            _ = RunLoop.current.run(mode: .default, before: Date().addingTimeInterval(0.01))
        }
    }
}

/// Says once that something has happened.
final class Mark: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}
