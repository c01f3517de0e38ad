/// Where the exchanges of a session are carried: by this process, or by a system that goes on with them when the process is gone.
/// Whoever composes a session over an engine of that kind gives it this.
package struct CarrierLanes: Sendable {
    package enum Place: Sendable { case here, there }

    /// Where exchanges are carried that begin from now on.
    package var choose: @Sendable (Place) -> Void
    /// Where the exchange is that moves a transfer's bytes; `nil` while there is none.
    package var place: @Sendable (TransferID) -> Place?
    /// How many bytes were moved here that have to be moved again, by transfer, since the other place was chosen.
    package var movedInVain: @Sendable () -> [TransferID: Int64]
    /// How many transfers the system is given at once. It slows down an app that has it carry many.
    package var batch = 64
    /// Whether the session's lock must be free while the app stands still, because its files lie in a container that others share.
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
