/// Control over who runs the exchanges of a session: this process, or a system that continues them after the process
/// has ended. A session over an engine of that kind is composed with this value.
package struct CarrierLanes: Sendable {
    package enum Place: Sendable { case here, there }

    /// Selects where later exchanges start.
    package var choose: @Sendable (Place) -> Void
    /// Returns where the exchange that transfers a transfer's bytes runs; `nil` if there is none.
    package var place: @Sendable (TransferID) -> Place?
    /// Returns the bytes per transfer that were moved here since the other place was chosen, and have to be moved again.
    package var movedInVain: @Sendable () -> [TransferID: Int64]
    /// The number of transfers that the system gets at once. The system slows down an app that gives it many.
    package var batch = 64
    /// Whether the session's lock must be released while the app is suspended, because its files are in a shared container.
    package var letsGo = false

    package init(
        choose: @escaping @Sendable (Place) -> Void, place: @escaping @Sendable (TransferID) -> Place?,
        movedInVain: @escaping @Sendable () -> [TransferID: Int64]
    ) {
        self.choose = choose
        self.place = place
        self.movedInVain = movedInVain
    }
}
