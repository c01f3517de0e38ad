import LonghaulCore

/// The actions of one crash scenario, from the first command to the last byte.
enum CrashScript: Int, CaseIterable {
    /// Everything at once, with notifications and starts of the app.
    case busyHour
    case upload, tus, download, form
    /// A background task, for which the app is started.
    case task
    /// An app runs the session, hands it to the service, takes it back, and so on.
    case handover
    /// The system runs the exchanges regardless of deaths; or it forgets them each time the process dies.
    case carried, forgotten
    /// Transfers that start after others.
    case chain

    /// The keys of its transfers.
    var keys: [String] {
        switch self {
        case .busyHour:
            [
                "download", "small", "put", "post", "staged", "tus", "named", "moved", "bye", "cancelled", "paused",
            ]
        case .upload: ["put", "post", "staged", "bye"]
        case .tus: ["tus", "cancelled"]
        case .download: ["download", "small", "paused", "parted", "continued"]
        case .form: ["form", "staged"]
        case .task: []
        case .chain: ["download", "small", "put", "bye", "cancelled", "post"]
        case .handover: ["download", "parted", "continued", "put", "post", "tus"]
        case .carried, .forgotten: ["download", "put", "post", "staged", "tus", "bye", "form"]
        }
    }

    /// Returns the key of the predecessor, and whether any end of it suffices.
    func predecessor(of key: String) -> (key: String, isAnyEnd: Bool)? {
        guard self == .chain else { return nil }
        return switch key {
        case "put", "small": ("download", false)
        case "bye": ("put", false)
        case "post": ("cancelled", true)
        default: nil
        }
    }

    var notifies: Bool { self == .busyHour }
    var hasTask: Bool { self == .task }
    var isCarried: Bool { self == .carried || self == .forgotten }
    var handsOver: Bool { self == .handover }

    /// The time between two turns: longer than any wait for a retry, shorter than the time limit of a task.
    var step: Duration { hasTask ? .seconds(100) : .seconds(400) }
}

/// The deaths of one run of a scenario, encoded in one number, with which the run can be repeated.
struct CrashPlan: Equatable, CustomStringConvertible {
    var script: CrashScript
    /// The number of commits and actions between the start, or the last death, and each death of the loop.
    var deaths: [Int] = []
    /// Whether each death is a power failure of the machine, not only the end of the process.
    var cutsPower = false

    init(_ script: CrashScript, deaths: [Int] = [], cutsPower: Bool = false) {
        self.script = script
        self.deaths = deaths
        self.cutsPower = cutsPower
    }

    /// Deaths take three digits each, the script two, the power one.
    init?(number: Int) {
        guard let script = CrashScript(rawValue: number / 10 % 100) else { return nil }
        self.script = script
        cutsPower = number % 10 == 1
        var rest = number / 1_000
        while rest > 0 {
            deaths.append(rest % 1_000)
            rest /= 1_000
        }
    }

    var number: Int {
        let places = deaths.reversed().reduce(0) { $0 * 1_000 + $1 }
        return (places * 100 + script.rawValue) * 10 + (cutsPower ? 1 : 0)
    }

    var description: String { "\(script), again with LONGHAUL_TEST_CRASH=\(number)" }
}
