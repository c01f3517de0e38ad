import Foundation
import FoundationDouble
import LonghaulCore
import Network
import Synchronization
import TestSupport
import Testing
import UserNotifications

@testable import LonghaulApple

/// The device's reports and displays.
extension AppleSystems {
    @Suite struct DeviceTests {
        @Test func theNetworkAndThePowerAreToldInOurWords() async throws {
            let world = try await AppWorld()
            await Screen.setBattery(isCharging: false, level: 0.15)
            try await world.open()
            let carrier = try #require(world.process).app.carrier
            let first = carrier.surroundings.conditions
            #expect(first.network == .reachable && first.link == .wifi && first.isExpensive == false)
            #expect(first.hasExternalPower == false && first.batteryLevel == 15 && first.isBatteryLow == true)
            NWPathMonitor.change(to: NWPath(.satisfied, .cellular, isExpensive: true, isConstrained: true))
            await Screen.setBattery(isCharging: true, level: 0.5)
            try await world.wait("it is told") {
                let now = carrier.surroundings.conditions
                return now.link == .mobile && now.isExpensive == true && now.isConstrained == true
                    && now.hasExternalPower == true && now.isBatteryLow == false
            }
            Screen.setLowPowerMode(true)
            try await world.wait("it is told") { carrier.surroundings.conditions.isBatteryLow == true }
            Screen.setLowPowerMode(false)
            await Screen.setBattery(isCharging: nil, level: -1)
            try await world.wait("it is told") { carrier.surroundings.conditions.hasExternalPower == nil }
            await world.end()
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

        /// The notification center ends a process that is not an app.
        @Test func processThatIsNotAnAppShowsNoNotification() async throws {
            let world = try await AppWorld()
            world.configuration.notifications = NotificationSettings(appName: "Photos")
            world.bundleIdentifier = nil
            UNUserNotificationCenter.setInApp(false)
            defer { UNUserNotificationCenter.setInApp(true) }
            try await world.open()
            try await world.session.notify(PlainNotification("storm", title: "Take a photo"))
            try await world.session.upload(file: try world.photo(1_000), to: "http://server.example/a")
            try await world.go("it ends") { try await world.session.snapshots().map(\.state) == [.succeeded] }
            await world.end()
        }

        @Test func notificationCenterTrapsOutsideOfApps() async {
            await #expect(processExitsWith: .failure) {
                UNUserNotificationCenter.setInApp(false)
                _ = UNUserNotificationCenter.current()
            }
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

        @Test func aTapOpensTheAppWithItsEventAlsoAfterItsDeath() async throws {
            let world = try await AppWorld()
            world.configuration.notifications = NotificationSettings(appName: "Photos")
            try await world.open()
            let session = try await world.session
            try await session.notify(PlainNotification("storm", title: "Take a photo"))
            try await world.wait("it is shown") { world.notifications == ["Take a photo"] }
            let name = try #require(UNUserNotificationCenter.current().shown.first).identifier
            await world.die()
            try await world.open()
            _ = try await world.session
            NotificationPresenter.ofProcess.attend()
            let isDone = Mark()
            UNUserNotificationCenter.current().tap(name) { isDone.set() }
            #expect(isDone.isSet)
            try await world.wait("the event") {
                try await world.session.pendingEvents().contains { event in
                    if case .notificationTapped(let tap) = event.kind { tap.identifier == "storm" } else { false }
                }
            }
            await world.end()
        }

        @Test func theAppsOwnDelegateHearsOfWhatIsItsOwn() async throws {
            final class Own: NSObject, UNUserNotificationCenterDelegate {
                let heard = Mutex<[String]>([])
                func userNotificationCenter(
                    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
                    withCompletionHandler completionHandler: @escaping @Sendable () -> Void
                ) {
                    heard.withLock { $0.append(response.notification.request.identifier) }
                    completionHandler()
                }
            }
            let center = UNUserNotificationCenter.current()
            center.reset()
            let own = Own()
            center.delegate = own
            NotificationPresenter.ofProcess.attend()
            let words = UNMutableNotificationContent()
            for name in ["mine", "longhaul/org.example.other/s"] {
                center.add(UNNotificationRequest(identifier: name, content: words, trigger: nil))
                center.tap(name)
            }
            #expect(own.heard.withLock { $0 } == ["mine"])
        }

        @Test func ownDelegateMayLackEachMethod() {
            final class Empty: NSObject, UNUserNotificationCenterDelegate {}
            let center = UNUserNotificationCenter.current()
            center.reset()
            let own = Empty()
            center.delegate = own
            NotificationPresenter.ofProcess.attend()
            let request = UNNotificationRequest(identifier: "mine", content: UNNotificationContent(), trigger: nil)
            center.add(request)
            #expect(center.present(request) == [])
            let isDone = Mark()
            center.tap("mine") { isDone.set() }
            #expect(isDone.isSet)
            center.openSettings()
        }

        @Test func ownDelegateChoosesThePresentationOfItsNotifications() {
            final class Own: NSObject, UNUserNotificationCenterDelegate {
                let settings = Mutex(0)
                func userNotificationCenter(
                    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
                    withCompletionHandler completionHandler:
                        @escaping @Sendable (UNNotificationPresentationOptions) -> Void
                ) { completionHandler(.list) }
                func userNotificationCenter(
                    _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?
                ) { settings.withLock { $0 += 1 } }
            }
            let center = UNUserNotificationCenter.current()
            center.reset()
            let own = Own()
            center.delegate = own
            NotificationPresenter.ofProcess.attend()
            let content = UNNotificationContent()
            let shown = ["mine", "longhaul/org.example.other/s"].map { name in
                center.present(UNNotificationRequest(identifier: name, content: content, trigger: nil))
            }
            #expect(shown == [.list, [.banner, .list]])
            center.openSettings()
            #expect(own.settings.withLock { $0 } == 1)
        }

        @Test @MainActor func anAppOnAMacIsEndedWhenItIsReady() async throws {
            let lifecycle = ProcessLifecycle(gracePeriod: .seconds(60))
            let events = lifecycle.events()
            let running = Task { await lifecycle.run(DesktopLifecycle()) }
            while lifecycle.state != .active { await Task.yield() }
            Screen.setActive(false)
            #expect(lifecycle.state == .inactive)
            Screen.setActive(true)
            let replies = Screen.replies.count
            #expect(Screen.endsLater(lifecycle))
            #expect(Screen.replies.count == replies)
            let reading = Task { for await _ in events {} }
            while Screen.replies.count == replies { await Task.yield() }
            #expect(Screen.replies.last == true)
            for task in [running, reading] {
                task.cancel()
                await task.value
            }
        }
    }
}
