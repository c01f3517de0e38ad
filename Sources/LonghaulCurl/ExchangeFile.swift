import LonghaulCore
import LonghaulFiles
import Synchronization

// The partial file of a download: who writes it, what of it is on stable storage, how it is closed.
extension Exchange {
    /// What it writes to, once its head is accepted and until its end.
    var file: PartialFile? {
        guard wire.easy != nil, case .writing(let file) = receiver else { return nil }
        return file
    }

    /// The writer has room, or cannot write any more.
    func roomToWrite() {
        guard let file else { return }
        if let failure = file.writer?.failure { return conclude(stop: .failure(failure)) }
        if let direct, direct.isReceiving { direct.receive() } else { goOn() }
    }

    /// What is to be done after each piece of the body, by whichever way it came.
    func noteReceived(_ file: PartialFile) {
        progress.moved(received: progress.received.load(ordering: .relaxed) + file.newlyTaken(), at: thread.now)
        guard crew?.machine.isOpen != true, case .partial(let partial) = plan.sink, crew?.machine.isSyncing != true,
            checkpoints.isDue(at: file.length, each: partial.checkpointInterval)
        else { return }
        checkpoints.begin(at: file.length)
        thread.files.sync(file.target, length: file.length, of: self)
    }

    func synced(_ result: Result<Int64, TransferFailure>) {
        if let crew, crew.machine.isSyncing {
            crew.synced(result)
        } else {
            switch result {
            case .success(let length):
                checkpoints.end(at: length)
                if !isPartOfCrew { thread.emit(ticket, .checkpoint(length)) }
            case .failure(let failure): syncFailed(failure)
            }
            crew?.checkpointed()
        }
        close()
    }

    func syncFailed(_ failure: TransferFailure) {
        checkpoints.fail()
        end(machine.syncFailed(failure))
    }

    /// Waits for a worker to write the last bytes; a checkpoint under way comes first. A body that may be held needs nobody.
    func settle(_ file: PartialFile, _ outcome: ExchangeOutcome) {
        if case .partial(let plan) = plan.sink, plan.mayBeHeld, outcome.ending == .responded, thread.files.hold(file) {
            receiver = .nobody
            var outcome = outcome
            outcome.disposition = .held(length: file.taken)
            return thread.end(self, outcome)
        }
        let keepsConnection = !file.isCut && direct?.hasReceived != true && outcome.ending == .responded
        crew?.settled(self, at: file.position, keepsConnection: keepsConnection)
        receiver = .settling(file)
        machine.settle(outcome)
        close()
    }

    private func close() {
        // A sync of what it has written comes first; that of a file with holes is its crew's.
        guard case .settling(let file) = receiver, !checkpoints.isSyncing,
            isPartOfCrew || crew?.machine.isSyncing != true
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
