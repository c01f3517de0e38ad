/// Reads the modems that ModemManager knows.
enum ModemReading {
    /// Registered with a foreign network (`MMModem3gppRegistrationState`).
    private static let roaming: Int64 = 5

    /// Whether any modem is registered with a foreign network; `nil` when nobody knows a modem that is registered.
    static func isRegisteredAbroad(_ bus: SystemBus) -> Bool? {
        let reply = bus.call(
            "org.freedesktop.ModemManager1", "/org/freedesktop/ModemManager1", "org.freedesktop.DBus.ObjectManager",
            "GetManagedObjects")
        guard let reading = reply?.reading else { return nil }
        var states: [Int64] = []
        reading.each("a", "{oa{sa{sv}}}") {
            reading.each("e", "oa{sa{sv}}") {
                guard reading.text("o") != nil else { return false }
                return reading.each("a", "{sa{sv}}") {
                    reading.each("e", "sa{sv}") { read(reading, into: &states) }
                }
            }
        }
        // 1 is "home"; the others are not registered, or not known.
        if states.contains(roaming) { return true }
        return states.contains(1) ? false : nil
    }

    /// One interface of an object, with its properties.
    private static func read(_ reading: BusReading, into states: inout [Int64]) -> Bool {
        guard let interface = reading.text() else { return false }
        return reading.each("a", "{sv}") {
            reading.each("e", "sv") {
                guard let name = reading.text() else { return false }
                let value = reading.value()
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
