import LonghaulCore

/// The threads that write, sync and close files for the network thread, and what they keep together with it.
struct FileSide {
    /// Which ways there are for bodies.
    let paths: BodyPathRule
    let workers: FileWorkers
    let memory: DigestMemory
    let bodies: HeldBodies
    let writers: WriterBudget
    /// Where they tell the network thread what they have done.
    let mailbox: Mailbox

    func sync(_ target: PartialTarget, length: Int64, of exchange: Exchange) {
        workers.checkpoint(exchange.ticket, target, length: length)
    }

    /// A thread that writes what comes for this exchange; `nil` when there are too many already.
    func makeWriter(of target: PartialTarget, for exchange: Exchange) -> PieceWriter? {
        let ticket = exchange.ticket
        let mailbox = mailbox
        return PieceWriter(
            target: target, budget: writers, memory: memory, onRoom: { mailbox.post(.roomToWrite(ticket)) },
            onEnd: { mailbox.post(.closed(ticket, $0)) })
    }

    /// Has libcurl offer paused data once more, from outside its callback.
    func comeAgain(_ exchange: Exchange) { mailbox.post(.roomToWrite(exchange.ticket)) }

    func close(_ file: PartialFile, of exchange: Exchange) {
        if let writer = file.writer { return writer.end() }
        workers.add(.close(exchange.ticket, file))
    }

    /// Keeps a complete body until it is placed; `false` when there is no room for it.
    func hold(_ file: PartialFile) -> Bool { bodies.hold(file) }

    func forgetHeld(path: String) { bodies.forget(path: path) }
}
