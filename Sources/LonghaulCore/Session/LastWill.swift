/// A request that is sent if the process that left it is lost without notice.
package struct LastWill: Equatable, Sendable {
    /// The request that is submitted if the process is lost.
    package var request: TransferSpec
    /// The name of the file among the staged bodies that the process has locked. The kernel drops the lock exactly when
    /// the process ends, however it ends. No message is needed, and unlike a process ID, a lock cannot pass to another
    /// process.
    package var witness: String

    package init(request: TransferSpec, witness: String) {
        self.request = request
        self.witness = witness
    }

    /// Returns why the last will cannot be kept; `nil` if it can.
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

/// A process's command about its last will.
package enum LastWillOrder: Equatable, Sendable {
    /// Keeps the last will, replacing an earlier one of the same process.
    case keep(LastWill)
    /// Cancels the last will: the process that has this file locked ends in good order.
    case takeBack(witness: String)
}
