import Foundation

/// A long queue: how fast it fills, what it holds in memory, how it is listed, and how it comes back.
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
            title, samples, with: "aria2c", amount: Double(count), unit: "transfers", speed: .atLeast(1))
            + [
                Row(
                    benchCase: title, measure: "memory of the service for each that waits", ours: "",
                    value: Spread(perWaiting), unit: "bytes", goal: .atMost(1024)),
                Row(
                    benchCase: title, measure: "a page of 1000, listed", ours: "",
                    value: Spread(pages.map { $0 * 1000 }),
                    unit: "ms"),
            ]
    }

    /// aria2 has read its list when it answers by RPC that so many wait.
    private static func aria2Reading(_ list: String, count: Int, _ world: World) throws -> Sample {
        let port = try Loopback.freePort()
        let begin = Clock.now
        let child = try ChildRun(arguments: [
            "aria2c", "-q", "--no-conf", "--enable-rpc", "--rpc-listen-port=\(port)", "--pause=true", "-j16", "-d",
            world.place.freshOutput(), "-i", list,
        ]).start()
        defer {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
        let body = #"{"jsonrpc":"2.0","id":"1","method":"aria2.getGlobalStat"}"#
        while Clock.now - begin < 120 {
            let answer = try? ask(port: port, body: body)
            if let answer, answer.contains("\"numWaiting\":\"\(count)\"") {
                let meter = ProcessMeter(pid: child)
                return Sample(wall: Clock.now - begin, cpu: meter.cpu, memory: meter.peak)
            }
            usleep(10_000)
        }
        throw BenchFailure("aria2c did not read its list in two minutes")
    }

    private static func ask(port: UInt16, body: String) throws -> String {
        let socket = try Loopback.connect(port: port)
        defer { close(socket) }
        let request = Array(
            "POST /jsonrpc HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8)
        send(socket, request, request.count, Int32(MSG_NOSIGNAL))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let got = recv(socket, &buffer, buffer.count, 0)
            guard got > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += buffer.prefix(got)
        }
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
                value: Spread(zip(many, few).map { $0 - $1 }), unit: "s", goal: .atMost(1))
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
            let costs = try (0..<world.rounds).map { _ in
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
                    value: Spread(costs.map { $0 / first }),
                    goal: .atMost(1.2)))
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
