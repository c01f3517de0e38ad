import AppKit
import LonghaulApple
import SwiftUI
import UIKit

/// The actions of the system and the user on the app. `Testing` has overlays for frameworks of these names, which Linux
/// lacks: a file that imports one of them does not import `Testing`.
enum Screen {
    /// Sets how much time the app has in the background.
    static func setTime(_ seconds: Double) async {
        await MainActor.run { UIApplication.shared.grantBackgroundTime(seconds) }
    }

    static func show() async { await MainActor.run { UIApplication.shared.enter(.active) } }
    static func leaveApp() async { await MainActor.run { UIApplication.shared.enter(.background) } }

    /// The process dies in the background.
    static func endProcess() async {
        await MainActor.run {
            UIApplication.shared.enter(.background)
            UIApplication.shared.endProcess()
        }
    }

    /// The system ends the app, and waits for its observers.
    static func terminate() async { await MainActor.run { UIApplication.shared.terminate() } }

    /// The number of background tasks that the app has not ended.
    static var openBackgroundTasks: Int {
        get async { await MainActor.run { UIApplication.shared.openBackgroundTasks } }
    }

    /// The system ends the background time. Returns the names of the tasks that did not end then.
    static func expireBackgroundTasks() async -> [String] {
        await MainActor.run { UIApplication.shared.expireBackgroundTasks() }
    }

    /// The system runs the action of a scene for events of a session. Returns `false` if no scene has one.
    static func runBackgroundAction(_ identifier: String) async -> Bool { await BackgroundActions.run(identifier) }

    static func setUnlocked(_ isUnlocked: Bool) async {
        await MainActor.run { UIApplication.shared.setUnlocked(isUnlocked) }
    }

    /// `nil`: the battery state is unknown.
    static func setBattery(isCharging: Bool?, level: Float) async {
        let charging = level == 1 ? UIDevice.BatteryState.full : .charging
        let state = isCharging.map { $0 ? charging : .unplugged } ?? .unknown
        await MainActor.run { UIDevice.current.setBattery(state, level: level) }
    }

    static func setLowPowerMode(_ isOn: Bool) { ProcessInfo.setLowPowerMode(isOn) }

    /// On a Mac.
    @MainActor static var replies: [Bool] { NSApplication.shared.replies }
    @MainActor static func endsLater(_ lifecycle: ProcessLifecycle) -> Bool {
        DesktopLifecycle.terminate(lifecycle) == .terminateLater
    }
    @MainActor static func setActive(_ isActive: Bool) { NSApplication.shared.setActive(isActive) }
}
