import LonghaulCore
import LonghaulFiles

/// The real file engine, which counts its jobs so that a test can wait for them.
final class CountedFiles: FileEngine {
    /// Identifies the jobs of one session.
    final class Tally: Sendable {}

    private let files: FileWorkers
    private let tally = Tally()
    private let board: EngineMonitor

    init(board: EngineMonitor, sink: @escaping FileWorkers.Sink) throws(TransferFailure) {
        self.board = board
        files = try FileWorkers { [tally] events in
            sink(events)
            board.endFileJobs(events.count { $0.1.isEnding }, tally)
        }
    }

    func start(_ work: FileWork, as ticket: Ticket) {
        board.beginFileJob(tally)
        files.start(work, as: ticket)
    }

    func interrupt(_ ticket: Ticket) { files.interrupt(ticket) }

    /// Jobs whose results are no longer delivered are not waited for.
    func shutDown() {
        files.shutDown()
        board.remove(tally)
    }
}
