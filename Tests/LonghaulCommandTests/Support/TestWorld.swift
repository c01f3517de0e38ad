import Glibc
import LonghaulCore
import Synchronization

@testable import LonghaulCommand

/// A world in memory: a scripted service, a captured console, a fixed clock, and signals that the test sends.
final class TestWorld: Sendable {
    let service: ScriptedService
    /// The number of connection attempts, and how many of the first ones fail.
    let connections = Mutex(0)
    /// The path of the service's program; `nil` if it cannot be found.
    let program = Mutex<String?>("/libexec/longhauld")
    /// The logout check's result, and the executed system commands, which succeed.
    let logout = Mutex(LogoutExamination(user: "ada", hasSystemd: true, lingers: true, units: .enabled))
    let performed = Mutex<[[String]]>([])
    /// The exit status of system commands.
    let performance = Mutex<Int32>(0)
    /// The answer to a question on the terminal.
    let confirmation = Mutex(true)
    private let output = Mutex<[UInt8]>([])
    private let error = Mutex<[UInt8]>([])
    private let signalStream: AsyncStream<Signal>
    private let signalContinuation: AsyncStream<Signal>.Continuation

    init(_ service: ScriptedService = ScriptedService()) {
        self.service = service
        (signalStream, signalContinuation) = AsyncStream<Signal>.makeStream()
    }

    var printed: String { String(decoding: output.withLock { $0 }, as: UTF8.self) }
    var said: String { String(decoding: error.withLock { $0 }, as: UTF8.self) }
    var printedLines: [String] { printed.split(separator: "\n").map(String.init) }
    var saidLines: [String] { said.split(separator: "\n").map(String.init) }

    func send(_ signal: Signal) {
        signalContinuation.yield(signal)
    }

    func console(canRedraw: Bool = false, isOutputTerminal: Bool = false) -> Console {
        Console(
            writeOutput: { bytes in self.output.withLock { $0 += bytes } },
            writeError: { bytes in self.error.withLock { $0 += bytes } }, isOutputTerminal: isOutputTerminal,
            canRedraw: canRedraw, usesColour: false, size: { Console.Size(columns: 80, rows: 24) })
    }

    func world(
        directory: String = "/", input: Int32 = -1, canRedraw: Bool = false, failingConnections: Range<Int> = 0..<0
    ) -> World {
        var world = World(
            environment: [:], directory: directory, console: console(canRedraw: canRedraw), input: input,
            now: { start }, random: { 7 }, pause: { _ in await Task.yield() }, signals: { self.signalStream },
            connect: { _ throws(TransferFailure) in
                let number = self.connections.withLock { count in
                    count += 1
                    return count - 1
                }
                if failingConnections.contains(number) { throw .serviceGone }
                return self.service
            },
            locateService: { () throws(TransferFailure) in
                guard let program = self.program.withLock({ $0 }) else { throw .notInstalled }
                return program
            },
            inspect: { path, _ throws(TransferFailure) in
                guard !path.hasSuffix("missing") else {
                    throw TransferFailure(.sourceMissing, "there is no file \(path)", origin: .system(2))
                }
                return SourceFile(path: path, pin: SourcePin(size: 3, modified: 1, inode: 2, device: 3))
            },
            stage: { _, _ throws(TransferFailure) in
                SourceFile(path: "/staged/1", pin: SourcePin(size: 3, modified: 1, inode: 2, device: 3), isStaged: true)
            },
            promptPassword: { _ throws(TransferFailure) in "open sesame" },
            confirm: { question, _ throws(TransferFailure) in
                self.error.withLock { $0 += Array((question + "\n").utf8) }
                return self.confirmation.withLock { $0 }
            },
            perform: perform, examineLogout: { self.logout.withLock { $0 } }, zone: { _ in 3_600 })
        // The output of the test itself may be a pipe.
        world.output = -1
        return world
    }

    private func perform(_ command: [String]) -> Int32 {
        performed.withLock { $0.append(command) }
        let status = performance.withLock { $0 }
        if status == 0 {
            logout.withLock { if command[0] == "loginctl" { $0.lingers = true } else { $0.units = .enabled } }
        }
        return status
    }

    /// Runs a command line.
    func run(_ words: String..., directory: String = "/") async -> Int32 {
        await run(list: words, directory: directory)
    }

    /// Runs a list of words.
    func run(list words: [String], directory: String = "/") async -> Int32 {
        await Program(world: world(directory: directory)).run(words)
    }
}

/// A separate directory, deleted at the end of the test.
final class Scratch {
    let path: String

    init() {
        var template = Array("/tmp/longhaul-command-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { fatalError("mkdtemp failed: \(String(cString: strerror(errno)))") }
        path = String(cString: made)
    }

    deinit {
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        for name in names(in: path) where unlink(path + "/" + name) != 0 { remove(path + "/" + name) }
        rmdir(path)
    }

    var names: [String] { Self.names(in: path) }

    static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    func write(_ text: String, to name: String) throws(TransferFailure) {
        try LocalFiles.write(Array(text.utf8), to: path + "/" + name, overwrites: true)
    }
}
