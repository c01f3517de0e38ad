import Foundation

/// Many small files from a server with high latency. Each round has a new service without connections, like the peers.
extension BenchCase {
    /// Files a second. A connection and a request take two round trips.
    private static let rates = 1...5_000.0

    static let far = BenchCase(
        name: "far", title: "500 files of 16 KiB over 50 ms, HTTP/2 and HTTP/1.1, against curl -Z and aria2c"
    ) { world in
        let rounds = world.rounds
        return try far(world, FarNetwork.Line()) { network in
            [
                FarContest(
                    title: "500 × 16 KiB over 50 ms, HTTP/2, defaults", url: network.http2, atOnce: nil,
                    peers: [("curl", 50, .atLeast(1)), ("aria2c", 16, .atLeast(3))], rates: rates, rounds: rounds),
                FarContest(
                    title: "500 × 16 KiB over 50 ms, HTTP/1.1, 50 connections", url: network.http, atOnce: 50,
                    peers: [("curl", 50, .atLeast(1)), ("aria2c", 16, .atLeast(3))], rates: rates, rounds: rounds),
                FarContest(
                    title: "500 × 16 KiB over 50 ms, HTTP/1.1, 16 connections", url: network.http, atOnce: 16,
                    peers: [("curl", 16, .atLeast(1)), ("aria2c", 16, nil)], rates: rates, rounds: rounds),
                FarContest(
                    title: "500 × 16 KiB over 50 ms, HTTPS by HTTP/1.1, 50 connections", url: network.https,
                    atOnce: 50, peers: [("curl", 50, .atLeast(1))], rates: rates, rounds: rounds),
            ]
        }
    }

    static let farLossy = BenchCase(
        name: "far-lossy",
        title: "The same over HTTP/2 with 1 % of the packets lost, and with 20 Mbit/s, against curl -Z"
    ) { world in
        // Without headers, 20 Mbit/s are 153 files a second.
        try [
            ("1 % lost", FarNetwork.Line(loss: 1), rates), ("20 Mbit/s", FarNetwork.Line(rate: 20), 1...200.0),
        ].flatMap { name, line, rates in
            try far(world, line) { network in
                [
                    FarContest(
                        title: "500 × 16 KiB over 50 ms, HTTP/2, \(name)", url: network.http2, atOnce: nil,
                        peers: [("curl", 50, nil)], rates: rates, rounds: world.fewRounds)
                ]
            }
        }
    }

    private static func far(
        _ world: World, _ line: FarNetwork.Line, _ contests: (FarNetwork) -> [FarContest]
    ) throws -> [Row] {
        try FarNetwork.reached(world.place, line) { network in
            try contests(network).flatMap { try $0.hold(world, network) }
        }
    }
}

/// One comparison over a far network.
private struct FarContest {
    static let files = 500

    var title: String
    var url: String
    /// Longhaul's limits; its defaults when `nil`.
    var atOnce: Int?
    var peers: [(name: String, atOnce: Int, goal: Goal?)]
    /// The possible files a second.
    var rates: ClosedRange<Double>
    var rounds: Int

    func hold(_ world: World, _ network: FarNetwork) throws -> [Row] {
        let names = try world.place.smallFiles(Self.files).prefix(Self.files)
        let list = try world.place.list("far-urls", names.map { "\(url)small/\($0)" })
        var contestants = [Contest.Contestant(name: "longhaul") { try longhaul(world, network, list) }]
        for peer in peers {
            contestants.append(
                .init(name: peer.name) {
                    let out = try world.place.freshOutput()
                    let curlList = try world.place.list(
                        "far-curl", names.map { "url=\(url)small/\($0)\noutput=\(out)/\($0)" })
                    let command = command(of: peer.name, peer.atOnce, network, list, curlList, out)
                    return try checked(out, files: Self.files) {
                        try ChildRun(arguments: network.near + command).measure()
                    }
                })
        }
        let samples = try Contest(contestants: contestants, rounds: rounds).hold()
        return peers.flatMap {
            Row.comparing(
                title, samples, with: $0.name, amount: Double(Self.files), unit: "files", rates: rates,
                speed: $0.goal)
        } + [Row.memory(title, samples, peers: peers.map(\.name))]
    }

    private func longhaul(_ world: World, _ network: FarNetwork, _ list: String) throws -> Sample {
        let service = try Service(world.place, entering: network.near)
        try service.start()
        defer { service.end() }
        if let atOnce {
            _ = try service.longhaul(["limits", "--total", "\(atOnce)", "--per-host", "\(atOnce)"]).measure()
        }
        let out = try world.place.freshOutput()
        return try checked(out, files: Self.files) {
            try service.measure(["download", "-q", "--cacert", network.certificate, "-d", out, "-i", list])
        }
    }

    private func command(
        of peer: String, _ atOnce: Int, _ network: FarNetwork, _ list: String, _ curlList: String, _ out: String
    ) -> [String] {
        switch peer {
        case "curl":
            [
                "curl", "-sS", "-Z", "--no-progress-meter", "--cacert", network.certificate, "--parallel-max",
                "\(atOnce)", "-K", curlList,
            ]
        default:
            [
                "aria2c", "-q", "--no-conf", "-j\(atOnce)", "--file-allocation=none",
                "--ca-certificate=\(network.certificate)", "-d", out, "-i", list,
            ]
        }
    }
}
