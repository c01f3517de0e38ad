import LonghaulCore
import LonghaulRuntime
import LonghaulSystem

/// The file of the user's settings for all sessions, and a copy that replaces it if it is damaged.
///
/// The copy is written after the file. A crash in between leaves a copy with the settings before, until the next start.
struct SettingsFile: Sendable {
    static let name = "settings"

    private let file: AtomicFile
    private let copy: AtomicFile
    private let damaged: DamagedFiles

    init(in directory: String) {
        file = AtomicFile(directory + "/" + Self.name)
        copy = AtomicFile(file.path + ".copy")
        damaged = DamagedFiles(of: file.path)
    }

    /// The report of a damaged file until it is acknowledged.
    var damage: TransferFailure? { damaged.damage }

    func acknowledge() throws(TransferFailure) { try damaged.acknowledge() }

    /// Returns the settings from the file. Returns `nil` if it is missing or damaged.
    func read() -> UserSettings? {
        if case .settings(let settings) = Self.content(of: file) { settings } else { nil }
    }

    /// Returns the settings, despite any damage, and the report of a failed repair. Only the process that writes the file repairs it.
    func open(repairs: Bool, at now: WallTime) -> (settings: UserSettings, unrepaired: TransferFailure?) {
        let content = Self.content(of: file)
        switch content {
        case .settings(let settings):
            // Missing, or older: from an earlier version of Longhaul, or a crash. Without it, only a repair loses more.
            if repairs, Self.content(of: copy) != content { try? copy.write(settings.wireBytes) }
            return (settings, nil)
        case .missing, .damaged:
            break
        }
        var settings = UserSettings()
        var isRestored = false
        if case .settings(let copied) = Self.content(of: copy) { (settings, isRestored) = (copied, true) }
        // A crash after the quarantine leaves no file.
        let isLost = content == .damaged || damage != nil
        if !isRestored { settings.isLost = isLost }
        guard repairs, isLost || isRestored else { return (settings, nil) }
        do throws(TransferFailure) {
            if content == .damaged {
                try damaged.setAside(at: now) { Self.report(setAsideAs: $0, isRestored: isRestored) }
            }
            try write(settings)
            return (settings, nil)
        } catch {
            let damage = TransferFailure(
                .storeDamaged, "The settings for all sessions are damaged, and the repair failed. \(error.message)")
            return (settings, damage)
        }
    }

    func write(_ settings: UserSettings) throws(TransferFailure) {
        try file.write(settings.wireBytes)
        // The next start tries again.
        try? copy.write(settings.wireBytes)
    }

    private enum Content: Equatable {
        case settings(UserSettings)
        case missing
        case damaged
    }

    private static func content(of file: AtomicFile) -> Content {
        do throws(TransferFailure) {
            guard let bytes = try file.read() else { return .missing }
            // Every file has both messages, so an empty one is damaged.
            return (try? UserSettings.decoded(wireBytes: bytes)).map { .settings($0) } ?? .damaged
        } catch {
            return .damaged
        }
    }

    /// The report of lost settings whose quarantined file was moved.
    static let lost =
        "The settings for all sessions (limits and conditions) were damaged and are lost. Until you acknowledge the damage, "
        + "every network counts as metered and no data is used on it."

    private static func report(setAsideAs place: String, isRestored: Bool) -> String {
        let fate =
            isRestored ? "The settings for all sessions were damaged and were restored from their copy." : lost
        return "\(fate) The damaged file was quarantined as \(place)."
    }
}

/// Lost settings may have had budgets and metered networks, so no network is used that a budget could limit.
extension UserSettings {
    func inForce(_ measured: Conditions) -> Conditions {
        var conditions = measured
        if isLost { conditions.isExpensive = true }
        return conditions
    }

    var trafficInForce: TrafficLimits {
        var traffic = traffic
        if isLost { traffic.budget = DataBudget(bytesPerDay: 0, bytesPerMonth: 0) }
        return traffic
    }
}
