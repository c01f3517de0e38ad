import Foundation

/// An idle service after its work.
extension BenchCase {
    static let idle = BenchCase(
        name: "idle", title: "Half a minute of doing nothing after much work, against aria2c --enable-rpc"
    ) { world in
        let names = try world.place.smallFiles(2_000)
        let big = try world.place.bigFile(bytes: 1 << 30)
        let server = "http://127.0.0.1:\(world.servers.http)/"
        let bigURL = server + (big as NSString).lastPathComponent
        let list = try world.place.list("work", names.map { server + "small/" + $0 } + [bigURL])
        let service = try Service.running(world.place)
        defer { service.end() }
        let aria = try Aria2(["-q", "-j16", "--file-allocation=none", "-d", world.place.freshOutput(), "-i", list])
        defer { aria.end() }
        try aria.wait(until: #""numActive":"0""#, #""numWaiting":"0""#)
        try work(service, world, list: list, big: big)
        try world.place.beginClearing()
        // By then, all memory that can be released was released.
        sleep(10)
        let (ours, theirs) = (service.meter, aria.meter)
        let before = (ours.wakeUps, theirs.wakeUps)
        sleep(30)
        let aMinute = ((ours.wakeUps - before.0) * 2, (theirs.wakeUps - before.1) * 2)
        let title = "idle service, after 2004 transfers"
        return [
            Row(
                benchCase: title, measure: "wake-ups a minute", ours: "\(aMinute.0)", peer: "aria2c: \(aMinute.1)",
                value: Spread([Double(aMinute.0)]), unit: "/min", goal: .atMost(2)),
            Row(
                benchCase: title, measure: "memory", ours: "\((ours.resident / 1e6).short) MB",
                peer: "aria2c: \((theirs.resident / 1e6).short) MB", value: Spread([ours.resident / 1e6]), unit: "MB",
                goal: .atMost(20)),
        ]
    }

    /// The work that aria2 did as well, and both directions over TLS.
    private static func work(_ service: Service, _ world: World, list: String, big: String) throws {
        let trust = ["--cacert", world.servers.certificate]
        let name = (big as NSString).lastPathComponent
        let downloads = [
            ["-d", try world.place.freshOutput(), "-i", list],
            ["-d", try world.place.freshOutput(), "https://127.0.0.1:\(world.servers.https)/\(name)"] + trust,
        ]
        for arguments in downloads { _ = try service.longhaul(["download", "-q"] + arguments).measure() }
        let uploads = [
            [big, "http://127.0.0.1:\(world.servers.sink)/up"],
            [big, "https://127.0.0.1:\(world.servers.sinkTLS)/up"] + trust,
        ]
        for arguments in uploads { _ = try service.longhaul(["upload", "-q"] + arguments).measure() }
    }
}
