public import Foundation
public import LonghaulCore

extension Progress {
    /// Takes over how far a transfer is. Call it for each of the transfer's snapshots.
    ///
    /// ```swift
    /// let progress = Progress(totalUnitCount: 0)
    /// for try await snapshot in transfer.snapshots { progress.update(with: snapshot) }
    /// ```
    ///
    /// While the length is not known the progress is indeterminate.
    public func update(with snapshot: TransferSnapshot) {
        kind = .file
        totalUnitCount = snapshot.bytesTotal ?? (snapshot.state == .succeeded ? snapshot.bytesDone : -1)
        completedUnitCount = snapshot.bytesDone
    }
}
