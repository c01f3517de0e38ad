import Foundation

/// One file of 4 GiB, each way, with and without TLS.
extension BenchCase {
    static let download = BenchCase(name: "download", title: "4 GiB download over HTTP, against curl") { world in
        try big(
            world, "4 GiB download, HTTP", port: world.servers.http, rates: Possible.loopbackRates,
            speed: .atLeast(2), cpu: .atMost(0.4), memory: .atMost(64))
    }

    static let downloadPeers = BenchCase(
        name: "download-peers", title: "1 GiB download over HTTP, against wget2, aria2c and rclone"
    ) { world in
        try big(
            world, "1 GiB download, HTTP", bytes: 1 << 30, port: world.servers.http, rates: Possible.loopbackRates,
            peers: ["wget2", "aria2c", "rclone"], rounds: world.fewRounds)
    }

    static let downloadTLS = BenchCase(name: "download-tls", title: "4 GiB download over TLS, against curl") { world in
        try big(
            world, "4 GiB download, TLS", port: world.servers.https, rates: Possible.loopbackRates,
            speed: .atLeast(1.05), cpu: .atMost(0.95))
    }

    static let upload = BenchCase(name: "upload", title: "4 GiB upload over HTTP to a sink, against curl -T") { world in
        try bigUpload(
            world, "4 GiB upload, HTTP", url: "http://127.0.0.1:\(world.servers.sink)/",
            rates: Possible.loopbackRates, speed: .atLeast(2), cpu: .atMost(0.55), barePort: world.servers.sink)
    }

    static let uploadTLS = BenchCase(name: "upload-tls", title: "4 GiB upload over TLS to a sink, against curl -T") {
        world in
        try bigUpload(
            world, "4 GiB upload, TLS", url: "https://127.0.0.1:\(world.servers.sinkTLS)/",
            rates: Possible.loopbackRates, speed: .atLeast(1.05), cpu: .atMost(0.95))
    }

    static let tus = BenchCase(name: "tus", title: "4 GiB by tus in one PATCH, against a plain PUT by Longhaul") {
        world in
        let file = try world.place.bigFile(bytes: bigBytes)
        let service = try Service.running(world.place)
        defer { service.end() }
        let samples = try Contest(
            contestants: [
                .init(name: "longhaul") {
                    try service.measure(["upload", "-q", "--tus", file, "http://127.0.0.1:\(world.servers.sink)/tus"])
                },
                .init(name: "plain PUT") {
                    try service.measure(["upload", "-q", file, "http://127.0.0.1:\(world.servers.sink)/put"])
                },
            ], rounds: world.rounds
        ).hold()
        return Row.comparing(
            "4 GiB upload by tus", samples, with: "plain PUT", amount: Double(bigBytes) / gibibyte, unit: "GiB",
            rates: Possible.loopbackRates, speed: .atLeast(0.98))
    }

    /// The goals are relative to curl.
    private static func big(
        _ world: World, _ title: String, bytes: Int = bigBytes, port: UInt16, rates: ClosedRange<Double>,
        speed: Goal? = nil, cpu: Goal? = nil, memory: Goal? = nil, peers: [String] = ["curl"], rounds: Int? = nil
    ) throws -> [Row] {
        let file = try world.place.bigFile(bytes: bytes)
        let scheme = port == world.servers.https ? "https" : "http"
        let url = "\(scheme)://127.0.0.1:\(port)/\((file as NSString).lastPathComponent)"
        let service = try Service.running(world.place)
        defer { service.end() }
        let trust = ["--cacert", world.servers.certificate]
        var contestants = [
            Contest.Contestant(name: "longhaul") {
                let out = try world.place.freshOutput() + "/big"
                return try checked(out, bytes: bytes) {
                    try service.measure(["download", "-q", "-o", out, url] + trust)
                }
            }
        ]
        for peer in peers {
            contestants.append(
                .init(name: peer) {
                    let out = try world.place.freshOutput()
                    let command = command(of: peer, url, out, trust)
                    return try checked(out + "/big", bytes: bytes) { try ChildRun(arguments: command).measure() }
                })
        }
        let samples = try Contest(contestants: contestants, rounds: rounds ?? world.rounds).hold {
            try world.place.clear()
        }
        let rows = peers.flatMap {
            Row.comparing(
                title, samples, with: $0, amount: Double(bytes) / gibibyte, unit: "GiB", rates: rates, speed: speed,
                cpu: cpu)
        }
        return rows + [Row.memory(title, samples, peers: peers, goal: memory)]
    }

    private static func command(of peer: String, _ url: String, _ out: String, _ trust: [String]) -> [String] {
        switch peer {
        case "curl": ["curl", "-sS", "--http1.1", "-o", out + "/big", url] + trust
        case "wget2": ["wget2", "-q", "--no-config", "-O", out + "/big", url]
        case "aria2c": ["aria2c", "-q", "--no-conf", "--file-allocation=none", "-d", out, "-o", "big", url]
        default: ["rclone", "-q", "--config", "/dev/null", "copyurl", url, out + "/big"]
        }
    }

    private static func bigUpload(
        _ world: World, _ title: String, url: String, rates: ClosedRange<Double>, speed: Goal, cpu: Goal,
        barePort: UInt16? = nil
    ) throws -> [Row] {
        let file = try world.place.bigFile(bytes: bigBytes)
        let service = try Service.running(world.place)
        defer { service.end() }
        let trust = ["--cacert", world.servers.certificate]
        var contestants = [
            Contest.Contestant(name: "longhaul") { try service.measure(["upload", "-q", file, url + "ours"] + trust) },
            .init(name: "curl") {
                try ChildRun(arguments: ["curl", "-sS", "--http1.1", "-f", "-T", file, url + "theirs"] + trust)
                    .measure()
            },
        ]
        if let barePort {
            contestants.append(
                .init(name: Row.bareProgram) {
                    try ChildRun(arguments: [world.place.products + "/bare-uploader", file, "\(barePort)"]).measure()
                })
        }
        let samples = try Contest(contestants: contestants, rounds: world.rounds).hold()
        let gibibytes = Double(bigBytes) / gibibyte
        var rows = Row.comparing(
            title, samples, with: "curl", amount: gibibytes, unit: "GiB", rates: rates, speed: speed, cpu: cpu)
        if barePort != nil {
            rows += Row.comparing(
                title, samples, with: Row.bareProgram, amount: gibibytes, unit: "GiB", rates: rates)
            rows.append(.bare(samples, amount: gibibytes, unit: "GiB", rates: rates, against: "curl"))
        }
        return rows + [Row.memory(title, samples, peers: ["curl"])]
    }
}
