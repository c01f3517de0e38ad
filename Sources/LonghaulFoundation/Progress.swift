public import Foundation
public import LonghaulCore

extension Progress {
    /// Copies the progress of a transfer. Call it for each of the transfer's snapshots.
    ///
    /// ```swift
    /// let progress = Progress(totalUnitCount: 0)
    /// for try await snapshot in transfer.snapshots { progress.update(with: snapshot) }
    /// ```
    ///
    /// The progress is indeterminate while the size is unknown.
    public func update(with snapshot: TransferSnapshot) {
        kind = .file
        totalUnitCount = snapshot.bytesTotal ?? (snapshot.state == .succeeded ? snapshot.bytesDone : -1)
        completedUnitCount = snapshot.bytesDone
    }
}
