public import Observation

/// A list of transfers for a user interface: it follows its session, and what is drawn from it is drawn again when it changes.
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
/// It belongs to whoever made it, a view model on the main actor for instance, and changes only there, while
/// ``follow(_:matching:isolation:)`` runs. Where Observation is not wanted, ``TransferList`` is the same as a value.
@Observable public final class ObservableTransferList {
    private var list = TransferList()

    /// An empty list that follows nothing yet.
    public init() {}

    /// The transfers in order of submission.
    public var transfers: [TransferSnapshot] { list.transfers }

    /// How far all of them are together.
    public var progress: GroupProgress { GroupProgress(of: list.transfers) }

    /// The transfer with this identifier, if it is in the list.
    public subscript(id: TransferID) -> TransferSnapshot? { list[id] }

    /// Keeps the list up to date, until the Swift task is cancelled or the session closed.
    ///
    /// Fails with `serviceUnavailable` when the service cannot be had again. The list stays as it was then, and may follow again.
    public func follow(
        _ session: TransferSession, matching query: TransferQuery = .all, isolation: isolated (any Actor)? = #isolation
    ) async throws(TransferFailure) {
        for try await change in session.changes(matching: query) { list.apply(change) }
    }
}
