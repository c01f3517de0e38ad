import CCurl
import LonghaulCore
import LonghaulFiles

// Checks of the network thread while an exchange runs.
extension Exchange {
    /// The interval between checks of this exchange, in nanoseconds.
    var checkInterval: Int64 {
        if case .asking(.keepingRefusal) = machine.phase { return 250_000_000 }
        // With very many exchanges, that would use a whole processor.
        if let segmentPool, !isHelper, !thread.isCrowded { return segmentPool.machine.checkInterval }
        return SilenceWatch(exchange: self).shortestLimit / 4
    }

    /// Ends an exchange that has been silent for too long. Received bytes do not wait in memory for more.
    func endIfSilent() {
        if let segmentPool, !isHelper { segmentPool.measure() }
        guard let easy = wire.easy else { return }
        receiver.writer?.offer(from: PieceWriter.least)
        if case .asking(.keepingRefusal(_, let until)) = machine.phase, thread.now >= until {
            return conclude(stop: .enough)
        }
        if let failure = SilenceWatch(exchange: self).failure(easy) { conclude(stop: .failure(failure)) }
    }

    /// Returns whether the body has been sent completely, or never will be, so that there is nothing more to check.
    func hasDrained() -> Bool {
        guard let easy = wire.easy, let body, machine.head == nil, case .due(let time) = report else { return true }
        // The body was restarted on another connection: libcurl will take the last byte again.
        guard body.position == body.length else { return true }
        guard thread.now >= time, easy.offset(CURLINFO_SIZE_UPLOAD_T) + (direct?.sent ?? 0) >= body.length else {
            return false
        }
        report = .done
        progress.moved(sent: body.length, at: thread.now)
        thread.emit(ticket, .bodySent)
        return true
    }

    /// Stops sending after the final response: the rest of the body is not needed, and the connection cannot be reused.
    func stopSending() {
        // By now, the exchange may be at its next request.
        guard let easy = wire.easy, machine.head != nil else { return }
        direct?.drop()
        easy.set(CURLOPT_FORBID_REUSE, 1)
        proceed()
    }

    /// Releases all resources without a report.
    func abandon(_ workers: FileWorkers) {
        direct?.drop()
        thread.yielding.remove(self)
        if let easy = wire.easy { thread.remove(easy, canBeReused: false) }
        switch receiver {
        case .nobody, .comparing: break
        case .writing(let file), .settling(let file):
            // Bytes that cannot be written now are requested from the server again.
            guard let writer = file.writer else { return workers.finish(file) }
            writer.end()
            writer.join()
        case .closing(let writer): writer?.join()
        }
    }

    /// The socket of the connection, on either path.
    var descriptor: Int32? { direct?.descriptor ?? wire.socket }
}
