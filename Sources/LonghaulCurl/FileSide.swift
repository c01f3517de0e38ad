import LonghaulCore
import LonghaulFiles

/// The threads that write, sync, and close files for the network thread.
struct FileSide {
    /// The available paths for bodies.
    let paths: BodyPathRule
    let workers: FileWorkers
    let writers: WriterBudget
    /// The mailbox for reports to the network thread.
    let mailbox: Mailbox

    func sync(_ target: PartialTarget, length: Int64, of exchange: Exchange) {
        let (mailbox, ticket) = (mailbox, exchange.ticket)
        workers.sync(target, length: length) { mailbox.post(.synced(ticket, $0)) }
    }

    /// Returns a thread that writes this exchange's chunks; `nil` if there are too many already.
    func makeWriter(of target: PartialTarget, for exchange: Exchange) -> PieceWriter? {
        let (mailbox, ticket) = (mailbox, exchange.ticket)
        return workers.makeWriter(
            of: target, budget: writers, onRoom: { mailbox.post(.roomToWrite(ticket)) },
            onEnd: { mailbox.post(.closed(ticket, $0)) })
    }

    /// Makes libcurl offer paused data again, from outside its callback.
    func comeAgain(_ exchange: Exchange) { mailbox.post(.roomToWrite(exchange.ticket)) }

    func close(_ file: PartialFile, of exchange: Exchange) {
        if let writer = file.writer { return writer.end() }
        let (mailbox, ticket) = (mailbox, exchange.ticket)
        workers.close(file) { mailbox.post(.closed(ticket, $0)) }
    }

    /// Keeps a complete body until it is moved into place. Returns `false` if there is no room for it.
    func hold(_ file: PartialFile) -> Bool { workers.hold(file) }

    func forgetHeld(path: String) { workers.forgetHeld(path: path) }
}
