import Glibc
import Longhaul

// An app that is started for its session, for tests:
//
//     WakeSample LOG MODE
//     WakeSample LOG MODE --bus NAME
//     WakeSample LOG MODE --ask SESSION unit|command|none NAME-OR-ARGUMENTS…
//
// It appends its events to LOG. The file MODE selects its behavior at launch: `crash` at once, `ignore` the events, or
// `acknowledge` them. With --bus, it is started by its action on the bus. With --ask, it registers how it is started,
// submits a transfer that ends at once, and exits.

/// Why the service started this program.
let wakeReason = getenv("LONGHAUL_WAKE_REASON").map { String(cString: $0) } ?? ""

func log(_ line: String) {
    guard let log = fopen(CommandLine.arguments[1], "ae") else { exit(70) }
    fputs(line + "\n", log)
    fclose(log)
}

func mode() -> String {
    guard let file = fopen(CommandLine.arguments[2], "re") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 32)
    return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
}

func place() -> String {
    guard let file = fopen("/proc/self/cgroup", "re") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    return text.split(separator: "\n").first { $0.contains("app.slice") }.map(String.init) ?? "no unit"
}

/// Returns the open descriptors besides the three standard ones, without those of the language's runtime (its poller, and sometimes a file
/// of /proc).
func descriptors() -> [String] {
    (3..<256).compactMap { number in
        var name = [CChar](repeating: 0, count: 64)
        let length = readlink("/proc/self/fd/\(number)", &name, name.count)
        let target = String(decoding: name.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return length > 0 && !target.hasPrefix("anon_inode:") && !target.hasPrefix("/proc/") ? target : nil
    }
}

func execute(_ arguments: [String]) async throws(TransferFailure) {
    var configuration = TransferSession.Configuration()
    let backoff = WakeBackoff(first: .milliseconds(400), longest: .seconds(2))
    switch arguments[1] {
    case "unit": configuration.wake = WakeRegistration(.systemdUnit(arguments[2]), backoff: backoff)
    case "command": configuration.wake = WakeRegistration(.command(Array(arguments[2...])), backoff: backoff)
    default: break
    }
    let session = try await TransferSession.open(arguments[0], configuration: configuration)
    // No process listens there, and it is tried once.
    var options = TransferOptions()
    options.retryLimit = 0
    options.earliestBeginDate = WallTime(seconds: Int64(time(nil)) + 1)
    _ = try await session.request("http://127.0.0.1:9/", options: options)
    log("asked")
}

func answer(_ request: WakeRequest) async throws(TransferFailure) {
    let mode = mode()
    log(
        "woken \(request.session) \(wakeReason) descriptors=\(descriptors().joined(separator: ",")) \(mode) [\(place())]"
    )
    if let notification = request.notification {
        log("tapped \(notification) \(request.transfer?.description ?? "-") \(request.activationToken ?? "-")")
    }
    if mode == "crash" { exit(1) }
    let session = try await TransferSession.open("\(request.session)")
    // An earlier start of a slow app may have processed everything by now.
    if try await session.pendingEvents().isEmpty { return log("nothing to do") }
    for try await event in session.events {
        log("event \(event.number) \(event.word)")
        guard event.isLast(of: request) else { continue }
        guard mode == "acknowledge" else { break }
        try await session.acknowledge(event)
        log("acknowledged \(event.number)")
        break
    }
    log("left")
}

extension SessionEvent {
    /// Returns whether this is the event for which the app was started.
    func isLast(of request: WakeRequest) -> Bool {
        switch kind {
        case .notificationTapped: request.notification != nil
        case .allTransfersFinished: request.notification == nil
        case .transferFinished, .needsCredentials: false
        }
    }

    var word: String {
        switch kind {
        case .transferFinished: "transferFinished"
        case .allTransfersFinished: "allTransfersFinished"
        case .needsCredentials: "needsCredentials"
        case .notificationTapped: "notificationTapped"
        }
    }
}

let arguments = Array(CommandLine.arguments.dropFirst(3))
do {
    if arguments.first == "--ask" {
        try await execute(Array(arguments.dropFirst()))
    } else if arguments.first == "--bus" {
        let session = BusName(arguments[1]).waitForAction()
        if let request = WakeRequest(environment: ["LONGHAUL_SESSION": session]) { try await answer(request) }
    } else if let request = WakeRequest.current {
        try await answer(request)
    } else {
        log("not woken")
    }
} catch {
    log("failed \(error.code.rawValue): \(error.message)")
    exit(1)
}
