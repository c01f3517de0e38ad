extension Application {
    /// Adds the action by which the service starts this app for an event of a session. Register it with
    /// `WakeRegistration.dbus(appID: application.id)`. The action shows no window unless `body` shows one.
    ///
    /// The application runs at least until `body` returns. `body` must handle and acknowledge the events of the session.
    public func whenWoken(_ body: @escaping (_ session: String) async -> Void) {
        addAction("transfers-finished", taking: { [unowned self] session in whileHeld { await body(session) } })
    }
}
