import Foundation

/// One file from a server that limits each connection to 4 MiB/s.
extension BenchCase {
    static let segments = BenchCase(
        name: "segments",
        title: "1 GiB at 4 MiB/s per connection, default settings and --split 16, against aria2c -x16"
    ) { world in
        let bytes = 1 << 30
        let file = try world.place.bigFile(bytes: bytes)
        let url = "http://127.0.0.1:\(world.servers.http)/each/\((file as NSString).lastPathComponent)"
        let service = try Service.running(world.place)
        defer { service.end() }
        func longhaul(_ name: String, _ options: [String]) -> Contest.Contestant {
            .init(name: name) {
                let out = try world.place.freshOutput() + "/big"
                return try checked(out, bytes: bytes) {
                    try service.measure(["download", "-q", "-o", out, url] + options)
                }
            }
        }
        let samples = try Contest(
            contestants: [
                longhaul("longhaul", ["--split", "16"]), longhaul("longhaul, default", []),
                .init(name: "aria2c") {
                    let out = try world.place.freshOutput()
                    let command = [
                        "aria2c", "-q", "--no-conf", "--file-allocation=none", "-x16", "-s16", "-k1M", "-d", out, "-o",
                        "big", url,
                    ]
                    return try checked(out + "/big", bytes: bytes) { try ChildRun(arguments: command).measure() }
                },
            ], rounds: world.fewRounds
        ).hold { try world.place.clear() }
        // 16 connections have 0.063 GiB/s, and more at their start.
        let rates = 0.002...0.25
        let byDefault = "longhaul, default"
        var slowest = samples.speed(of: byDefault, against: "aria2c")
        slowest.median = slowest.low
        return Row.comparing(
            "1 GiB, 4 MiB/s per connection, --split 16", samples, with: "aria2c", amount: 1, unit: "GiB",
            rates: rates, speed: .atLeast(1))
            + Row.comparing(
                "the same with default settings", samples, with: "aria2c", amount: 1, unit: "GiB", rates: rates,
                speed: .atLeast(0.85), ours: byDefault)
            + [
                // One connection for the whole file is 0.07 times as fast.
                Row(
                    benchCase: "the same, slowest round", measure: "speed", ours: "", value: slowest,
                    possible: 0.01...100, goal: .atLeast(0.3))
            ]
    }
}
