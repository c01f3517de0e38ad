import Glibc
import Longhaul

// An app that lacks a resource, for tests:
//
//     ShortageSample service|inProcess RESOURCE LIMIT URL FILE
//
// It limits its RESOURCE, and uses a session as apps do. It exits with 0 after any failure, with 75 after 5 s, because Swift waits
// for threads and a session for disk space, and with 76 if libdispatch traps. Only a crash is a bug.

enum Resource: String {
    /// LIMIT open files.
    case files
    /// LIMIT threads more than it has. Root drops its privileges first, because this limit does not apply to root.
    case threads
    /// LIMIT KiB of address space more than it has.
    case memory
    /// LIMIT bytes in a file.
    case fileSize

    /// resource.h
    private var number: UInt32 {
        switch self {
        case .fileSize: 1
        case .threads: 6
        case .files: 7
        case .memory: 9
        }
    }

    func limit(to count: UInt) async {
        switch self {
        case .files, .fileSize: set(count)
        case .threads:
            if getuid() == 0 { guard setgid(nobody) == 0, setuid(nobody) == 0 else { exit(70) } }
            await startPool()
            set(count + threadsOfUser())
        case .memory:
            await startPool()
            set(count << 10 + addressSpace())
        }
    }

    private func set(_ count: UInt) {
        var limit = rlimit(rlim_cur: count, rlim_max: count)
        guard setrlimit(__rlimit_resource_t(number), &limit) == 0 else { exit(71) }
    }
}

let nobody: UInt32 = 65_534

/// Makes Swift create its threads, and keeps them: an app cannot run without any.
func startPool() async {
    await withTaskGroup(of: Void.self) { group in
        for _ in 0..<16 { group.addTask { usleep(20_000) } }
    }
    for _ in 0..<4 {
        Task.detached {
            while true { try? await Task.sleep(for: .milliseconds(100)) }
        }
    }
}

func threadsOfUser() -> UInt {
    guard let processes = opendir("/proc") else { exit(72) }
    defer { closedir(processes) }
    var count: UInt = 0
    while let entry = readdir(processes) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        var about = stat()
        // A directory has a link for each subdirectory, and two for itself.
        guard Int32(name) != nil, stat("/proc/\(name)/task", &about) == 0, about.st_uid == getuid() else { continue }
        count += UInt(about.st_nlink) - 2
    }
    return count
}

func addressSpace() -> UInt {
    guard let file = fopen("/proc/self/statm", "re") else { exit(73) }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 64)
    guard fgets(&line, 64, file) != nil else { exit(74) }
    return strtoul(line, nil, 10) * UInt(sysconf(Int32(_SC_PAGESIZE)))
}

func say(_ line: String) {
    print(line)
    fflush(nil)
}

func attempt(_ step: String, _ body: @Sendable () async throws(TransferFailure) -> Void) async {
    do throws(TransferFailure) {
        try await body()
        say("\(step): done")
    } catch {
        say("\(step): \(error.code): \(error.message)")
    }
}

/// Returns when the transfer has ended or failed once.
func follow(_ transfer: Transfer) async throws(TransferFailure) {
    for try await snapshot in transfer.snapshots {
        if snapshot.state.isEnded { return }
        if case .waiting(let waiting) = snapshot.state, let failure = waiting.failure { throw failure }
    }
}

/// The addresses of libdispatch's code.
let libdispatch = addresses(of: "libdispatch.so")

func addresses(of library: String) -> Range<UInt> {
    guard let file = fopen("/proc/self/maps", "re") else { exit(77) }
    defer { fclose(file) }
    var (lowest, highest) = (UInt.max, UInt(0))
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, 512, file) != nil {
        guard strstr(line, library) != nil else { continue }
        var rest: UnsafeMutablePointer<CChar>?
        lowest = min(lowest, strtoul(line, &rest, 16))
        highest = max(highest, rest.map { strtoul($0 + 1, nil, 16) } ?? 0)
    }
    return lowest < highest ? lowest..<highest : 0..<0
}

let arguments = CommandLine.arguments
guard arguments.count == 6, let resource = Resource(rawValue: arguments[2]), let count = UInt(arguments[3]) else {
    exit(64)
}
let (url, file) = (arguments[4], arguments[5])
var trap = sigaction()
trap.sa_flags = SA_SIGINFO
trap.__sigaction_handler.sa_sigaction = { _, information, _ in
    // The address of a trap is that of its instruction.
    if libdispatch.contains(UInt(bitPattern: information?.pointee._sifields._sigfault.si_addr)) { _exit(76) }
    signal(SIGILL, SIG_DFL)
    raise(SIGILL)
}
sigaction(SIGILL, &trap, nil)
signal(SIGALRM) { _ in _exit(75) }
alarm(5)
await resource.limit(to: count)

await attempt("open") { @Sendable () throws(TransferFailure) in
    var configuration = TransferSession.Configuration(execution: arguments[1] == "service" ? .service : .inProcess())
    configuration.network.caFile = getenv("LONGHAUL_TEST_CA").map { String(cString: $0) } ?? ""
    let session = try await TransferSession.open("org.example.short", configuration: configuration)
    say("opened")
    await attempt("download") { @Sendable () throws(TransferFailure) in
        try await follow(try await session.download(from: url, to: file + ".directory"))
    }
    await attempt("upload") { @Sendable () throws(TransferFailure) in
        try await follow(try await session.upload(data: [UInt8](repeating: 1, count: 200_000), to: url))
    }
    await attempt("submit") { @Sendable () throws(TransferFailure) in
        try await session.tasks.submit(.appRefresh("task", repeats: .daily(hour: 12)))
    }
    await attempt("rules") { @Sendable () throws(TransferFailure) in
        try await session.setRules(try await session.rules())
    }
    await attempt("reconcile") { @Sendable () throws(TransferFailure) in _ = try await session.reconcile() }
    let signals = Task { await ProcessLifecycle().run() }
    signals.cancel()
    await signals.value
    await session.close()
}
