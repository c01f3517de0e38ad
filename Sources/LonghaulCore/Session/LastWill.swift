/// A request that a process has left to be sent if it is lost without a word.
package struct LastWill: Equatable, Sendable {
    /// What is submitted when the process is lost.
    package var request: TransferSpec
    /// The name, among the staged bodies, of the file that the process has locked. The kernel drops the lock when the process
    /// ends, however it ends, and at no other time: nobody has to say anything, and no number can be somebody else's by then.
    package var witness: String

    /// Takes both.
    package init(request: TransferSpec, witness: String) {
        self.request = request
        self.witness = witness
    }

    /// Why it cannot be kept; `nil` when it can.
    package func refusal(at now: WallTime) -> TransferFailure? {
        guard !witness.isEmpty, !witness.contains("/"), ![".", ".."].contains(witness) else {
            return TransferFailure(.invalidArgument, "The witness of a last will must be a file name.")
        }
        guard case .request = request.work else {
            return TransferFailure(.invalidArgument, "A last will must be a request, without a file.")
        }
        do throws(TransferFailure) {
            _ = try TransferRecord.accept(request, id: TransferID(high: 0, low: 0), at: now)
            return nil
        } catch {
            return error
        }
    }
}

/// What a process says of its last will.
package enum LastWillOrder: Equatable, Sendable {
    /// Keeps it, in the place of the one that the same process left before.
    case keep(LastWill)
    /// The process that has this file locked comes to an orderly end.
    case takeBack(witness: String)
}
