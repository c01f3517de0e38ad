import Foundation
import Longhaul
import LonghaulCore
import Synchronization

/// The end of a process that returns from a notification.
enum Termination {
    /// Of the about five seconds that the system gives.
    static let time = Duration.seconds(4)

    /// Announces the end, and returns when nothing delays it any more or the time is over. The main run loop keeps
    /// running meanwhile: observers on the main actor need it.
    @MainActor static func holdBack(_ lifecycle: ProcessLifecycle, for time: Duration = Termination.time) {
        let isSettled = Mark()
        let end = ContinuousClock.now + time
        lifecycle.enter(.terminating, within: time) { isSettled.set() }
        while !isSettled.isSet, ContinuousClock.now < end {
            _ = RunLoop.current.run(mode: .default, before: Date().addingTimeInterval(0.01))
        }
    }
}

/// A flag that is set once.
final class Mark: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}
