import Glibc
import Longhaul

// An app with a background task, for tests:
//
//     TaskSample LOG MODE --schedule SESSION SECONDS   registers itself, requests a run after SECONDS, and exits
//     TaskSample LOG MODE --daily SESSION HOUR         the documented program. At each launch, it declares its handler and its
//                                                      task at HOUR, and runs the due task if it was started for that
//     TaskSample LOG MODE                              started for its session: runs the due task
//
// It appends its events to LOG. The file MODE selects its handler: `return` at once, `crash`, `hang` in any case, or
// `fetch URL` until the response or the end of its time. With `die`, the documented program ends between the two.

let noon = "org.example.noon"

/// Why the service started this program.
let wakeReason = getenv("LONGHAUL_WAKE_REASON").map { String(cString: $0) } ?? ""

func log(_ line: String) {
    guard let log = fopen(CommandLine.arguments[1], "ae") else { exit(70) }
    fputs(line + "\n", log)
    fclose(log)
}

func mode() -> [String] {
    guard let file = fopen(CommandLine.arguments[2], "re") else { return [] }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    return text.split(separator: " ").map(String.init)
}

func handle(_ context: BackgroundTaskContext) async throws {
    let mode = mode()
    log("began \(context.run.number) try \(context.attempt) \(mode.first ?? "")")
    context.onExpiration { log("cancelled \(context.run.number) \($0)") }
    switch mode.first {
    case "crash": exit(1)
    case "hang": await withCheckedContinuation { (never: CheckedContinuation<Void, Never>) in keep(never) }
    case "fetch":
        do {
            var options = TransferOptions()
            options.wakesAppWhenFinished = true
            let transfer = try await context.session.request(mode[1], key: "weather", options: options)
            let answer = try await transfer.response()
            try await transfer.remove()
            log("answer \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        } catch {
            log("no answer: \(error.code.rawValue)")
            throw error
        }
    default: break
    }
    log("returned \(context.run.number)")
}

/// Never resumes, so that the caller waits forever.
func keep(_ never: CheckedContinuation<Void, Never>) {
    _ = Unmanaged.passRetained(Kept(never))
}

final class Kept {
    let value: CheckedContinuation<Void, Never>
    init(_ value: CheckedContinuation<Void, Never>) { self.value = value }
}

/// A configuration with which the tests' servers are trusted.
func trusting() -> TransferSession.Configuration {
    var configuration = TransferSession.Configuration()
    configuration.network.caFile = getenv("LONGHAUL_TEST_CA").map { String(cString: $0) } ?? ""
    return configuration
}

func schedule(_ name: String, in seconds: Int64) async throws(TransferFailure) {
    var configuration = trusting()
    let program = [CommandLine.arguments[0], CommandLine.arguments[1], CommandLine.arguments[2]]
    configuration.wake = WakeRegistration(
        .command(program), backoff: WakeBackoff(first: .seconds(1), longest: .seconds(4)))
    let session = try await TransferSession.open(name, configuration: configuration)
    let date = WallTime.now + .seconds(seconds)
    try await session.tasks.submit(.appRefresh(noon, earliestBeginDate: date))
    log("scheduled")
}

func runDaily(_ name: String, hour: Int) async throws(TransferFailure) {
    var configuration = trusting()
    configuration.wake = WakeRegistration(
        .command(CommandLine.arguments), backoff: WakeBackoff(first: .seconds(1), longest: .seconds(4)))
    let session = try await TransferSession.open(name, configuration: configuration)
    let tasks = session.tasks
    try tasks.register(noon, handle)
    try await tasks.submit(.appRefresh(noon, repeats: .daily(hour: hour)))
    log("launched \(WakeRequest.current?.task ?? "")")
    guard WakeRequest.current != nil else { return }
    if mode().first == "die" { exit(1) }
    try await tasks.runDue()
    log("left")
}

func runDue(_ request: WakeRequest) async throws(TransferFailure) {
    log("woken \(wakeReason) \(request.task ?? "")")
    let session = try await TransferSession.open("\(request.session)", configuration: trusting())
    if request.task != nil {
        let tasks = session.tasks
        try tasks.register(noon, handle)
        try await tasks.runDue()
    } else {
        for try await event in session.events {
            log("event \(event.transfer.map { "\($0.state.isEnded ? "ended" : "live") \($0.key ?? "")" } ?? "")")
            if let snapshot = event.transfer, snapshot.key == "weather" {
                let transfer = session.transfer(snapshot.id)
                let answer = try await transfer.response()
                try await transfer.remove()
                log("promoted answer \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
                break
            }
            try await session.acknowledge(event)
        }
    }
    log("left")
}

let arguments = Array(CommandLine.arguments.dropFirst(3))
do throws(TransferFailure) {
    if arguments.first == "--schedule" {
        try await schedule(arguments[1], in: Int64(arguments[2]) ?? 0)
    } else if arguments.first == "--daily" {
        try await runDaily(arguments[1], hour: Int(arguments[2]) ?? 0)
    } else if let request = WakeRequest.current {
        try await runDue(request)
    }
} catch {
    log("failed \(error.code.rawValue): \(error.message)")
    exit(1)
}
