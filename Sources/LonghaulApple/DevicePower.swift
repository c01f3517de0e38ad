import Foundation
import LonghaulCore
import Synchronization

#if os(iOS) || os(Linux)
    import UIKit
#endif

/// Whether the device runs on battery, and the battery level. Unknown on a Mac.
final class DevicePower: Sendable {
    private let tokens = Mutex<[NotificationToken]>([])

    deinit { for token in tokens.withLock({ $0 }) { token.end() } }

    /// Reports the present state and each change.
    @MainActor func start(_ tell: @escaping @Sendable ((inout Conditions) -> Void) -> Void) {
        #if os(iOS) || os(Linux)
            UIDevice.current.isBatteryMonitoringEnabled = true
            let names = [
                UIDevice.batteryStateDidChangeNotification, UIDevice.batteryLevelDidChangeNotification,
                .NSProcessInfoPowerStateDidChange,
            ]
            for name in names {
                let token = NotificationToken(
                    NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                        // Posted on any thread, and read on the main one.
                        Task { @MainActor in Self.readBattery(tell) }
                    })
                tokens.withLock { $0.append(token) }
            }
            Self.readBattery(tell)
        #endif
    }

    #if os(iOS) || os(Linux)
        @MainActor private static func readBattery(_ tell: @Sendable ((inout Conditions) -> Void) -> Void) {
            let device = UIDevice.current
            let state = device.batteryState
            let level = device.batteryLevel < 0 ? nil : Int(clamping: Int64((device.batteryLevel * 100).rounded()))
            let savesPower = ProcessInfo.processInfo.isLowPowerModeEnabled
            tell { $0.apply(state, level: level, savesPower: savesPower) }
        }
    #endif
}

#if os(iOS) || os(Linux)
    extension Conditions {
        /// Applies the battery state. Low Power Mode counts as a low battery.
        mutating func apply(_ state: UIDevice.BatteryState, level: Int?, savesPower: Bool) {
            hasExternalPower =
                switch state {
                case .unknown: nil
                case .unplugged: false
                case .charging, .full: true
                @unknown default: nil
                }
            batteryLevel = level
            let isLow = hasExternalPower == false && (level ?? 100) <= 20
            isBatteryLow = savesPower || isLow ? true : hasExternalPower == nil ? nil : false
        }
    }
#endif
