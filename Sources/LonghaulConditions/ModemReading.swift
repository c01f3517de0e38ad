import LonghaulBus

/// Reads the modems known to ModemManager.
enum ModemReading {
    /// Registered with a foreign network (`MMModem3gppRegistrationState`).
    private static let roaming: Int64 = 5

    /// Returns whether any modem is registered with a foreign network; `nil` if no registered modem is known.
    static func isRegisteredAbroad(_ bus: Bus) -> Bool? {
        let manager = Bus.Object(
            "org.freedesktop.ModemManager1", "/org/freedesktop/ModemManager1",
            interface: "org.freedesktop.DBus.ObjectManager")
        var states: [Int64] = []
        // Values that were read before a malformed part count.
        let isKnown = try? bus.call(
            manager, "GetManagedObjects", limit: BusSource.limit, starts: false, { _ in },
            reading: { reader in
                reader.each("a", "{oa{sa{sv}}}") {
                    reader.each("e", "oa{sa{sv}}") {
                        guard reader.path() != nil else { return false }
                        return reader.each("a", "{sa{sv}}") {
                            reader.each("e", "sa{sv}") { read(reader, into: &states) }
                        }
                    }
                }
                return true
            })
        guard isKnown == true else { return nil }
        // 1 is "home"; the others are not registered, or unknown.
        if states.contains(roaming) { return true }
        return states.contains(1) ? false : nil
    }

    /// Reads one interface of an object, with its properties.
    private static func read(_ reader: BusReader, into states: inout [Int64]) -> Bool {
        guard let interface = reader.text() else { return false }
        return reader.each("a", "{sv}") {
            reader.each("e", "sv") {
                guard let name = reader.text() else { return false }
                let value = reader.value()
                if interface == "org.freedesktop.ModemManager1.Modem.Modem3gpp", name == "RegistrationState",
                    let state = value?.number
                {
                    states.append(state)
                }
                return true
            }
        }
    }
}
