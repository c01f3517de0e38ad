// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are; `Tests/AppleDoubles/sources.md` says where.
import Synchronization

@MainActor open class UIDevice: NSObject {
    public enum BatteryState: Int, Sendable { case unknown, unplugged, charging, full }

    public static let current = UIDevice()
    open var isBatteryMonitoringEnabled = false
    open private(set) var batteryState = BatteryState.unknown
    open private(set) var batteryLevel: Float = -1

    public nonisolated static let batteryStateDidChangeNotification =
        NSNotification.Name("UIDeviceBatteryStateDidChangeNotification")
    public nonisolated static let batteryLevelDidChangeNotification =
        NSNotification.Name("UIDeviceBatteryLevelDidChangeNotification")

    /// Double only: sets the battery state, and notifies observers if monitoring is enabled.
    public func setBattery(_ state: BatteryState, level: Float) {
        (batteryState, batteryLevel) = (state, level)
        guard isBatteryMonitoringEnabled else { return }
        NotificationCenter.default.post(name: Self.batteryStateDidChangeNotification, object: self)
    }
}

// Foundation has these on Apple systems.
extension ProcessInfo {
    private static let savesPower = Mutex(false)
    public var isLowPowerModeEnabled: Bool { Self.savesPower.withLock { $0 } }

    /// Double only: the user has turned it on or off.
    public static func setLowPowerMode(_ isOn: Bool) {
        savesPower.withLock { $0 = isOn }
        NotificationCenter.default.post(name: .NSProcessInfoPowerStateDidChange, object: ProcessInfo.processInfo)
    }
}

extension NSNotification.Name {
    public static let NSProcessInfoPowerStateDidChange = NSNotification.Name(
        "NSProcessInfoPowerStateDidChangeNotification")
}
