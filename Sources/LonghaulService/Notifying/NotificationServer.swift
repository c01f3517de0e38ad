import LonghaulBus
import LonghaulCore
import LonghaulSystem

/// The desktop's notification server, over one connection to the session bus: the interface `org.freedesktop.Notifications` (Desktop
/// Notifications Specification 1.2).
final class NotificationServer {
    /// A signal of the server.
    enum Signal: Equatable {
        case invoked(UInt32, key: String)
        case token(UInt32, String)
        case closed(UInt32)
        /// The server has changed or exited.
        case owner
    }

    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    private static let server = Bus.Object(name, path)
    private static let bus = "org.freedesktop.DBus"
    /// A server that does not answer must not delay the other sessions for long.
    private static let patience = Duration.seconds(5)

    private let connection: Bus
    private let busID: String
    /// The capabilities of the running server; `nil` before the first query.
    private var capabilities: Set<String>?
    /// The server's unique name; empty if there is none.
    private var owner = ""

    init() throws(Bus.Refusal) {
        connection = try Bus(.user)
        busID = try connection.call(.bus, "GetId", limit: Self.patience, { _ in }, reading: { $0.text() })
        try connection.listen(
            "type='signal',sender='\(Self.name)',interface='\(Self.name)',path='\(Self.path)'", limit: Self.patience)
        try connection.listen(
            "type='signal',sender='\(Self.bus)',interface='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.name)'",
            limit: Self.patience)
        owner = (try? queryOwner()) ?? ""
    }

    /// Identifies the running server until it exits; `nil` without one.
    var identity: String? { owner.isEmpty ? nil : busID + owner }

    var descriptor: Int32 { connection.descriptor }
    var readiness: Readiness { connection.readiness }

    /// Shows a notification, instead of `replaced` unless that is 0. Starts the server if the bus can. Returns its number.
    func show(_ content: NotificationContent, replacing replaced: UInt32) throws(Bus.Refusal) -> UInt32 {
        let form = NotificationForm(content, capabilities: try queryCapabilities(), isUpdate: replaced != 0)
        let number = try connection.call(
            Self.server, "Notify", limit: Self.patience,
            { message in
                message.text(content.appName)
                message.number(replaced)
                message.text(content.icon.map { $0.hasPrefix("/") ? "file://" + $0 : $0 } ?? "")
                message.text(form.summary)
                message.text(form.body)
                message.array(of: "s") { list in form.actions.forEach { list.text($0) } }
                message.array(of: "{sv}") { hints in Self.fill(&hints, form, content) }
                message.integer(form.timeout)
            }, reading: { $0.number() })
        owner = try queryOwner()
        return number
    }

    /// Closes a notification. It does not matter if it is closed already.
    func close(_ number: UInt32) {
        try? connection.call(Self.server, "CloseNotification", limit: Self.patience) { $0.number(number) }
    }

    /// Returns the server's signals since the last call.
    func takeSignals() throws(Bus.Refusal) -> [Signal] {
        var signals: [Signal] = []
        try connection.takeSignals { signal in
            if let signal = Self.read(signal) { signals.append(signal) }
        }
        return signals.filter { signal in
            guard case .owner = signal else { return true }
            // A call that started a server may have noticed the change already.
            let current = (try? queryOwner()) ?? ""
            guard current != owner else { return false }
            owner = current
            capabilities = nil
            return true
        }
    }

    private func queryCapabilities() throws(Bus.Refusal) -> Set<String> {
        if let capabilities { return capabilities }
        let known = Set(
            try connection.call(
                Self.server, "GetCapabilities", limit: Self.patience, { _ in }, reading: { $0.texts() }))
        owner = try queryOwner()
        capabilities = known
        return known
    }

    private func queryOwner() throws(Bus.Refusal) -> String {
        try connection.call(
            .bus, "GetNameOwner", limit: Self.patience, { $0.text(Self.name) }, reading: { $0.text() })
    }

    private static func fill(_ hints: inout BusMessage, _ form: NotificationForm, _ content: NotificationContent) {
        func hint(_ name: String, _ type: String, _ value: (inout BusMessage) -> Void) {
            hints.entry("sv") { entry in
                entry.text(name)
                entry.variant(type, value)
            }
        }
        if let entry = content.desktopEntry { hint("desktop-entry", "s") { $0.text(entry) } }
        if !form.category.isEmpty { hint("category", "s") { $0.text(form.category) } }
        hint("urgency", "y") { $0.byte(form.urgency) }
        // No "value": xfce4-notifyd replaces text and buttons by a bar for it. The text has the percentage.
        if form.isSilent { hint("suppress-sound", "b") { $0.flag(true) } }
    }

    private static func read(_ signal: BusSignal) -> Signal? {
        switch (signal.interface, signal.member) {
        case (name, "ActionInvoked"):
            signal.read { reader in
                guard let number = reader.number(), let key = reader.text() else { return nil }
                return .invoked(number, key: key)
            }
        case (name, "ActivationToken"):
            signal.read { reader in
                guard let number = reader.number(), let token = reader.text() else { return nil }
                return .token(number, token)
            }
        case (name, "NotificationClosed"): signal.read { $0.number().map(Signal.closed) }
        case (bus, "NameOwnerChanged"):
            signal.read { reader in
                reader.text() == name ? .owner : nil
            }
        default: nil
        }
    }
}
