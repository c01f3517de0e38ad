import FoundationDouble
import TestSupport

/// The actions of one life of an app: they follow from the seed alone, so a seed repeats them whatever the product does.
struct LifePlan {
    enum Work { case post, put, form, film, keyedPost }
    enum Verb { case pause, resume, cancel }
    /// How a visit in the background ends.
    enum Leaving { case stays, returns, dies, isForceQuit, terminates }
    /// The call or event during which the process is killed.
    enum Trigger { case verb(Verb, Int), steps(Int), submit(Work), leave, launch }

    enum Action {
        case submit(Work, size: Int, silence: Int, isModest: Bool)
        case verb(Verb, Int)
        /// The device advances. `isLate`: the event that all ends were delivered comes late. `dies`: an app that is launched is killed.
        case steps(Int, isLate: Bool, dies: Bool)
        case open
        case leave(time: Double, steps: Int, Leaving)
        case terminate(polls: Int)
        case die
        case dieBetween(Int, Trigger)
        case forceQuit(isListed: Bool)
        case loseTasks
        case breakConnections
        case useNetwork(isOnline: Bool, isExpensive: Bool, isConstrained: Bool)
        case changeFilms
        case toggleMute
        case refuseResumeData(Bool)
        case schedule(isRefresh: Bool)
        case runTask(isRefresh: Bool, steps: Int, expires: Bool, dies: Bool)
        case continueWork(steps: Int, expires: Bool)
        case allowNotifications(Bool)
        case tap
        case launchLocked
        case runOutOfPatience(steps: Int)
    }

    let seed: UInt64
    /// Whether a scene handles the launches for events, instead of the delegate's method.
    let usesScenes: Bool
    let showsNotifications: Bool
    let keepsUploads: Bool
    let actions: [Action]

    init(seed: UInt64) {
        self.seed = seed
        var chance = SeededChance(seed: seed)
        usesScenes = Bool.random(using: &chance)
        showsNotifications = Int.random(in: 0..<16, using: &chance) == 0
        keepsUploads = Int.random(in: 0..<3, using: &chance) == 0
        var actions: [Action] = [
            Self.submit(Self.upload(&chance), &chance), Self.submit(Self.upload(&chance), &chance),
            Self.submit(.film, &chance),
        ]
        for _ in 0..<Int.random(in: 8...24, using: &chance) { actions.append(Self.action(&chance)) }
        self.actions = actions
    }

    private static func upload(_ chance: inout SeededChance) -> Work {
        [.post, .post, .put, .form, .keyedPost][Int.random(in: 0..<5, using: &chance)]
    }

    private static func submit(_ work: Work, _ chance: inout SeededChance) -> Action {
        .submit(
            work, size: Int.random(in: 0..<WalkServer.length / 8, using: &chance) * 8,
            silence: Int.random(in: 0...5, using: &chance), isModest: Int.random(in: 0..<3, using: &chance) == 0)
    }

    private static func verb(_ chance: inout SeededChance) -> Verb {
        [.pause, .pause, .resume, .cancel][Int.random(in: 0..<4, using: &chance)]
    }

    private static func trigger(_ chance: inout SeededChance) -> Trigger {
        switch Int.random(in: 0..<6, using: &chance) {
        case 0: .verb(verb(&chance), Int.random(in: 0..<8, using: &chance))
        case 1: .submit(upload(&chance))
        case 2: .leave
        case 3: .launch
        default: .steps(Int.random(in: 1...4, using: &chance))
        }
    }

    private static func leave(_ chance: inout SeededChance) -> Action {
        let endings: [Leaving] = [.stays, .stays, .stays, .stays, .returns, .returns, .dies, .isForceQuit, .terminates]
        return .leave(
            time: [1, 3, 30, .greatestFiniteMagnitude][Int.random(in: 0..<4, using: &chance)],
            steps: Int.random(in: 0...6, using: &chance),
            endings[Int.random(in: 0..<endings.count, using: &chance)])
    }

    private static func action(_ chance: inout SeededChance) -> Action {
        func coin(_ chance: inout SeededChance, of sides: Int = 2) -> Bool {
            Int.random(in: 0..<sides, using: &chance) == 0
        }
        switch Int.random(in: 0..<64, using: &chance) {
        case 0..<5: return submit(upload(&chance), &chance)
        case 5..<7: return submit(.film, &chance)
        case 7..<11: return .verb(verb(&chance), Int.random(in: 0..<8, using: &chance))
        case 11..<14: return .open
        case 14..<21: return leave(&chance)
        case 21..<23: return .terminate(polls: Int.random(in: 1...20, using: &chance))
        case 23..<25: return .die
        case 25..<31: return .dieBetween(Int.random(in: 0...9, using: &chance), trigger(&chance))
        case 31: return .forceQuit(isListed: coin(&chance))
        case 32: return .loseTasks
        case 33: return .breakConnections
        case 34..<37:
            return .useNetwork(
                isOnline: !coin(&chance, of: 3), isExpensive: coin(&chance), isConstrained: coin(&chance, of: 4))
        case 37, 38: return .changeFilms
        case 39: return .toggleMute
        case 40: return .refuseResumeData(coin(&chance))
        case 41..<43: return .schedule(isRefresh: coin(&chance))
        case 43..<46:
            return .runTask(
                isRefresh: coin(&chance), steps: Int.random(in: 0...6, using: &chance), expires: coin(&chance, of: 3),
                dies: coin(&chance, of: 6))
        case 46..<48: return .continueWork(steps: Int.random(in: 0...6, using: &chance), expires: coin(&chance))
        case 48: return .allowNotifications(coin(&chance))
        case 49: return .tap
        case 50: return .launchLocked
        case 51: return .runOutOfPatience(steps: Int.random(in: 1...6, using: &chance))
        default:
            return .steps(
                Int.random(in: 1...4, using: &chance), isLate: coin(&chance), dies: coin(&chance, of: 3))
        }
    }
}
