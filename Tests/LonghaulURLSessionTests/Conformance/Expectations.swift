import LonghaulCore
import ReferenceSystems

/// An event while a system works.
enum Scenario: String, CaseIterable {
    case normal = "Nothing happens"
    case killed = "The app is killed in the foreground"
    case left = "The user leaves, and returns"
    case leftAndKilled = "The user leaves, and the app is killed"
    case forceQuit = "The user leaves, and force-quits the app"
    case refusedResumeData = "The same, and the system refuses its resume data"
    case movedContainer = "The user leaves, and an update moves the app's container"
    case timeIsOver = "The background time ends"
    case offline = "The network is lost, and returns"
    case changedFile = "The transferred file changes"
    case locked = "The user leaves, and locks the device for a while"
    case lowStorage = "The storage is full, and is freed"
}

/// The end of a combination.
enum Outcome: Equatable, CustomStringConvertible {
    /// In the app that is open.
    case completes
    /// Without the user.
    case completesAlone
    /// Nothing moves until the user opens the app. Then it completes.
    case completesWhenOpened
    case fails(FailureCode)

    var description: String {
        switch self {
        case .completes: "completes"
        case .completesAlone: "completes alone"
        case .completesWhenOpened: "completes when opened"
        case .fails(let code): "fails with `\(code.rawValue)`"
        }
    }
}

/// The stated outcome of every combination.
extension ConformanceCase {
    var outcome: Outcome {
        switch scenario {
        case .normal, .left: ofUndisturbedSystem
        case .killed, .leftAndKilled, .forceQuit, .refusedResumeData, .movedContainer: ofKilledSystem
        case .timeIsOver:
            // The response comes after the handler, and starts the app.
            ofUndisturbedSystem
        case .offline, .locked: ofUndisturbedSystem
        case .changedFile:
            switch system {
            // An Apple system uploads a copy of the file.
            case .photoUpload, .foundAgain: kind == .device ? .completes : .fails(.sourceChanged)
            case .stormWatcher, .offlineVideos, .lastRequest: ofUndisturbedSystem
            }
        case .lowStorage: ofUndisturbedSystem
        }
    }

    private var ofUndisturbedSystem: Outcome {
        switch (system, kind) {
        case (.photoUpload, _), (.offlineVideos, _), (.foundAgain, _): .completes
        // The user opens the app, which runs the due task.
        case (.stormWatcher, .inProcess): .completes
        case (.lastRequest, .inProcess): .completesWhenOpened
        case (.stormWatcher, _), (.lastRequest, _): .completesAlone
        }
    }

    private var ofKilledSystem: Outcome {
        switch (scenario, system, kind) {
        case (_, _, .service): .completesAlone
        case (.leftAndKilled, .stormWatcher, .inProcess), (.movedContainer, .stormWatcher, .inProcess): .completes
        case (_, _, .inProcess): .completesWhenOpened
        // The request of a handler belongs to the system from the start.
        case (.killed, .stormWatcher, .device): .completesAlone
        // Only the app sends its last will.
        case (.leftAndKilled, .lastRequest, .device), (.movedContainer, .lastRequest, .device): .completesWhenOpened
        case (.leftAndKilled, _, .device), (.movedContainer, _, .device): .completesAlone
        // A transfer in the foreground belongs to the process; a force-quit ends the transfers of the system.
        case (_, _, .device): .completesWhenOpened
        }
    }
}
