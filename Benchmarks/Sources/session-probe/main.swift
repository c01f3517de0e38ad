// Plays an app for the benchmarks. Prints one number per line for each measurement.
import Glibc
import Longhaul
import LonghaulClient
import LonghaulCore
import LonghaulIPC

func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func report(_ line: String) {
    print(line)
    fflush(nil)
}

let arguments = CommandLine.arguments
let session = "longhaul.command-line"

switch arguments.count > 1 ? arguments[1] : "" {
case "start":
    // Seconds from the first use of the socket to the first answer, and the process that it has started.
    let begin = now()
    let connection = try await ServiceConnection.open()
    let status = try await connection.status()
    report("\(now() - begin) \(status.processID)")
    try await connection.stopService()

case "page":
    // Seconds for a page of 1 000 transfers.
    let connection = try await ServiceConnection.open()
    for _ in 0..<20 {
        let begin = now()
        let page = try await connection.list(ListQuery(limit: 1_000), in: SessionID(session)!)
        report("\(now() - begin) \(page.transfers.count)")
    }

case "watch":
    // Watches all transfers for a number of seconds: its processor time per second, and the updates that it received.
    let connection = try await TransferSession.open(session)
    var updates = 0
    let seconds = Double(arguments[2])!
    var begin = 0.0
    var used = 0.0
    for try await _ in connection.changes(matching: .all) {
        updates += 1
        if updates == 1 { (begin, used) = (now(), processorSeconds()) }
        if now() - begin > seconds { break }
    }
    report("\((processorSeconds() - used) / (now() - begin)) \(updates)")

case "submit":
    // Seconds for each of N submissions, one after the other, through the session and through the bare connection.
    let count = Int(arguments[2])!
    let url = arguments[3]
    let app = try await TransferSession.open("org.example.bench")
    let connection = try await ServiceConnection.open()
    let bare = SessionID("org.example.bare")!
    var options = TransferOptions()
    options.earliestBeginDate = WallTime(microseconds: .max / 2)
    for round in 0..<7 {
        var seconds = [0.0, 0.0]
        for side in round.isMultiple(of: 2) ? [0, 1] : [1, 0] {
            let begin = now()
            for _ in 0..<count {
                if side == 0 {
                    _ = try await app.request(url, options: options)
                } else {
                    let spec = TransferSpec(work: .request(body: []), method: "GET", url: url, options: options)
                    _ = try await connection.submit([spec], to: bare)
                }
            }
            seconds[side] = (now() - begin) / Double(count)
        }
        report("\(seconds[0]) \(seconds[1])")
    }

case "embedded":
    // Uploads a file by tus in this process until it is killed.
    var configuration = TransferSession.Configuration(execution: .inProcess())
    configuration.options.rateLimit = 64 << 20
    let app = try await TransferSession.open(arguments[2], configuration: configuration)
    let transfer = try await app.uploadResumably(file: arguments[3], to: arguments[4])
    for try await snapshot in transfer.snapshots { report("\(snapshot.bytesDone)") }

default:
    report("usage: session-probe start, page, watch SECONDS, submit N URL, embedded SESSION FILE URL")
    exit(2)
}
