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

@available(macOS 10.9, iOS 7.0, *)
extension ProcessInfo {
    // Source: foundation/processinfo/activityoptions
    public struct ActivityOptions: OptionSet, Sendable {
        // Source: foundation/processinfo/activityoptions/init(rawvalue:)
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        // Source: foundation/processinfo/activityoptions/userinitiatedallowingidlesystemsleep
        public static let userInitiatedAllowingIdleSystemSleep = ActivityOptions(rawValue: 0xEF_FFFF)
    }

    private final class Activity: NSObject {}

    private static let open = Mutex<[ObjectIdentifier: String]>([:])

    // Source: foundation/processinfo/beginactivity(options:reason:)
    public func beginActivity(options: ActivityOptions = [], reason: String) -> any NSObjectProtocol {
        let activity = Activity()
        Self.open.withLock { $0[ObjectIdentifier(activity)] = reason }
        return activity
    }

    // Source: foundation/processinfo/endactivity(_:)
    public func endActivity(_ activity: any NSObjectProtocol) {
        Self.open.withLock { $0[ObjectIdentifier(activity)] = nil }
    }

    /// Double only: the reasons of the activities that have not ended.
    public static var activities: [String] { open.withLock { $0.values.sorted() } }

    /// Double only: another process is launched.
    public static func forgetActivities() { open.withLock { $0 = [:] } }
}
