import Foundation

/// One file from a server that is far away, over a line that loses packets.
extension BenchCase {
    static let farBig = BenchCase(
        name: "far-big",
        title:
            "256 MiB over 50 ms with 0.1 % of the packets lost, HTTP/1.1 and HTTP/2, against aria2c -x16, curl and wget2"
    ) { world in
        try FarNetwork.reached(world.place, FarNetwork.Line(loss: 0.1)) { network in
            try farBig(world, network, "HTTP/1.1", network.http, peers: ["aria2c", "curl", "wget2"])
                + farBig(world, network, "HTTP/2", network.http2, peers: ["aria2c", "curl"])
        }
    }

    /// Each round has a new service without connections, like the peers.
    private static func farBig(
        _ world: World, _ network: FarNetwork, _ version: String, _ base: String, peers: [String]
    ) throws -> [Row] {
        let bytes = 256 << 20
        let url = base + (try world.place.bigFile(bytes: bytes) as NSString).lastPathComponent
        func longhaul(_ name: String, _ options: [String]) -> Contest.Contestant {
            .init(name: name) {
                let service = try Service(world.place, entering: network.near)
                try service.start()
                defer { service.end() }
                let out = try world.place.freshOutput() + "/big"
                let command = ["download", "-q", "--cacert", network.certificate, "-o", out, url]
                return try checked(out, bytes: bytes) { try service.measure(command + options) }
            }
        }
        let contestants =
            [longhaul("longhaul", []), longhaul("longhaul --split 16", ["--split", "16"])]
            + peers.map { peer in
                Contest.Contestant(name: peer) {
                    let out = try world.place.freshOutput()
                    let command = network.near + command(of: peer, url, out, network.certificate)
                    return try checked(out + "/big", bytes: bytes) { try ChildRun(arguments: command).measure() }
                }
            }
        let samples = try Contest(contestants: contestants, rounds: world.fewRounds).hold { try world.place.clear() }
        let title = "256 MiB over 50 ms, 0.1 % lost, \(version)"
        let amount = Double(bytes) / gibibyte
        // The upper limit is the whole file in five round trips.
        let rates = 0.0001...1.0
        return peers.flatMap { peer in
            Row.comparing(title, samples, with: peer, amount: amount, unit: "GiB", rates: rates, speed: .atLeast(1))
                + Row.comparing(
                    "\(title), --split 16", samples, with: peer, amount: amount, unit: "GiB", rates: rates,
                    speed: .atLeast(1), ours: "longhaul --split 16")
        }
    }

    private static func command(of peer: String, _ url: String, _ out: String, _ certificate: String) -> [String] {
        switch peer {
        case "curl": ["curl", "-sS", "--cacert", certificate, "-o", out + "/big", url]
        case "wget2": ["wget2", "-q", "--no-config", "--ca-certificate=\(certificate)", "-O", out + "/big", url]
        default:
            [
                "aria2c", "-q", "--no-conf", "--ca-certificate=\(certificate)", "--file-allocation=none", "-x16",
                "-s16", "-k1M", "-d", out, "-o", "big", url,
            ]
        }
    }
}
