import Foundation
import FoundationDouble
import LonghaulCore
import Network
import Synchronization
import TestSupport
import Testing

@testable import Longhaul
@testable import LonghaulApple

/// The device's reports and displays.
extension AppleSystems {
    @Suite struct DeviceTests {
        @Test func systemNetworkAndPowerBecomeConditions() async throws {
            let world = try await AppWorld()
            await Screen.setBattery(isCharging: false, level: 0.15)
            try await world.open()
            let carrier = try #require(world.process).app.carrier
            let first = carrier.surroundings.conditions
            #expect(first.network == .reachable && first.link == .wifi && first.isExpensive == false)
            #expect(first.hasExternalPower == false && first.batteryLevel == 15 && first.isBatteryLow == true)
            NWPathMonitor.change(to: NWPath(.satisfied, .cellular, isExpensive: true, isConstrained: true))
            await Screen.setBattery(isCharging: true, level: 0.5)
            try await world.wait("the new conditions are seen") {
                let now = carrier.surroundings.conditions
                return now.link == .mobile && now.isExpensive == true && now.isConstrained == true
                    && now.hasExternalPower == true && now.isBatteryLow == false
            }
            // The battery is full.
            await Screen.setBattery(isCharging: true, level: 1)
            try await world.wait("the battery level is 100") { carrier.surroundings.conditions.batteryLevel == 100 }
            #expect(carrier.surroundings.conditions.hasExternalPower == true)
            Screen.setLowPowerMode(true)
            try await world.wait("Low Power Mode is on") { carrier.surroundings.conditions.isBatteryLow == true }
            Screen.setLowPowerMode(false)
            await Screen.setBattery(isCharging: nil, level: -1)
            try await world.wait("the battery is unknown") { carrier.surroundings.conditions.hasExternalPower == nil }
            await world.end()
        }

        @Test(arguments: [(true, false), (false, true)])
        func expensiveAndConstrainedNetworksAreDistinguished(_ isExpensive: Bool, _ isConstrained: Bool) {
            var conditions = Conditions()
            conditions.apply(NWPath(.satisfied, .wifi, isExpensive: isExpensive, isConstrained: isConstrained))
            #expect(conditions.isExpensive == isExpensive && conditions.isConstrained == isConstrained)
        }

        /// The system ends an app whose background task is still open then. Right after the change, it may report unlimited time.
        @Test(arguments: [(60, 60), (TimeInterval.greatestFiniteMagnitude, 30)]) func appLeavesBeforeItsTimeEnds(
            _ remaining: TimeInterval, _ limit: Int
        ) async throws {
            let world = try await AppWorld()
            try await world.open()
            await Screen.setTime(remaining)
            world.device.enter(.background)
            await Screen.leaveApp()
            let deadline = try #require(world.process?.lifecycle.deadline)
            #expect(deadline - .now < .seconds(limit))
            await world.end()
        }

        /// A notification of the same name would replace the other.
        @Test func sessionsNameTheirNotificationsApart() throws {
            let first = try #require(SessionID("org.example.photos"))
            let second = try #require(SessionID("org.example.films"))
            #expect(NotificationPresenter.name(first, .session) != NotificationPresenter.name(second, .session))
        }

        @Test func withoutANetworkTheSystemWaits() async throws {
            let world = try await AppWorld()
            NWPathMonitor.change(to: NWPath(.unsatisfied))
            world.device.changeNetwork { $0.isOnline = false }
            try await world.open()
            try await world.session.upload(file: try world.photo(1_000), to: "http://server.example/a")
            try await world.wait("the system waits for a network") { world.device.unfinished() == 1 }
            try await world.leaveApp()
            try await world.wait("the system has it") { world.device.unfinished(inBackground: true) == 1 }
            await world.die()
            world.device.changeNetwork { $0.isOnline = true }
            try await world.goUntilLaunched()
            #expect(try await world.session.snapshots().map(\.state) == [.succeeded])
            await world.end()
        }

        /// The program that runs tests has an identifier too.
        @Test(arguments: [("Photos.app", "org.example.photos"), ("Share.appex", "org.example.photos"), ("Agents", nil)])
        func onlyAppsHaveABundleIdentifier(_ name: String, _ identifier: String?) throws {
            let temporary = try TemporaryDirectory()
            let place = temporary.path(name)
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let list = try PropertyListSerialization.data(
                fromPropertyList: ["CFBundleIdentifier": "org.example.photos"], format: .xml, options: 0)
            try list.write(to: URL(fileURLWithPath: place + "/Info.plist"))
            let bundle = try #require(Bundle(path: place))
            #expect(bundle.bundleIdentifier == "org.example.photos")
            #expect(AppSurroundings.identifier(of: bundle) == identifier)
        }
    }
}
