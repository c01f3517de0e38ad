import Foundation

/// The service as it lives: many at once, watched, started, idle, and taking over from an app.
extension BenchCase {
    static let active = BenchCase(name: "active", title: "1 000 transfers active at once: memory for each") { world in
        _ = try world.place.bigFile(bytes: 8 << 20)
        let count = 1_000
        let list = try world.place.list(
            "active", (1...count).map { "http://127.0.0.1:\(world.servers.http)/slow/big-8?\($0)\n out=a\($0)" })
        let values = try (0..<world.fewRounds).map { _ in
            // Space for each of them is reserved at once.
            let out = try world.place.freshOutput()
            defer { try? FileManager.default.removeItem(atPath: out) }
            let service = try Service.running(world.place, total: count, perHost: count)
            defer { service.end(SIGKILL) }
            let before = service.meter.resident
            _ = try service.longhaul(["download", "-q", "-b", "-d", out, "-i", list]).measure()
            try service.wait(untilRunning: count)
            sleep(1)
            return (service.meter.resident - before) / Double(count) / 1024
        }
        return [
            Row(
                benchCase: "1000 active at once", measure: "memory of the service for each", ours: "",
                value: Spread(values), possible: 1...8_192, unit: "KiB")
        ]
    }

    static let watching = BenchCase(
        name: "watching", title: "10 000 watched transfers, 1 000 of them moving: processor of service and watcher"
    ) { world in
        _ = try world.place.bigFile(bytes: 8 << 20)
        let list = try world.place.list(
            "watched", (1...10_000).map { "http://127.0.0.1:\(world.servers.http)/slow/big-8?\($0)\n out=a\($0)" })
        let service = try Service.running(world.place, total: 1_000, perHost: 1_000)
        defer { service.end(SIGKILL) }
        _ = try service.longhaul(["download", "-q", "-b", "-d", world.place.freshOutput(), "-i", list]).measure()
        try service.wait(untilRunning: 1_000)
        var (watcher, alone, watched, updates): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        func share(_ run: () throws -> Void) rethrows -> Double {
            let (before, begin) = (service.meter.cpu, Clock.now)
            try run()
            return (service.meter.cpu - before) / (Clock.now - begin) * 100
        }
        for _ in 0..<world.fewRounds {
            alone.append(share { sleep(2) })
            try watched.append(
                share {
                    let numbers = try service.probeNumbers(["watch", "2"])[0]
                    watcher.append(numbers[0] * 100)
                    updates.append(numbers[1] / 2)
                })
        }
        let title = "10000 watched, 1000 moving"
        return [
            Row(
                benchCase: title, measure: "processor of the watcher", ours: "", value: Spread(watcher),
                possible: Possible.percent, unit: "%"),
            Row(
                benchCase: title, measure: "processor of the service, unwatched", ours: "", value: Spread(alone),
                possible: Possible.percent, unit: "%"),
            Row(
                benchCase: title, measure: "processor of the service, watched", ours: "", value: Spread(watched),
                possible: Possible.percent, unit: "%"),
            Row(
                benchCase: title, measure: "updates a second", ours: "", value: Spread(updates),
                possible: 0.5...10_000, unit: "/s"),
        ]
    }

    static let startUp = BenchCase(name: "start-up", title: "From the first use of the socket to the first answer") {
        world in
        let service = try Service(world.place)
        let values = try (0..<max(world.rounds, 7)).map { _ in
            let numbers = try service.probeNumbers(["start"])[0]
            // The next one would wait for its locks.
            try wait("the service to end", until: { ProcessMeter(pid: pid_t(numbers[1])).resident == 0 })
            return numbers[0] * 1000
        }
        return [
            Row(
                benchCase: "start-up", measure: "first answer", ours: "", value: Spread(values),
                possible: 0.5...30_000, unit: "ms")
        ]
    }

