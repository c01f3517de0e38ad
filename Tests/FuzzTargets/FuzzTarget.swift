import LonghaulCore

/// A part of the program that parses foreign input, as a fuzzer drives it.
///
/// `Tests/Fuzz` compiles them with libFuzzer, and `Tests/FuzzTests` replays the seeds of each with the other tests.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// Headers and URLs from servers.
    case headers
    /// Messages between processes, and blobs of a store.
    case wire
    /// The stream that messages arrive in.
    case frames
    /// A transfer's record, and its state machine.
    case records
    /// Background tasks, wakes, and notifications, and their policies.
    case tasks
    /// The output of a credential helper.
    case helper
    /// Metalinks.
    case metalinks
    /// Lists of downloads, and dates, times, and rates of a command line.
    case lists
    /// The user's settings and a session's rules.
    case settings
    /// Files that record the usage of a budget.
    case budget
    /// A store in which numbers were changed.
    case stores

    /// Processes the bytes as the program does. It returns, or ends the process, which is a finding.
    public func run(_ bytes: [UInt8]) {
        switch self {
        case .headers: HeaderFuzzing.run(bytes)
        case .wire: WireFuzzing.run(bytes)
        case .frames: FrameFuzzing.run(bytes)
        case .records: RecordFuzzing.run(bytes)
        case .tasks: TaskFuzzing.run(bytes)
        case .helper: HelperFuzzing.run(bytes)
        case .metalinks: MetalinkFuzzing.run(bytes)
        case .lists: ListFuzzing.run(bytes)
        case .settings: SettingsFuzzing.run(bytes)
        case .budget: BudgetFuzzing.run(bytes)
        case .stores: StoreFuzzing.run(bytes)
        }
    }

    /// Valid inputs, the basis of the seeds.
    public var examples: [[UInt8]] {
        switch self {
        case .headers: HeaderFuzzing.examples.map { Array($0.utf8) }
        case .wire: WireFuzzing.examples
        case .frames: FrameFuzzing.examples
        case .records: RecordFuzzing.examples
        case .tasks: TaskFuzzing.examples
        case .helper: HelperFuzzing.examples.map { Array($0.utf8) }
        case .metalinks: MetalinkFuzzing.examples.map { Array($0.utf8) }
        case .lists: ListFuzzing.examples.map { Array($0.utf8) }
        case .settings: SettingsFuzzing.examples
        case .budget: BudgetFuzzing.examples
        case .stores: StoreFuzzing.examples
        }
    }

    /// Returns the input with one of its numbers at a limit, or with a part omitted or doubled; `nil` if it has no
    /// parts to change.
    public func mutated(_ bytes: [UInt8], random: UInt64) -> [UInt8]? {
        var dice = Dice(seed: random)
        switch self {
        case .headers, .helper, .lists, .metalinks: return NumberMutation.text(bytes, &dice)
        case .records, .tasks, .settings, .budget, .stores: return NumberMutation.message(bytes, &dice)
        case .wire:
            guard let first = bytes.first, let rest = NumberMutation.message(Array(bytes.dropFirst()), &dice) else {
                return nil
            }
            return [first] + rest
        case .frames: return FrameFuzzing.mutated(bytes, &dice)
        }
    }
}
