import Glibc
import Longhaul

/// A small program that prints its lifecycle events and has work to finish before its end.
///
/// `LifecycleSample <milliseconds> <seconds>`: how long its work takes after the end is announced, and how long the end
/// may be delayed.
@main
struct LifecycleSample {
    static func main() async {
        // As a shell does for a job; the kernel stops no process in an orphaned process group.
        setpgid(0, 0)
        let times = CommandLine.arguments.dropFirst().map { Int64($0) ?? 0 }
        let work = Duration.milliseconds(times[0])
        let lifecycle = ProcessLifecycle(gracePeriod: .seconds(times[1]))
        let first = lifecycle.events()
        let second = lifecycle.events()
        await withDiscardingTaskGroup { group in
            group.addTask { await observe(first, "first") }
            group.addTask { await finish(second, work, lifecycle) }
            group.addTask { await tick() }
            group.addTask { await lifecycle.run() }
        }
    }

    private static func observe(_ events: some AsyncSequence<LifecycleEvent, Never>, _ name: String) async {
        for await event in events { say(name, word(event)) }
    }

    private static func finish(
        _ events: some AsyncSequence<LifecycleEvent, Never>, _ work: Duration, _ lifecycle: ProcessLifecycle
    ) async {
        for await event in events {
            guard case .willTerminate = event else { continue }
            await lifecycle.withTerminationDelay {
                say("work begins")
                try? await Task.sleep(for: work)
                say("work ends")
            }
        }
    }

    /// Shows that the main actor is responsive.
    @MainActor private static func tick() async {
        while true {
            // Only cancellation ends a sleep early, and nothing cancels this one.
            try? await Task.sleep(for: .milliseconds(50))
            say("tick")
        }
    }

    /// Writes without a buffer: buffered output is lost when a signal ends the process.
    private static func say(_ words: String...) {
        let line = Array((words.joined(separator: " ") + "\n").utf8)
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    private static func word(_ event: LifecycleEvent) -> String {
        switch event {
        case .didBecomeActive: "didBecomeActive"
        case .willResignActive: "willResignActive"
        case .didEnterBackground: "didEnterBackground"
        case .willEnterForeground: "willEnterForeground"
        case .willTerminate: "willTerminate"
        }
    }
}
