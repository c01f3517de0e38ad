extension Application {
    /// Declares the action that the service starts this app with when one of its sessions has news; register it with
    /// `WakeRegistration.dbus(appID: application.id)`. No window is shown for it, unless `body` shows one.
    ///
    /// The application stays at least until `body` has returned: take the session's events in and acknowledge them there.
    public func whenWoken(_ body: @escaping (_ session: String) async -> Void) {
        addAction("transfers-finished", taking: { [unowned self] session in whileHeld { await body(session) } })
    }
}
