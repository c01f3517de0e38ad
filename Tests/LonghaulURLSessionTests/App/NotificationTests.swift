import Foundation
import FoundationDouble
import LonghaulCore
import Synchronization
import TestSupport
import Testing
import UserNotifications

@testable import Longhaul
@testable import LonghaulApple

/// Notifications of sessions beside those of the app.
extension AppleSystems {
    @Suite struct NotificationTests {
        /// The notification center ends a process that is not an app.
        @Test func processThatIsNotAnAppShowsNoNotification() async throws {
            let world = try await AppWorld()
            world.configuration.notifications = NotificationSettings(appName: "Photos")
            world.bundleIdentifier = nil
            UNUserNotificationCenter.setInApp(false)
            defer { UNUserNotificationCenter.setInApp(true) }
            try await world.open()
            try #require(world.process).app.becomeNotificationDelegate()
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
            try #require(world.process).app.becomeNotificationDelegate()
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
            NotificationPresenter.ofProcess.becomeDelegate()
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
            NotificationPresenter.ofProcess.becomeDelegate()
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
            NotificationPresenter.ofProcess.becomeDelegate()
            let content = UNNotificationContent()
            let shown = ["mine", "longhaul/org.example.other/s"].map { name in
                center.present(UNNotificationRequest(identifier: name, content: content, trigger: nil))
            }
            #expect(shown == [.list, [.banner, .list]])
            center.openSettings()
            #expect(own.settings.withLock { $0 } == 1)
        }

        @Test func sessionSetsNoDelegateAutomatically() async throws {
            let world = try await AppWorld()
            world.configuration.notifications = NotificationSettings(appName: "Photos")
            let center = UNUserNotificationCenter.current()
            center.delegate = nil
            try await world.open()
            try await world.session.notify(PlainNotification("storm", title: "Take a photo"))
            try await world.wait("the notification is shown") { world.notifications == ["Take a photo"] }
            #expect(center.delegate == nil)
            try #require(world.process).app.becomeNotificationDelegate()
            #expect(center.delegate === NotificationPresenter.ofProcess)
            await world.end()
        }

        /// An app that sets its delegate after Longhaul, or instead of it.
        @Test func ownDelegateForwardsToTheSession() async throws {
            final class Own: NSObject, UNUserNotificationCenterDelegate {
                let app: AppSession
                let taps = Mutex<[String]>([])
                init(_ app: AppSession) { self.app = app }

                func userNotificationCenter(
                    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
                    withCompletionHandler completionHandler:
                        @escaping @Sendable (UNNotificationPresentationOptions) -> Void
                ) { completionHandler(app.presentation(of: notification) ?? .list) }

                func userNotificationCenter(
                    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
                    withCompletionHandler completionHandler: @escaping @Sendable () -> Void
                ) {
                    let name = response.notification.request.identifier
                    if !app.receive(response) { taps.withLock { $0.append(name) } }
                    completionHandler()
                }
            }
            let world = try await AppWorld()
            world.configuration.notifications = NotificationSettings(appName: "Photos")
            try await world.open()
            let own = Own(try #require(world.process).app)
            let center = UNUserNotificationCenter.current()
            center.delegate = own
            let session = try await world.session
            try await session.notify(PlainNotification("storm", title: "Take a photo"))
            try await world.wait("the notification is shown") { world.notifications == ["Take a photo"] }
            let shown = try #require(center.shown.first)
            let other = UNNotificationRequest(identifier: "mine", content: UNNotificationContent(), trigger: nil)
            #expect(center.present(shown) == [.banner, .list] && center.present(other) == .list)
            center.add(other)
            center.tap("mine")
            center.tap(shown.identifier)
            #expect(own.taps.withLock { $0 } == ["mine"])
            try await world.wait("the session has the tap") {
                try await session.pendingEvents().contains { event in
                    if case .notificationTapped(let tap) = event.kind { tap.identifier == "storm" } else { false }
                }
            }
            await world.end()
        }

        @Test func refusedNotificationDoesNotCountAsShown() async throws {
            let world = try await AppWorld()
            world.configuration.notifications = NotificationSettings(appName: "Photos")
            let center = UNUserNotificationCenter.current()
            try await world.open()
            let session = try await world.session
            let shown: @Sendable () async throws -> Int = {
                try await session.backend.notifications(.status).shown
            }
            try await session.notify(PlainNotification("storm", title: "Take a photo"))
            try await world.wait("the notification is shown") { try await shown() == 1 }
            center.reset(refuses: true)
            try await session.notify(PlainNotification("storm", title: "Take another photo"))
            try await world.wait("the session has the refusal") { try await shown() == 0 }
            #expect(world.notifications == [])
            await world.end()
        }
    }
}
