import LonghaulCore
import LonghaulFiles
import Synchronization
import TestSupport

/// The file threads and a directory of one test, and the log of all their events.
final class FileWorld: Sendable {
    private struct Entry: Sendable {
        var ticket: Ticket
        var event: EngineEvent
    }

    let directory: TemporaryDirectory
    let files: FileWorkers
    private let log = TestSupport.Mailbox<Entry>()
    private let lastTicket = Atomic<UInt64>(0)

    init() throws {
        directory = try TemporaryDirectory()
        let log = log
        files = try FileWorkers { batch in
            for (ticket, event) in batch { log.append(Entry(ticket: ticket, event: event)) }
        }
    }

    deinit { files.shutDown() }

    var partial: String { directory.path("file.part") }

    func contentOfPartial() throws -> [UInt8] { try directory.read("file.part") }

    func start(_ work: FileWork) -> Ticket {
        let ticket = Ticket(lastTicket.add(1, ordering: .relaxed).newValue)
        files.start(work, as: ticket)
        return ticket
    }

    func ending(of ticket: Ticket) throws -> EngineEvent {
        try log.next { $0.ticket == ticket && $0.event.isEnding }.event
    }

    func run(_ work: FileWork) throws -> EngineEvent { try ending(of: start(work)) }
}
