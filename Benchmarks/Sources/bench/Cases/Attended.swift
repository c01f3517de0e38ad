import Foundation

/// A small transfer that the user waits for, beside large ones.
extension BenchCase {
    static let attended = BenchCase(
        name: "attended", title: "12 bytes down and up, attached, while twelve slow transfers from the same host run"
    ) { world in
        let server = "http://127.0.0.1:\(world.servers.http)"
        _ = try world.place.bigFile(bytes: 64 << 20)
        let note = try world.place.list("twelve", ["twelve byte"])
        try FileManager.default.copyItem(atPath: note, toPath: world.place.path + "/www/twelve")
        let service = try Service(world.place)
        try service.start()
        defer { service.end(SIGKILL) }
        let out = try world.place.freshOutput()
        let slow = try (0..<12).map { number in
            try service.longhaul(["-q", "-o", "\(out)/slow-\(number)", "\(server)/slow/big-64?\(number)"]).start()
        }
        defer {
            for command in slow {
                kill(command, SIGKILL)
                waitpid(command, nil, 0)
            }
        }
        try service.wait(untilRunning: 12)
        let rounds = 20
        let down = try (0..<rounds).map { number in
            try service.measure(["-q", "-o", "\(out)/small-\(number)", "\(server)/twelve?\(number)"]).wall * 1000
        }
        let up = try (0..<rounds).map { number in
            try service.measure(["upload", "-q", note, "\(server)/taken/\(number)"]).wall * 1000
        }
        return [("download", down), ("upload", up)].map { measure, times in
            Row(
                benchCase: "12 bytes, attached, beside twelve slow transfers", measure: "time of the \(measure)",
                ours: "", value: Spread(times), possible: 0.5...60_000, unit: "ms", goal: .atMost(100))
        }
    }
}