    static let sessionAPI = BenchCase(
        name: "session-api", title: "Submissions one by one through TransferSession, against the bare connection"
    ) { world in
        let service = try Service.running(world.place)
        defer { service.end() }
        let rounds = try service.probeNumbers(["submit", "500", "http://127.0.0.1:\(world.servers.http)/x"])
        let (ours, bare) = (Spread(rounds.map { $0[0] * 1e6 }), Spread(rounds.map { $0[1] * 1e6 }))
        return [
            Row(
                benchCase: "session API", measure: "one durable submission", ours: "\(ours.median.short) µs",
                peer: "connection: \(bare.median.short) µs", value: Spread(rounds.map { $0[1] / $0[0] }),
                possible: 0.01...100,
                parts: [("session", ours), ("connection", bare)].map {
                    Reading(name: "time of the \($0)", value: $1, possible: 1...10_000_000, unit: "µs")
                })
        ]
    }

    static let handover = BenchCase(
        name: "hand-over", title: "An app that uploads is killed: time until the service resumes, bytes sent twice"
    ) { world in
        let size = 64 << 20
        let file = try world.place.bigFile(bytes: size)
        let service = try Service.running(world.place)
        defer { service.end() }
        let told = world.place.path + "/embedded.out"
        var (gaps, twice): ([Double], [Double]) = ([], [])
        for round in 0..<11 {
            unlink(world.servers.sinkLog)
            unlink(told)
            let app = try service.probe(
                ["embedded", "org.example.round\(round)", file, "http://127.0.0.1:\(world.servers.sink)/tus"],
                output: told
            ).start()
            // It writes a line for each time that it has moved on.
            try wait(
                "the app to upload",
                until: {
                    let lines = (try? String(contentsOfFile: told, encoding: .utf8))?.split(separator: "\n") ?? []
                    return lines.contains { Int($0) ?? 0 >= 8 << 20 }
                })
            let killed = Clock.now
            kill(app, SIGKILL)
            waitpid(app, nil, 0)
            let log = try world.servers.tusLog {
                $0.filter { $0.method == "PATCH-END" }.reduce(0) { $0 + $1.bytes } >= Double(size)
            }
            guard let next = log.first(where: { $0.time > killed && ["HEAD", "PATCH"].contains($0.method) }) else {
                throw BenchFailure("the service did not resume")
            }
            gaps.append((next.time - killed) * 1000)
            twice.append(
                log.filter { $0.method == "PATCH-END" }.reduce(0) { $0 + $1.bytes } / 1024 - Double(size >> 10))
        }
        return [
            Row(
                benchCase: "hand-over after SIGKILL", measure: "until the service's first request", ours: "",
                value: Spread(gaps), possible: 0.01...30_000, unit: "ms", goal: .atMost(50)),
            Row(
                benchCase: "hand-over after SIGKILL", measure: "bytes the server got twice", ours: "",
                // At most the whole file.
                value: Spread(twice), possible: 0...Double(size >> 10), unit: "KiB"),
        ]
    }
}

extension Service {
    /// Waits until this many transfers are running.
    func wait(untilRunning count: Int) throws {
        for _ in 0..<600 {
            let file = place.path + "/status.out"
            _ = try longhaul(["service", "status", "--json"], output: file).measure()
            let data = try Data(contentsOf: URL(fileURLWithPath: file))
            let status = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            let sessions = status?["sessions"] as? [[String: Any]] ?? []
            let totals = sessions.compactMap { $0["totals"] as? [String: Any] }
            if totals.contains(where: { ($0["running"] as? Int ?? 0) >= count }) { return }
            usleep(100_000)
        }
        throw BenchFailure("\(count) transfers did not run at once")
    }
}

extension Servers {
    struct TusNote {
        var time: Double
        var method: String
        var bytes: Double
    }

    /// Returns the sink's notes as soon as `isDone` returns true.
    func tusLog(until isDone: ([TusNote]) -> Bool) throws -> [TusNote] {
        for _ in 0..<3000 {
            let text = (try? String(contentsOfFile: sinkLog, encoding: .utf8)) ?? ""
            let notes = text.split(separator: "\n").compactMap { line -> TusNote? in
                let words = line.split(separator: " ")
                guard words.count == 3, let time = Double(words[0]), let bytes = Double(words[2]) else { return nil }
                return TusNote(time: time, method: String(words[1]), bytes: bytes)
            }
            if isDone(notes) { return notes }
            usleep(10_000)
        }
        throw BenchFailure("the upload did not end")
    }
}
