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
        // The session closes after ten seconds without work, and its threads end. Five seconds later, memory is released.
        sleep(20)
        var (ours, theirs) = (try WakeUps(of: service.pid), try WakeUps(of: aria.meter.pid))
        for _ in 0..<30 {
            sleep(1)
            try ours.update()
            try theirs.update()
        }
        return [
            row(
                "wake-ups a minute", Double(ours.count * 2), Double(theirs.count * 2), possible: 0...60_000, "/min",
                .atMost(2)),
            row(
                "memory", service.meter.resident / 1e6, aria.meter.resident / 1e6, possible: 1...1_000, "MB",
                .atMost(20)),
        ]
    }

    private static func row(
        _ measure: String, _ ours: Double, _ theirs: Double, possible: ClosedRange<Double>, _ unit: String,
        _ goal: Goal
    ) -> Row {
        Row(
            benchCase: "idle service, after 2004 transfers", measure: measure, ours: "\(ours.short) \(unit)",
            peer: "aria2c: \(theirs.short) \(unit)", value: Spread([ours]), possible: possible, unit: unit,
            goal: goal,
            parts: [Reading(name: "\(measure) of aria2c", value: Spread([theirs]), possible: possible, unit: unit)])
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
