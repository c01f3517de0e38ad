import CCurl
import LonghaulCore
import LonghaulFiles

// What the network thread looks after while an exchange runs.
extension Exchange {
    /// How often this exchange wants to be looked at, in nanoseconds.
    var lookInterval: Int64 {
        if case .asking(.keepingRefusal) = machine.phase { return 250_000_000 }
        // Among very many that would be work for a processor of its own.
        if let crew, !isHelper, !thread.isCrowded { return crew.machine.lookInterval }
        return SilenceWatch(exchange: self).shortestLimit / 4
    }

    /// Ends an exchange that has been silent for too long. What it has received does not wait in memory for more.
    func look() {
        if let crew, !isHelper { crew.look() }
        guard let easy = wire.easy else { return }
        receiver.writer?.offer(from: PieceWriter.least)
        if case .asking(.keepingRefusal(_, let until)) = machine.phase, thread.now >= until {
            return conclude(stop: .enough)
        }
        if let failure = SilenceWatch(exchange: self).failure(easy) { conclude(stop: .failure(failure)) }
    }

    /// Whether the body has left completely, or never will; then there is nothing more to watch.
    func hasDrained() -> Bool {
        guard let easy = wire.easy, let body, machine.head == nil, case .due(let time) = report else { return true }
        // Begun again on another connection: libcurl will take the last byte once more.
        guard body.position == body.length else { return true }
        guard thread.now >= time, easy.offset(CURLINFO_SIZE_UPLOAD_T) + (direct?.sent ?? 0) >= body.length else {
            return false
        }
        report = .done
        progress.moved(sent: body.length, at: thread.now)
        thread.emit(ticket, .bodySent)
        return true
    }

    /// The final response is there and the rest of the body is not wanted: the connection cannot be used again.
    func stopSending() {
        // It may be at its next request by now.
        guard let easy = wire.easy, machine.head != nil else { return }
        direct?.drop()
        easy.set(CURLOPT_FORBID_REUSE, 1)
        goOn()
    }

    /// Lets go of everything without a report.
    func abandon(_ workers: FileWorkers) {
        direct?.drop()
        thread.yielding.remove(self)
        if let easy = wire.easy { thread.remove(easy, canBeReused: false) }
        switch receiver {
        case .nobody, .comparing: break
        case .writing(let file), .settling(let file):
            // What cannot be written now is asked of the server again.
            guard let writer = file.writer else { return workers.finish(file) }
            writer.end()
            writer.join()
        case .closing(let writer): writer?.join()
        }
    }

    /// The connection, whoever moves its bytes.
    var descriptor: Int32? { direct?.descriptor ?? wire.socket }
}
