import Foundation

/// A long queue: how fast it fills, its memory, its listing, and its recovery.
extension BenchCase {
    static let queueing = BenchCase(
        name: "queueing", title: "100 000 downloads queued, durable, against aria2c reading the list; memory, pages"
    ) { world in
        let count = 100_000
        let silent = try SilentServer()
        let list = try world.place.list(
            "queue", (1...count).map { "http://127.0.0.1:\(silent.port)/f\($0)" })
        var perWaiting: [Double] = []
        var pages: [Double] = []
        let samples = try Contest(
            contestants: [
                .init(name: "longhaul") {
                    let out = try world.place.freshOutput()
                    let service = try Service.running(world.place)
                    defer { service.end(SIGKILL) }
                    let before = service.meter.resident
                    let sample = try service.measure(["download", "-q", "-b", "-d", out, "-i", list])
                    perWaiting.append((service.meter.resident - before) / Double(count))
                    pages.append(Spread(try service.probeNumbers(["page"]).map { $0[0] }).median)
                    silent.drop()
                    return sample
                },
                .init(name: "aria2c") { try aria2Reading(list, count: count, world) },
            ], rounds: world.rounds
        ).hold()
        let title = "100000 downloads queued"
        return Row.comparing(
            title, samples, with: "aria2c", amount: Double(count), unit: "transfers", rates: 100...5_000_000,
            speed: .atLeast(1))
            + [
                Row(
                    benchCase: title, measure: "memory of the service for each that waits", ours: "",
                    value: Spread(perWaiting), possible: 16...65_536, unit: "bytes", goal: .atMost(1024)),
                Row(
                    benchCase: title, measure: "a page of 1000, listed", ours: "",
                    value: Spread(pages.map { $0 * 1000 }), possible: 0.05...10_000, unit: "ms"),
            ]
    }

    /// aria2 has read its list when it reports by RPC that this many downloads are waiting.
    private static func aria2Reading(_ list: String, count: Int, _ world: World) throws -> Sample {
        let begin = Clock.now
        let aria = try Aria2(["-q", "--pause=true", "-j16", "-d", world.place.freshOutput(), "-i", list])
        defer { aria.end() }
        try aria.wait(until: "\"numWaiting\":\"\(count)\"")
        return Sample(wall: Clock.now - begin, cpu: aria.meter.cpu, memory: aria.meter.peak)
    }

    static let recovery = BenchCase(
        name: "recovery",
        title: "SIGKILL with 100 000 queued: time from start to the first request, against an empty store"
    ) { world in
        func times(queued: Int) throws -> [Double] {
            let silent = try SilentServer()
            let list = try world.place.list("recovery", (1...queued).map { "http://127.0.0.1:\(silent.port)/f\($0)" })
            let service = try Service.running(world.place)
            defer { service.end(SIGKILL) }
            _ = try service.longhaul(["download", "-q", "-b", "-d", world.place.freshOutput(), "-i", list]).measure()
            return try (0..<world.rounds).map { _ in
                service.end(SIGKILL)
                silent.drop()
                Machine.settle()
                let begin = Clock.now
                try service.start()
                defer { silent.drop() }
                return try silent.firstByte(within: 60) - begin
            }
        }
        let (few, many) = (try times(queued: 1), try times(queued: 100_000))
        return [
            Row(
                benchCase: "recovery, 100000 queued", measure: "first request after a start, beyond a queue of one",
                ours: "\((Spread(many).median * 1000).short) ms",
                peer: "queue of one: \((Spread(few).median * 1000).short) ms",
                // A round can be slow with either queue.
                value: Spread(zip(many, few).map { $0 - $1 }), possible: -60...60, unit: "s", goal: .atMost(1),
                parts: [("a queue of one", few), ("the long queue", many)].map {
                    Reading(name: "start with \($0)", value: Spread($1), possible: 0.0005...60, unit: "s")
                })
        ]
    }

    static let growth = BenchCase(
        name: "growth",
        title: "Processor for one small download with 1 000, 10 000, 100 000 and 1 000 000 others queued"
    ) { world in
        let names = try world.place.smallFiles(2_000)
        let wanted = try world.place.list("wanted", names.map { "http://127.0.0.1:\(world.servers.http)/small/\($0)" })
        let silent = try SilentServer()
        let service = try Service.running(world.place)
        defer { service.end(SIGKILL) }
        _ = try service.longhaul(["limits", "--total", "64", "--per-host", "16"]).measure()
        var rows: [Row] = []
        var queued = 0
        var first = 0.0
        for size in [1_000, 10_000, 100_000, 1_000_000] {
            let list = try world.place.list("others", (queued..<size).map { "http://127.0.0.1:\(silent.port)/o\($0)" })
            let out = try world.place.freshOutput()
            _ = try service.longhaul(["download", "-q", "-b", "--priority", "-1", "-d", out, "-i", list]).measure()
            queued = size
            let rounds = [1_000, 1_000_000].contains(size) ? world.rounds : world.fewRounds
            let costs = try (0..<rounds).map { _ in
                let out = try world.place.freshOutput()
                Machine.settle()
                let before = service.meter.cpu
                _ = try service.longhaul(["download", "-q", "-d", out, "-i", wanted]).measure()
                return (service.meter.cpu - before) / 2_000 * 1e6
            }
            let spread = Spread(costs)
            if first == 0 { first = spread.median }
            rows.append(
                Row(
                    benchCase: "growth", measure: "one download with \(size) others queued",
                    ours: "\((spread.median).short) µs of the service's processor",
                    value: Spread(costs.map { $0 / first }), possible: 0.05...100, goal: .atMost(1.2),
                    parts: [
                        Reading(name: "processor for each", value: spread, possible: 1...100_000, unit: "µs")
                    ]))
        }
        return rows
    }
}

extension Service {
    /// Runs the probe and reads the numbers of its lines.
    func probeNumbers(_ arguments: [String]) throws -> [[Double]] {
        let file = place.path + "/probe.out"
        _ = try probe(arguments, output: file).measure()
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        return lines.map { $0.split(separator: " ").compactMap { Double($0) } }
    }
}
