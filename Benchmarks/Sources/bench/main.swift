// Runs Longhaul and its peers side by side on this machine, and writes what they took.
import Foundation

signal(SIGPIPE, SIG_IGN)

func machine(_ world: World) throws -> String {
    let file = try world.place.bigFile(bytes: 1 << 30)
    let gibibytes = { (rate: Double) in "\((rate / gibibyte).short) GiB/s" }
    let loopback = Spread(
        try (0..<5).map { _ in
            try Machine.loopbackRate(file: file, port: world.servers.http, bytes: 1 << 30)
        })
    let writing = Spread(
        try (0..<3).map { _ in
            Machine.settle()
            return try Machine.writeRate(directory: world.place.path, bytes: 1 << 30)
        })
    let syncs = Spread(try (0..<3).map { _ in try Machine.syncsPerSecond(directory: world.place.path) })
    return "The machine: \(ProcessInfo.processInfo.activeProcessorCount) processors; loopback "
        + "\(gibibytes(loopback.median)) (\(gibibytes(loopback.low)) to \(gibibytes(loopback.high))); "
        + "file writes \(gibibytes(writing.median)) (\(gibibytes(writing.low)) to \(gibibytes(writing.high))); "
        + "\(syncs.median.short) synced pages a second."
}

func run() throws {
    guard let arguments = try Arguments(Array(CommandLine.arguments.dropFirst())) else { return }
    let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    let place = try Place(products: products)
    defer { place.remove() }
    let servers = try Servers(place)
    defer { servers.stop() }
    let world = World(place: place, servers: servers, rounds: arguments.rounds)
    var budget = Budget()
    let limits = try machine(world)
    budget.note("the machine itself")
    var results = Results()
    for item in arguments.cases {
        results.add(item.name) { try item.run(world) }
        print(budget.note(item.name))
        fflush(nil)
    }
    try place.clear()
    budget.note("taking away what was written")
    let table = Table.markdown(results.rows, commit: arguments.commit, machine: limits)
    print("\n" + table + "\n" + budget.text)
    if let output = arguments.output {
        try place.makeDirectory(output)
        try table.write(toFile: output + "/table.md", atomically: true, encoding: .utf8)
    }
    try results.check()
}

do {
    try run()
} catch {
    FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
    exit(1)
}
