import Glibc
import LonghaulCore
import LonghaulSystem
import TestSupport
import Testing

/// Programs that end in different ways while they are at work on a transfer.
@Suite struct TrapNoteTests {
    enum End: String, Codable, CaseIterable, Sendable {
        case trap, badMemory, deepRecursion, abort
        case killed, raised, sentByAnother, badFile

        static let faults: [End] = [.trap, .badMemory, .deepRecursion, .abort]
        static let strokesOfFate: [End] = [.killed, .raised, .sentByAnother, .badFile]
    }

    private static let id = TransferID(high: 7, low: 9)

    @Test(arguments: End.faults) func aFaultOfTheProgramIsNoted(_ end: End) async throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path + "/traps"
        for times in 1...2 {
            await #expect(processExitsWith: .failure) { [path = path as String, end = end as End] in
                try TrapNoteTests.work(path, end)
            }
            #expect(TrapNotes.entries(in: path) == Array(repeating: TrapEntry(Self.id, .handling), count: times))
        }
    }

    @Test(arguments: End.strokesOfFate) func externalSignalIsNoTrap(_ end: End) async throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path + "/traps"
        await #expect(processExitsWith: .failure) { [path = path as String, end = end as End] in
            try TrapNoteTests.work(path, end)
        }
        #expect(TrapNotes.entries(in: path) == [])
    }

    @Test func aThreadThatIsAtWorkOnNothingNotesNothing() async throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path + "/traps"
        await #expect(processExitsWith: .failure) { [path = path as String] in
            try TrapNotes.begin()
            let place = TrapPlace(path)
            TrapNote(TrapNoteTests.id, .handling).end()
            TrapNoteTests.end(by: .trap, path)
            place.end()
        }
        #expect(TrapNotes.entries(in: path) == [])
    }

    @Test func notesThatStayReplaceTheFile() throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path + "/traps"
        let entries = [TrapEntry(Self.id, .reading), TrapEntry(TransferID(high: 1, low: 2), .handling)]
        try TrapNotes.keep(entries, in: path)
        #expect(TrapNotes.entries(in: path) == entries)
        try TrapNotes.keep([], in: path)
        #expect(Files.isMissing(path))
    }

    private static func work(_ path: String, _ end: End) throws {
        try TrapNotes.begin()
        let place = TrapPlace(path)
        let reading = TrapNote(id, .reading)
        let handling = TrapNote(id, .handling)
        Self.end(by: end, path)
        handling.end()
        reading.end()
        place.end()
    }

    private static func end(by end: End, _ path: String) {
        switch end {
        case .trap: fatalError("on purpose")
        case .badMemory: UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case .deepRecursion: _ = deeper(1)
        case .abort: abort()
        case .killed: kill(getpid(), SIGKILL)
        case .raised: raise(SIGSEGV)
        case .sentByAnother:
            // Any thread may receive it.
            NativeThread { kill(getpid(), SIGABRT) }.detach()
            while true { pause() }
        case .badFile:
            // A file that is mapped and has no such page: as on a disk that cannot be read.
            let file = open(path + ".empty", O_RDWR | O_CREAT, 0o600)
            let page = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
            page?.storeBytes(of: 1, as: Int.self)
        }
    }

    /// The addition after the call prevents an optimization to a loop.
    private static func deeper(_ depth: Int) -> Int { depth == 0 ? 0 : deeper(depth + 1) + depth % 3 }
}
