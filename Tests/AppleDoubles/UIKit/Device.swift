// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
import Foundation

// Source: uikit/uidevice
@available(iOS 2.0, *)
@MainActor open class UIDevice: NSObject {
    // Source: uikit/uidevice/batterystate-swift.enum
    @available(iOS 3.0, *)
    public enum BatteryState: Int, Sendable { case unknown, unplugged, charging, full }

    // Source: uikit/uidevice/current, uikit/uidevice/isbatterymonitoringenabled, uikit/uidevice/batterylevel
    // Source: uikit/uidevice/batterystate-swift.property
    public static let current = UIDevice()
    @available(iOS 3.0, *)
    open var isBatteryMonitoringEnabled = false
    @available(iOS 3.0, *)
    open private(set) var batteryState = BatteryState.unknown
    @available(iOS 3.0, *)
    open private(set) var batteryLevel: Float = -1

    // Source: uikit/uidevice/batterystatedidchangenotification, uikit/uidevice/batteryleveldidchangenotification
    @available(iOS 3.0, *)
    public nonisolated static let batteryStateDidChangeNotification =
        NSNotification.Name("UIDeviceBatteryStateDidChangeNotification")
    @available(iOS 3.0, *)
    public nonisolated static let batteryLevelDidChangeNotification =
        NSNotification.Name("UIDeviceBatteryLevelDidChangeNotification")

    /// Double only: sets the battery state, and notifies observers if monitoring is enabled.
    public func setBattery(_ state: BatteryState, level: Float) {
        (batteryState, batteryLevel) = (state, level)
        guard isBatteryMonitoringEnabled else { return }
        NotificationCenter.default.post(name: Self.batteryStateDidChangeNotification, object: self)
    }
}
