import Glibc
import Longhaul

/// An app that runs its session itself and hands it to the service, for tests that end it in every way.
///
///     HandoffSample tus|put|post|request|send|none URL FILE [NAME=VALUE…]
///
/// `rate=` bytes a second, `key=` an idempotency key, `grace=` seconds, `policy=` the owner-loss policy, `foreground=watch`,
/// `handoff=none`, `die=` a step after which it kills itself, `ticks=1` shows that the main actor is not blocked. With
/// `send`, the app submits its request when its end is announced.
@main
struct HandoffSample {
    private static let session = "org.example.handoff"

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let (kind, url, file) = (arguments[0], arguments[1], arguments[2])
        let options = Dictionary(
            uniqueKeysWithValues: arguments.dropFirst(3).map { argument in
                let parts = argument.split(separator: "=", maxSplits: 1)
                return (String(parts[0]), String(parts[1]))
            })
        do throws(TransferFailure) {
            let session = try await TransferSession.open(session, configuration: configuration(options))
            if let loss = try await session.ownerLoss() {
                say("lost reason=\(loss.reason) policy=\(loss.policy) transfers=\(loss.transfers)")
                try await session.acknowledgeOwnerLoss()
            }
            say("open")
            await live(session, kind, url, file, options)
        } catch {
            say("failed \(error.code)")
        }
    }

    private static func live(
        _ session: TransferSession, _ kind: String, _ url: String, _ file: String, _ options: [String: String]
    ) async {
        let lifecycle = ProcessLifecycle(gracePeriod: .seconds(options["grace"].flatMap(Int.init) ?? 5))
        let ends = lifecycle.events()
        await withDiscardingTaskGroup { group in
            group.addTask { await lifecycle.run() }
            group.addTask {
                await session.follow(lifecycle) { report in
                    say("handoff \(report.outcome) \(report.actions.values.map { "\($0)" }.joined(separator: " "))")
                }
            }
            await followed(lifecycle)
            if options["ticks"] != nil { group.addTask { await tick() } }
            if kind == "send" {
                group.addTask { await sendLast(session, url, ends) }
            } else if kind != "none" {
                group.addTask { await transfer(session, kind, url, file, options) }
            }
        }
    }

    /// Returns when the process's signals are followed.
    private static func followed(_ lifecycle: ProcessLifecycle) async {
        let events = lifecycle.events()
        guard lifecycle.state == .inactive else { return }
        for await _ in events { return }
    }

    private static func transfer(
        _ session: TransferSession, _ kind: String, _ url: String, _ file: String, _ options: [String: String]
    ) async {
        var wanted = TransferOptions()
        wanted.key = "the transfer"
        wanted.idempotencyKey = options["key"]
        wanted.rateLimit = options["rate"].flatMap(Int64.init)
        do throws(TransferFailure) {
            let transfer =
                switch kind {
                case "tus": try await session.uploadResumably(file: file, to: url, options: wanted)
                case "request": try await session.request(url, method: "POST", body: [1], options: wanted)
                default:
                    try await session.upload(file: file, to: url, method: kind.uppercased(), options: wanted)
                }
            say("submitted \(transfer.id)")
            var last = ""
            for try await snapshot in transfer.snapshots {
                let word = "\(snapshot.state)"
                if word != last { say("state \(word)") }
                last = word
            }
            say("over")
        } catch {
            say("failed \(error.code)")
        }
    }

    private static func sendLast(
        _ session: TransferSession, _ url: String, _ events: some AsyncSequence<LifecycleEvent, Never>
    ) async {
        for await event in events {
            guard case .willTerminate = event else { continue }
            // A request that cannot be stored is reported; the test reads it.
            do throws(TransferFailure) {
                say("sent \(try await session.request(url, method: "POST", body: [1], options: .atTermination).id)")
            } catch {
                say("failed \(error.code)")
            }
        }
    }

    private static func configuration(_ options: [String: String]) -> TransferSession.Configuration {
        var configuration = TransferSession.Configuration(execution: .inProcess())
        configuration.network.caFile = getenv("LONGHAUL_TEST_CA").map { String(cString: $0) } ?? ""
        if options["handoff"] != "none" {
            configuration.execution = .handoff(takesOver: options["foreground"] != "watch")
        }
        let policies: [String: OwnerLossPolicy] = ["resume": .resume, "pause": .pause, "cancel": .cancel]
        configuration.ownerLossPolicy = options["policy"].flatMap { policies[$0] }
        if let last = options["die"] {
            configuration.handoffProbe = { step in
                if step.rawValue == last { kill(getpid(), SIGKILL) }
            }
        }
        return configuration
    }

    @MainActor private static func tick() async {
        while true {
            // Only cancellation ends a sleep early, and nothing cancels this one.
            try? await Task.sleep(for: .milliseconds(50))
            say("tick")
        }
    }

    /// Writes without a buffer: buffered output is lost when a signal ends the process.
    private static func say(_ line: String) {
        let line = Array((line + "\n").utf8)
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
