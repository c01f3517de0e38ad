import LonghaulBus
package import LonghaulCore

/// NetworkManager, ModemManager, UPower, and logind, over the system bus. Each may be missing, start late, or stop.
package final class BusSource: ConditionsSource {
    private enum Service: String, CaseIterable {
        case network = "org.freedesktop.NetworkManager"
        case modem = "org.freedesktop.ModemManager1"
        case power = "org.freedesktop.UPower"
        case login = "org.freedesktop.login1"
    }

    /// A machine without a bus rarely gets one later: polling for it must not keep the processor awake.
    private static let retryLimit = Duration.seconds(600)

    /// How long a service may take to answer. Only the monitor waits.
    static let limit = Duration.seconds(1)

    private var bus: Bus?
    private var inhibitors: Inhibitors?
    /// The services to query again.
    private var stale: Set<Service> = []
    private var prepares: [String: Bool] = [:]
    private var mayStartPower = true
    private var retry = Duration.seconds(1)
    package private(set) var date: ContinuousClock.Instant?

    private let address: String?

    /// Uses the system bus if there is no address.
    package init(address: String? = nil) {
        self.address = address
    }

    package var wait: SourceWait? {
        bus.map { SourceWait(descriptor: $0.descriptor, readiness: $0.readiness) }
    }

    package func read(into readings: inout Readings) -> SourceChanges {
        if bus == nil { connect() }
        guard let bus, receiveSignals(bus) else {
            lose(&readings)
            return SourceChanges()
        }
        // The queries may bring further signals, which make a service stale again; the next turn then follows at once.
        while let service = stale.popFirst() { query(service, bus, &readings) }
        guard receiveSignals(bus) else {
            lose(&readings)
            return SourceChanges()
        }
        readings.isAboutToSleep = prepares.values.contains(true)
        date = stale.isEmpty ? nil : .now
        return SourceChanges()
    }

    package func letSleep() {
        inhibitors?.release()
    }

    private func connect() {
        if let date, date > .now { return }
        do throws(Bus.Refusal) {
            let bus = try Bus(address.map { .address($0) } ?? .system)
            for rule in Self.rules { try bus.listen(rule, limit: Self.limit) }
            self.bus = bus
            inhibitors = Inhibitors(bus)
        } catch {
            return
        }
        stale = Set(Service.allCases)
        retry = .seconds(1)
    }

    /// Forgets all readings from the bus, which is gone or never existed.
    private func lose(_ readings: inout Readings) {
        bus = nil
        inhibitors = nil
        prepares = [:]
        stale = []
        for service in Service.allCases { forget(service, &readings) }
        if date.map({ $0 <= .now }) ?? true {
            date = .now + retry
            retry = min(retry * 8, Self.retryLimit)
        }
    }

    /// Handles the received signals; `false` if the bus is gone.
    private func receiveSignals(_ bus: Bus) -> Bool {
        do throws(Bus.Refusal) {
            try bus.takeSignals(process)
            return true
        } catch {
            return false
        }
    }

    private func process(_ signal: BusSignal) {
        switch (signal.interface, signal.member) {
        case ("org.freedesktop.login1.Manager", "PrepareForSleep"),
            ("org.freedesktop.login1.Manager", "PrepareForShutdown"):
            let flag = signal.read { $0.flag() }
            prepares[signal.member] = flag ?? false
            // The machine is awake again: the next sleep has to be delayed too.
            if flag == false { inhibitors?.acquire() }
        default:
            // The service that changed is seldom worth knowing: querying all of them takes some milliseconds.
            stale = Set(Service.allCases)
        }
    }

    private func query(_ service: Service, _ bus: Bus, _ readings: inout Readings) {
        forget(service, &readings)
        switch service {
        case .network:
            let manager = Bus.Object(service.rawValue, "/org/freedesktop/NetworkManager")
            let get = { bus.property(manager, $0, limit: Self.limit, starts: false) }
            readings.metered = get("Metered")?.number.map { UInt32(clamping: $0) }
            readings.connectivity = get("Connectivity")?.number.map { UInt32(clamping: $0) }
            readings.linkType = get("PrimaryConnectionType")?.text
            readings.isMobile = readings.linkType.map { $0 == "gsm" || $0 == "cdma" }
        case .modem: readings.isRegisteredAbroad = ModemReading.isRegisteredAbroad(bus)
        case .power:
            // The bus starts UPower on demand, as its authors intend. If UPower exits, it is not started again.
            let daemon = Bus.Object(service.rawValue, "/org/freedesktop/UPower")
            readings.isOnBattery =
                bus.property(daemon, "OnBattery", limit: Self.limit, starts: mayStartPower)?.flag
            mayStartPower = false
            queryBattery(bus, &readings)
        case .login:
            inhibitors?.acquire()
            let manager = Bus.Object(
                service.rawValue, "/org/freedesktop/login1", interface: service.rawValue + ".Manager")
            readings.isIdle = bus.property(manager, "IdleHint", limit: Self.limit, starts: false)?.flag
        }
    }

    private func queryBattery(_ bus: Bus, _ readings: inout Readings) {
        guard readings.isOnBattery != nil else { return }
        let name = Service.power.rawValue
        let battery = Bus.Object(name, "/org/freedesktop/UPower/devices/DisplayDevice", interface: name + ".Device")
        let get = { bus.property(battery, $0, limit: Self.limit, starts: false) }
        guard get("IsPresent")?.flag == true else { return }
        readings.batteryWarning = get("WarningLevel")?.number.map { UInt32(clamping: $0) }
        readings.batteryPercentage = get("Percentage")?.real.map { Int($0.rounded()) }
    }

    private func forget(_ service: Service, _ readings: inout Readings) {
        switch service {
        case .network:
            (readings.metered, readings.connectivity, readings.isMobile, readings.linkType) = (nil, nil, nil, nil)
        case .modem: readings.isRegisteredAbroad = nil
        case .power:
            (readings.isOnBattery, readings.batteryWarning, readings.batteryPercentage) = (nil, nil, nil)
        case .login:
            readings.isIdle = nil
            readings.isAboutToSleep = prepares.values.contains(true)
        }
    }

    /// Narrow rules, so that some device's battery percentage or a modem's signal strength does not wake the process.
    private static let rules: [String] =
        Service.allCases.map {
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\($0.rawValue)'"
        } + [
            changes(of: .network, "path='/org/freedesktop/NetworkManager'"),
            changes(of: .power, "path='/org/freedesktop/UPower'"),
            changes(of: .power, "path='/org/freedesktop/UPower/devices/DisplayDevice'"),
            changes(of: .modem, "arg0='org.freedesktop.ModemManager1.Modem.Modem3gpp'"),
            changes(of: .login, "path='/org/freedesktop/login1'"), login("PrepareForSleep"),
            login("PrepareForShutdown"),
        ]

    private static func changes(of service: Service, _ rest: String) -> String {
        "type='signal',sender='\(service.rawValue)',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',\(rest)"
    }

    private static func login(_ member: String) -> String {
        "type='signal',sender='org.freedesktop.login1',interface='org.freedesktop.login1.Manager',member='\(member)'"
    }
}
