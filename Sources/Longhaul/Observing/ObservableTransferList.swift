public import Observation

/// An observable list of transfers for a user interface. Views that read it update when it changes.
///
/// ```swift
/// @MainActor final class Uploads {
///     let list = ObservableTransferList()
///
///     func run(_ session: TransferSession) async throws(TransferFailure) {
///         try await list.follow(session, matching: .group("photos"))
///     }
/// }
/// ```
///
/// The list changes only on the actor that calls ``follow(_:matching:isolation:)``, and only while that call runs. Without
/// Observation, use ``TransferSession/changes(matching:)``.
@Observable public final class ObservableTransferList {
    private var list = TransferList()

    /// Creates an empty list that does not follow a session yet.
    public init() {}

    /// The transfers in order of submission.
    public var transfers: [TransferSnapshot] { list.transfers }

    /// The combined progress of the transfers.
    public var progress: GroupProgress { GroupProgress(of: list.transfers) }

    /// The transfer with an identifier; `nil` if it is not in the list.
    public subscript(id: TransferID) -> TransferSnapshot? { list[id] }

    /// Keeps the list up to date until the Swift task is cancelled or the session is closed.
    ///
    /// Fails with `serviceUnavailable` if the service cannot be started again. The list keeps its transfers, and can follow again.
    public func follow(
        _ session: TransferSession, matching query: TransferQuery = .all, isolation: isolated (any Actor)? = #isolation
    ) async throws(TransferFailure) {
        for try await change in session.changes(matching: query) { list.apply(change) }
    }
}
