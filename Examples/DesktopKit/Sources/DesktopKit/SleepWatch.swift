import Glibc

/// Receives logind's signal that the computer is about to sleep, and delays the sleep until the app has handled it (a delay
/// inhibitor: https://systemd.io/INHIBITOR_LOCKS). Does nothing without logind.
final class SleepWatch {
    /// The time for which the app may delay the sleep: logind's limit, minus a tenth for the release of the inhibitor.
    private(set) var delay = Duration.seconds(4)

    private let application: String
    private let tell: (Bool) -> Void
    private var bus: OpaquePointer?
    private var inhibitor: Int32?

    init(application: String, _ tell: @escaping (_ sleeps: Bool) -> Void) {
        self.application = application
        self.tell = tell
        g_bus_get(
            G_BUS_TYPE_SYSTEM, nil,
            { _, result, data in
                let watch = Unmanaged<SleepWatch>.fromOpaque(data!).takeRetainedValue()
                watch.begin(g_bus_get_finish(result, nil))
            }, Unmanaged.passRetained(self).toOpaque())
    }

    /// Releases the inhibitor, so that the computer can sleep.
    func letSleep() {
        if let inhibitor { close(inhibitor) }
        inhibitor = nil
    }

    private func begin(_ bus: OpaquePointer?) {
        guard let bus else { return }
        self.bus = bus
        // The subscription and this object exist until the process exits.
        g_dbus_connection_signal_subscribe(
            bus, "org.freedesktop.login1", "org.freedesktop.login1.Manager", "PrepareForSleep",
            "/org/freedesktop/login1", nil, G_DBUS_SIGNAL_FLAGS_NONE,
            { _, _, _, _, _, parameters, data in
                let watch = Unmanaged<SleepWatch>.fromOpaque(data!).takeUnretainedValue()
                let value = g_variant_get_child_value(parameters, 0)
                defer { g_variant_unref(value) }
                watch.heard(g_variant_get_boolean(value) != 0)
            }, Unmanaged.passRetained(self).toOpaque(), nil)
        askForDelay()
        inhibit()
    }

    private func heard(_ sleeps: Bool) {
        if !sleeps { inhibit() }
        tell(sleeps)
    }

    private func askForDelay() {
        let names = ["org.freedesktop.login1.Manager", "InhibitDelayMaxUSec"]
        call("org.freedesktop.DBus.Properties", "Get", names) { watch, reply, _ in
            let box = g_variant_get_child_value(reply, 0)
            defer { g_variant_unref(box) }
            let value = g_variant_get_variant(box)
            defer { g_variant_unref(value) }
            guard g_variant_classify(value) == G_VARIANT_CLASS_UINT64 else { return }
            watch.delay = .microseconds(Int64(clamping: g_variant_get_uint64(value))) * 9 / 10
        }
    }

    private func inhibit() {
        let words = ["sleep", application, "Transfers are brought to a safe byte", "delay"]
        call("org.freedesktop.login1.Manager", "Inhibit", words) { watch, reply, descriptors in
            let handle = g_variant_get_child_value(reply, 0)
            defer { g_variant_unref(handle) }
            guard let descriptors, g_variant_classify(handle) == G_VARIANT_CLASS_HANDLE else { return }
            let descriptor = g_unix_fd_list_get(descriptors.cast(), g_variant_get_handle(handle), nil)
            guard descriptor >= 0 else { return }
            watch.letSleep()
            watch.inhibitor = descriptor
        }
    }

    private func call(
        _ interface: String, _ method: String, _ words: [String],
        then body: @escaping (SleepWatch, OpaquePointer, OpaquePointer?) -> Void
    ) {
        var children: [OpaquePointer?] = words.map { g_variant_new_string($0) }
        let answer = Answer(watch: self, body: body)
        g_dbus_connection_call_with_unix_fd_list(
            bus, "org.freedesktop.login1", "/org/freedesktop/login1", interface, method,
            g_variant_new_tuple(&children, gsize(children.count)), nil, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, nil, nil,
            { bus, result, data in
                let answer = Unmanaged<Answer>.fromOpaque(data!).takeRetainedValue()
                var descriptors: UnsafeMutablePointer<GUnixFDList>?
                let reply = g_dbus_connection_call_with_unix_fd_list_finish(
                    bus.map { OpaquePointer($0) }, &descriptors, result, nil)
                defer { if let descriptors { g_object_unref(descriptors) } }
                guard let reply else { return }
                defer { g_variant_unref(reply) }
                answer.body(answer.watch, reply, descriptors.map { OpaquePointer($0) })
            }, Unmanaged.passRetained(answer).toOpaque())
    }
}

/// The handler of the reply to a D-Bus call.
private final class Answer {
    let watch: SleepWatch
    let body: (SleepWatch, OpaquePointer, OpaquePointer?) -> Void

    init(watch: SleepWatch, body: @escaping (SleepWatch, OpaquePointer, OpaquePointer?) -> Void) {
        self.watch = watch
        self.body = body
    }
}
