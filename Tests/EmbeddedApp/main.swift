import Glibc
import LonghaulCore
import LonghaulCurl
import LonghaulRuntime
import LonghaulSystem

// An app that runs a session itself, for tests that end it in every way:
//
//     embedded-app DIRECTORY [tus|put|post FILE URL RATE]
//
// It prints `open` or `failed CODE`, then `accepted ID` for its upload, and stops cleanly on SIGTERM.

var signals = sigset_t()
sigemptyset(&signals)
sigaddset(&signals, SIGTERM)
// Before any thread exists, so that none of them ends the process.
pthread_sigmask(SIG_BLOCK, &signals, nil)

@Sendable func say(_ line: String) {
    var line = line + "\n"
    _ = line.withUTF8 { write(1, $0.baseAddress, $0.count) }
}

func upload(_ arguments: [String]) throws(TransferFailure) -> TransferSpec {
    let source = try SourceFile.inspect(path: arguments[1])
    let isTus = arguments[0] == "tus"
    var spec = TransferSpec(
        work: .upload(isTus ? .tus(source, metadata: []) : .raw(source)),
        method: arguments[0] == "put" ? "PUT" : "POST", url: arguments[2])
    spec.options.rateLimit = Int64(arguments[3])
    spec.network.caFile = getenv("LONGHAUL_TEST_CA").map { String(cString: $0) } ?? ""
    return spec
}

func bootID() -> String {
    guard let file = fopen("/proc/sys/kernel/random/boot_id", "re") else { return "" }
    defer { fclose(file) }
    var text = [UInt8](repeating: 0, count: 64)
    let count = fread(&text, 1, text.count, file)
    return String(decoding: text[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
}

let environment = RuntimeEnvironment(
    now: {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }, random: { .random(in: .min ... .max) }, bootID: bootID()
) { _, sink throws(TransferFailure) in try Engine.overLibcurl(sink: sink) }

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let runtime = try SessionRuntime.open(
        layout: SessionLayout(directory: arguments[0]), environment: environment)
    say("open")
    if arguments.count > 4 {
        runtime.send(.submit([try upload(Array(arguments[1...]))])) { reply in
            if case .submitted(let answers) = reply, case .accepted(let id)? = answers.first {
                say("accepted \(id)")
            } else {
                say("failed \(reply)")
            }
        }
    }
    var number: Int32 = 0
    sigwait(&signals, &number)
    runtime.stop()
    say("stopped")
} catch {
    say("failed \(error.code.rawValue)")
    exit(1)
}
