import LonghaulCore
import LonghaulFiles
import Synchronization

// The partial file of a download: writing, syncing, and closing it.
extension Exchange {
    /// The file, from the accepted headers until the end of the exchange.
    var file: PartialFile? {
        guard wire.easy != nil, case .writing(let file) = receiver else { return nil }
        return file
    }

    /// Continues after the writer has room again, or failed.
    func roomToWrite() {
        guard let file else { return }
        if let failure = file.writer?.failure { return conclude(stop: .failure(failure)) }
        if let direct, direct.isReceiving { direct.receive() } else { proceed() }
    }

    /// Updates progress and checkpoints after each chunk of the body, on every path.
    func recordReceived(_ file: PartialFile) {
        progress.moved(received: progress.received.load(ordering: .relaxed) + file.newlyTaken(), at: thread.now)
        guard segmentPool?.machine.isOpen != true, case .partial(let partial) = plan.sink,
            segmentPool?.machine.isSyncing != true,
            checkpoints.isDue(at: file.length, each: partial.checkpointInterval)
        else { return }
        checkpoints.begin(at: file.length)
        thread.files.sync(file.target, length: file.length, of: self)
    }

    func synced(_ result: Result<Int64, TransferFailure>) {
        if let segmentPool, segmentPool.machine.isSyncing {
            segmentPool.synced(result)
        } else {
            switch result {
            case .success(let length):
                checkpoints.end(at: length)
                if !isPartOfPool { thread.emit(ticket, .checkpoint(length)) }
            case .failure(let failure): syncFailed(failure)
            }
            segmentPool?.checkpointed()
        }
        close()
    }

    func syncFailed(_ failure: TransferFailure) {
        checkpoints.fail()
        end(machine.syncFailed(failure))
    }

    /// Waits for a worker to write the last bytes, after a running checkpoint. A body that may be held in memory needs no worker.
    func finishWriting(_ file: PartialFile, _ outcome: ExchangeOutcome) {
        if case .partial(let plan) = plan.sink, plan.mayBeHeld, outcome.ending == .responded, thread.files.hold(file) {
            receiver = .nobody
            var outcome = outcome
            outcome.disposition = .held(length: file.taken)
            return thread.end(self, outcome)
        }
        let keepsConnection = !file.isCut && direct?.hasReceived != true && outcome.ending == .responded
        segmentPool?.settled(self, at: file.position, keepsConnection: keepsConnection)
        receiver = .settling(file)
        machine.finishWriting(outcome)
        close()
    }

    private func close() {
        // A sync of this exchange's bytes comes first. The sync of a file with holes belongs to the group of exchanges.
        guard case .settling(let file) = receiver, !checkpoints.isSyncing,
            isPartOfPool || segmentPool?.machine.isSyncing != true
        else { return }
        receiver = .closing(file.writer)
        thread.files.close(file, of: self)
    }

    func closed(_ end: PartialFile.End) {
        receiver.writer?.join()
        let length = end.length.map { checkpoints.certain(of: $0) }
        guard let outcome = machine.closed(length: length, failure: end.failure) else { return }
        thread.end(self, outcome)
    }
}
