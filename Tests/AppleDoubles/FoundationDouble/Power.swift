// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
import Synchronization

@available(macOS 12.0, iOS 9.0, *)
extension ProcessInfo {
    private static let savesPower = Mutex(false)

    // Source: foundation/processinfo/islowpowermodeenabled
    public var isLowPowerModeEnabled: Bool { Self.savesPower.withLock { $0 } }

    /// Double only: the user has turned it on or off.
    public static func setLowPowerMode(_ isOn: Bool) {
        savesPower.withLock { $0 = isOn }
        NotificationCenter.default.post(name: .NSProcessInfoPowerStateDidChange, object: ProcessInfo.processInfo)
    }
}

@available(macOS 12.0, iOS 9.0, *)
extension NSNotification.Name {
    // Source: foundation/nsnotification/name-swift.struct/nsprocessinfopowerstatedidchange
    public static let NSProcessInfoPowerStateDidChange = NSNotification.Name(
        "NSProcessInfoPowerStateDidChangeNotification")
}
