import LonghaulCore

/// What happens in one crash scenario. Each is a session's story from the first command to the last byte.
enum CrashScript: Int, CaseIterable {
    /// Everything at once, with notifications and starts of the app.
    case busyHour
    case upload, tus, download, form
    /// A background task, for which the app is started.
    case task
    /// An app runs the session, gives it to the service, takes it back, and so on.
    case handover
    /// The system carries the exchanges, whatever becomes of the process; or it forgets them each time that the process dies.
    case carried, forgotten
    /// Transfers that begin after others.
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

    /// After whom the transfer with that key begins, and whether after any end.
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

    /// How much time passes between two turns: longer than any wait for another try, shorter than a task may run.
    var step: Duration { hasTask ? .seconds(100) : .seconds(400) }
}

/// How one run of a scenario is broken, in one number: who is told the number can do the same again.
struct CrashPlan: Equatable, CustomStringConvertible {
    var script: CrashScript
    /// After how many commits and actions, counted from the beginning or the last death, the loop dies: once for each number.
    var deaths: [Int] = []
    /// Whether the machine loses power each time, and not only the process.
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
