import Foundation

/// Many files of 16 KiB, in each direction, 16 and 64 at once.
extension BenchCase {
    /// Files a second. Even 5,000 files take more than 20 ms.
    private static let rates = 10...250_000.0

    static let smallDown = BenchCase(
        name: "small-down", title: "20 000 files of 16 KiB down, 16 at once, against curl -Z, wget2, aria2c, URLSession"
    ) { world in
        try down(
            world, atOnce: 16,
            peers: [
                ("curl", 20_000, .atLeast(1.2)), ("wget2", 20_000, .atLeast(1.6)), (Row.bareProgram, 20_000, nil),
                ("aria2c", 5_000, .atLeast(4)), ("URLSession", 5_000, .atLeast(7)),
            ])
    }

    static let smallDown64 = BenchCase(
        name: "small-down-64", title: "5 000 files of 16 KiB down, 64 at once, against curl -Z"
    ) { world in
        try down(world, atOnce: 64, peers: [("curl", 5_000, nil)], rounds: world.fewRounds)
    }

    static let smallUp = BenchCase(
        name: "small-up", title: "20 000 files of 16 KiB up, 16 at once, against curl -Z"
    ) { world in
        try up(world, 20_000, atOnce: 16, goal: .atLeast(1.1), rounds: world.rounds)
    }

    static let smallUp64 = BenchCase(
        name: "small-up-64", title: "5 000 files of 16 KiB up, 64 at once, against curl -Z"
    ) { world in
        try up(world, 5_000, atOnce: 64, goal: nil, rounds: world.fewRounds)
    }

    /// Peers that are far slower move fewer files; Longhaul then moves as few against them.
    private static func down(
        _ world: World, atOnce: Int, peers: [(name: String, files: Int, goal: Goal?)], rounds: Int? = nil
    ) throws -> [Row] {
        let names = try world.place.smallFiles(20_000)
        let base = "http://127.0.0.1:\(world.servers.http)/small/"
        var rows: [Row] = []
        for files in Set(peers.map(\.files)).sorted(by: >) {
            let names = names.prefix(files)
            let list = try world.place.list("urls-\(files)", names.map { base + $0 })
            let service = try Service.running(world.place, total: atOnce, perHost: atOnce)
            defer { service.end() }
            var contestants = [
                Contest.Contestant(name: "longhaul") {
                    try service.forget()
                    let out = try world.place.freshOutput()
                    return try checked(out, files: files) {
                        try service.measure(["download", "-q", "-d", out, "-i", list])
                    }
                }
            ]
            let rivals = peers.filter { $0.files == files }
            for rival in rivals {
                contestants.append(
                    .init(name: rival.name) {
                        let out = try world.place.freshOutput()
                        let curlList = try world.place.list(
                            "curl-list", names.map { "url=\(base)\($0)\noutput=\(out)/\($0)" })
                        let command = command(of: rival.name, world, list, curlList, out, atOnce)
                        return try checked(out, files: files) { try ChildRun(arguments: command).measure() }
                    })
            }
            let samples = try Contest(contestants: contestants, rounds: rounds ?? world.rounds).hold()
            let title = "\(files) × 16 KiB down, \(atOnce) at once"
            for rival in rivals {
                rows += Row.comparing(
                    title, samples, with: rival.name, amount: Double(files), unit: "files", rates: rates,
                    speed: rival.goal)
            }
            if rivals.contains(where: { $0.name == Row.bareProgram }) {
                rows += rivals.map(\.name).filter { $0 != Row.bareProgram }.map {
                    .bare(samples, amount: Double(files), unit: "files", rates: rates, against: $0)
                }
            }
            rows.append(Row.memory(title, samples, peers: rivals.map(\.name)))
        }
        return rows
    }

    private static func command(
        of peer: String, _ world: World, _ list: String, _ curlList: String, _ out: String, _ atOnce: Int
    ) -> [String] {
        switch peer {
        case "curl": ["curl", "-sS", "-Z", "--no-progress-meter", "--parallel-max", "\(atOnce)", "-K", curlList]
        case Row.bareProgram: [world.place.products + "/bare-downloader", list, out, out + ".store", "\(atOnce)"]
        case "wget2": ["wget2", "-q", "--no-config", "--max-threads=\(atOnce)", "-P", out, "-i", list]
        case "aria2c":
            ["aria2c", "-q", "--no-conf", "-j\(atOnce)", "--file-allocation=none", "-d", out, "-i", list]
        default: [world.place.products + "/urlsession-peer", list, out, "\(atOnce)"]
        }
    }

    private static func up(
        _ world: World, _ count: Int, atOnce: Int, goal: Goal?, rounds: Int
    ) throws -> [Row] {
        let names = try world.place.smallFiles(count)
        let files = names.map { world.place.path + "/www/small/" + $0 }
        let url = "http://127.0.0.1:\(world.servers.sink)/up/"
        let curlList = try world.place.list(
            "curl-up", zip(files, names).map { "upload-file=\($0)\nurl=\(url)\($1)\noutput=/dev/null" })
        let service = try Service.running(world.place, total: atOnce, perHost: atOnce)
        defer { service.end() }
        let samples = try Contest(
            contestants: [
                .init(name: "longhaul") {
                    try service.forget()
                    return try service.measure(["upload", "-q"] + files + [url])
                },
                .init(name: "curl") {
                    try ChildRun(
                        arguments: [
                            "curl", "-sS", "-f", "-Z", "--no-progress-meter", "--parallel-max", "\(atOnce)", "-K",
                            curlList,
                        ]
                    ).measure()
                },
            ], rounds: rounds
        ).hold()
        let title = "\(count) × 16 KiB up, \(atOnce) at once"
        return Row.comparing(
            title, samples, with: "curl", amount: Double(count), unit: "files", rates: rates, speed: goal)
            + [Row.memory(title, samples, peers: ["curl"])]
    }
}
