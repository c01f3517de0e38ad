import LonghaulConditions
import LonghaulCore
import TestSupport
import Testing

/// The services on the system bus, played on a bus of the test's own.
@Suite(.serialized, .enabled(if: MockedBus.missing == nil, "\(MockedBus.missing ?? "")")) struct BusSourceTests {
    private static let network = "org.freedesktop.NetworkManager"
    private static let networkPath = "/org/freedesktop/NetworkManager"
    private static let mock = "org.freedesktop.DBus.Mock."

    private func watch(_ bus: MockedBus) -> Watched {
        let address = bus.address
        return Watched { [BusSource(address: address)] }
    }

    private func startNetwork(_ bus: MockedBus, metered: Int) throws -> ChildProcess {
        let service = try bus.start(Self.network, Self.networkPath, Self.network, name: Self.network)
        try bus.call(
            Self.network, Self.networkPath, Self.mock + "AddProperties", Self.network,
            "{'Metered': <uint32 \(metered)>, 'Connectivity': <uint32 4>, 'PrimaryConnectionType': <'802-11-wireless'>}"
        )
        return service
    }

    private func update(_ bus: MockedBus, _ properties: String) throws {
        try bus.call(Self.network, Self.networkPath, Self.mock + "UpdateProperties", Self.network, properties)
    }

    @Test func networkManagerComesLateChangesItsMindAndLeaves() throws {
        let bus = try MockedBus()
        let watched = watch(bus)
        #expect(watched.told.all == [Conditions()])
        let service = try startNetwork(bus, metered: 2)
        try update(bus, "{'Metered': <uint32 1>}")
        _ = try watched.told.next { $0.isExpensive == true }
        try update(bus, "{'Metered': <uint32 4>}")
        _ = try watched.told.next { $0.isExpensive == false }
        #expect(watched.told.all.last?.link == .wifi)
        try update(bus, "{'PrimaryConnectionType': <'wireguard'>}")
        _ = try watched.told.next { $0.link == .vpn }
        try update(bus, "{'Connectivity': <uint32 2>}")
        _ = try watched.told.next { $0.network == .captive }
        service.signal(9)
        #expect(try watched.told.next { $0.isExpensive == nil } == Conditions())
    }

    @Test func aBusThatGoesAwayAndComesBackIsFoundAgain() throws {
        let place = try TemporaryDirectory()
        var bus: MockedBus? = try MockedBus(place)
        let first = try startNetwork(try #require(bus), metered: 1)
        let watched = watch(try #require(bus))
        #expect(watched.told.all.last?.isExpensive == true)
        withExtendedLifetime(first) { bus = nil }
        _ = try watched.told.next { $0.isExpensive == nil }
        let second = try MockedBus(place)
        let service = try startNetwork(second, metered: 1)
        try update(second, "{'Metered': <uint32 3>}")
        _ = try watched.told.next { $0.isExpensive == true }
        withExtendedLifetime(service) {}
    }

    @Test func powerIsReadFromUPower() throws {
        let bus = try MockedBus()
        let service = try bus.start("--template", "upower", name: "org.freedesktop.UPower")
        let (name, path) = ("org.freedesktop.UPower", "/org/freedesktop/UPower")
        let watched = watch(bus)
        #expect(watched.told.all.last?.hasExternalPower == true)
        try bus.call(
            name, path + "/devices/DisplayDevice", Self.mock + "UpdateProperties", name + ".Device",
            "{'IsPresent': <true>, 'Percentage': <15.0>, 'WarningLevel': <uint32 3>}")
        try bus.call(name, path, Self.mock + "UpdateProperties", name, "{'OnBattery': <true>}")
        #expect(
            try watched.told.next { $0.isBatteryLow == true && $0.hasExternalPower == false }
                == Conditions(hasExternalPower: false, isBatteryLow: true, batteryLevel: 15))
        withExtendedLifetime(service) {}
    }

    @Test func roamingIsReadFromModemManager() throws {
        let bus = try MockedBus()
        let (name, path) = ("org.freedesktop.ModemManager1", "/org/freedesktop/ModemManager1")
        let service = try bus.start("-m", name, path, name, name: name)
        let modem = name + ".Modem.Modem3gpp"
        try bus.call(
            name, path, Self.mock + "AddObject", path + "/Modem/0", modem, "{'RegistrationState': <uint32 1>}", "[]")
        let watched = watch(bus)
        #expect(watched.told.all.last?.isRoaming == false)
        try bus.call(
            name, path + "/Modem/0", Self.mock + "UpdateProperties", modem, "{'RegistrationState': <uint32 5>}")
        _ = try watched.told.next { $0.isRoaming == true }
        withExtendedLifetime(service) {}
    }

    @Test func aSleepIsDelayedByOneInhibitorOfEachKind() throws {
        let bus = try MockedBus()
        let (name, path) = ("org.freedesktop.login1", "/org/freedesktop/login1")
        let service = try bus.start("--template", "logind", name: name)
        let watched = watch(bus)
        try service.waitForOutput(containing: "Inhibit \"sleep\" \"Longhaul\"")
        try service.waitForOutput(containing: "Inhibit \"shutdown\" \"Longhaul\"")
        let manager = name + ".Manager"
        for (isIdle, answer) in [("true", true), ("false", false)] {
            try bus.call(name, path, Self.mock + "UpdateProperties", manager, "{'IdleHint': <\(isIdle)>}")
            _ = try watched.told.next { $0.isIdle == answer }
        }
        try bus.call(name, path, Self.mock + "EmitSignal", manager, "PrepareForSleep", "b", "[<true>]")
        _ = try watched.told.next { $0.isAboutToSleep }
        let release = try watched.releases.next { _ in true }
        release()
        try bus.call(name, path, Self.mock + "EmitSignal", manager, "PrepareForSleep", "b", "[<false>]")
        _ = try watched.told.next { !$0.isAboutToSleep }
        // Taken again for the next sleep.
        try service.waitForOutput(for: "four inhibitors") { output in
            output.components(of: "Inhibit \"").count > 4 ? () : nil
        }
    }
}

extension String {
    fileprivate func components(of separator: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return parts + [rest]
    }
}
