import BackgroundTasks
import Foundation
import FoundationDouble
import Longhaul
import LonghaulApple
import LonghaulCore
import Synchronization
import Testing
import UserNotifications

@testable import StormWatcherExample

/// The app that checks the weather at noon.
extension AppleSystems {
    @Suite struct StormWatcherTests {
        private static let name = "org.example.StormWatcher.refresh"
        private static let question = "It is stormy. Send a photo."

        /// The clock of the device, and the weather on the server. `nil`: the server does not respond.
        private final class Sky: Sendable {
            private let state = Mutex<(lead: Duration, weather: (Int, String)?)>((.zero, nil))

            /// How far the device's clock is ahead of this machine's.
            var lead: Duration { state.withLock(\.lead) }
            var time: Date { Date.now + TimeInterval(lead.components.seconds) }
            func set(_ time: Date) { state.withLock { $0.lead = .seconds(Int(time.timeIntervalSinceNow)) } }
            func turn(_ weather: String?, status: Int = 200) {
                state.withLock { $0.weather = weather.map { (status, $0) } }
            }

            func answer(_ request: URLRequest) -> SimulatedNetwork.Answer? {
                guard request.httpMethod == "GET" else { return .init(201) }
                return state.withLock(\.weather).map { .init($0.0, [:], Data($0.1.utf8)) }
            }
        }

        private static func phone(_ sky: Sky) async throws -> Phone {
            UserDefaults.standard.removeObject(forKey: "log")
            let phone = try await Phone(StormWatcherApp.self)
            phone.world.adjust = { surroundings in
                let now = surroundings.now
                surroundings.now = { now() + sky.lead }
                surroundings.onSystemClock = { $0 + (.zero - sky.lead) }
            }
            phone.world.device.changeNetwork { $0.server = { request, _ in sky.answer(request) } }
            return phone
        }

        /// Waits until the system has a request for a start at noon, after the present time. Returns its date.
        private static func nextNoon(_ phone: Phone, _ sky: Sky) async throws -> Date {
            let date: () -> Date? = {
                BGTaskScheduler.shared.pending[name]?.earliestBeginDate.flatMap { $0 > sky.time ? $0 : nil }
            }
            try await phone.wait("a start is requested") { date() != nil }
            let noon = try #require(date())
            #expect(
                Calendar.current.dateComponents([.hour, .minute], from: noon) == DateComponents(hour: 12, minute: 0))
            #expect(noon < sky.time + 86_401)
            return noon
        }

        /// The system starts the app at a time.
        private static func start(_ phone: Phone, _ sky: Sky, at date: Date) throws -> BGTask {
            sky.set(date + 2)
            phone.world.device.enter(.background)
            if phone.world.process == nil { phone.world.start() }
            return try #require(BGTaskScheduler.shared.launch(name))
        }

        /// Waits until a line of the app's log ends with the text.
        private static func logs(_ text: String, _ phone: Phone, count: Int = 1) async throws {
            try await phone.go("\(count) lines with \(text)") { await phone.texts.count { $0.contains(text) } == count }
        }

        @Test func stormAtNoonAsksForPhoto() async throws {
            let sky = Sky()
            let phone = try await Self.phone(sky)
            try await phone.open()
            let noon = try await Self.nextNoon(phone, sky)
            try await phone.leave()
            // The device restarts.
            await phone.kill()

            let first = try Self.start(phone, sky, at: noon)
            try await phone.wait("the check asks") { phone.world.device.unfinished(inBackground: true) == 1 }
            phone.world.device.step()
            // For the case that the app is killed meanwhile.
            #expect(BGTaskScheduler.shared.pending[Self.name] != nil)
            first.expirationHandler?()
            try await phone.wait("the task is completed") { BGTaskScheduler.shared.completed.count == 1 }
            let second = try await Self.nextNoon(phone, sky)
            #expect(phone.world.device.unfinished(inBackground: true) == 1)
            await phone.kill()

            sky.turn("thunderstorm")
            try await phone.world.goUntilLaunched()
            #expect(phone.world.device.launches == ["org.example.StormWatcher.longhaul"])
            #expect(phone.world.arrivals("GET") == 1 && phone.world.notifications == ["It is stormy"])
            #expect(UNUserNotificationCenter.current().shown.map(\.content.body) == ["Send a photo?"])
            await phone.kill()

            try await phone.tapNotification("It is stormy")
            try await phone.shows(Self.question)
            try await Self.logs("Forecast: thunderstorm", phone)
            try await Self.logs("Check stopped: budgetExpired, ", phone)
            let check = try #require(await phone.texts.first { $0.contains("budgetExpired") })
            let left = try #require(check.split(separator: ", ").last?.split(separator: " ").first.flatMap { Int($0) })
            #expect((1...30).contains(left))
            // The tap is kept until the photo is sent.
            await phone.kill()
            try await phone.open()
            try await phone.shows(Self.question)

            try await phone.pick(try phone.world.photo(300_000), with: "Send a Photo")
            try await phone.wait("the app sends the photo") { phone.world.device.unfinished() == 1 }
            #expect(phone.world.device.unfinished(inBackground: true) == 0)
            try await phone.wait("the photo is shown") { await phone.texts.contains { $0.contains(".jpg: ") } }
            try await phone.wait("the question is gone") { await !phone.texts.contains(Self.question) }
            #expect(await !phone.buttons.contains("Remove"))
            try await phone.leave(handingOver: 1)
            await phone.kill()
            try await phone.world.goUntilLaunched(2)
            let photo = try #require(phone.world.device.network.requests.last { $0.request.httpMethod == "PUT" })
            #expect(photo.body.count == 300_000 && phone.world.notifications == ["Finished"])

            await phone.kill()
            try await phone.tapNotification("Finished")
            let row = "\(try #require(photo.request.url).lastPathComponent): Succeeded."
            try await phone.shows(row)
            try await phone.tap("Remove", beside: row)
            try await phone.hides(row)

            // The app is suspended, with its window.
            try await phone.leave()
            sky.turn("calm")
            _ = try Self.start(phone, sky, at: second)
            try await phone.go("the check is complete") { BGTaskScheduler.shared.completed.count == 2 }
            try await Self.logs("Forecast: calm", phone)
            try await Self.logs("Check finished, ", phone)
            #expect(phone.world.arrivals("GET") == 2 && phone.world.notifications == [])
            #expect(await !phone.texts.contains(Self.question))
            // No forecast has a notification.
            let added = UNUserNotificationCenter.current().added
            #expect(added.filter { $0 != "Continuing in the background" } == ["It is stormy", "Finished"])
            _ = try await Self.nextNoon(phone, sky)
            await phone.end()
        }

        @Test func missedNoonRunsAtNextOpportunity() async throws {
            let sky = Sky()
            sky.turn("calm")
            let phone = try await Self.phone(sky)
            try await phone.open()
            let noon = try await Self.nextNoon(phone, sky)
            await phone.forceQuit()
            // The system does not start an app that the user has quit.
            sky.set(noon + 3 * 86_400 + 3_600)
            try await phone.open()
            try await Self.logs("Check finished, ", phone)
            try await Self.logs("Forecast: calm", phone)
            _ = try await Self.nextNoon(phone, sky)
            #expect(phone.world.arrivals("GET") == 1)
            await phone.end()
        }

        @Test func tapIsHandledWhileForecastIsPending() async throws {
            let sky = Sky()
            let phone = try await Self.phone(sky)
            try await phone.open()
            let noon = try await Self.nextNoon(phone, sky)
            try await phone.leave()
            await phone.kill()
            sky.turn("storm")
            _ = try Self.start(phone, sky, at: noon)
            try await phone.go("it is stormy") { phone.world.notifications == ["It is stormy"] }
            try await phone.wait("the check is complete") { BGTaskScheduler.shared.completed.count == 1 }

            // The next two checks share one request.
            sky.turn(nil)
            for count in 2...3 {
                let next = try await Self.nextNoon(phone, sky)
                let check = try Self.start(phone, sky, at: next)
                try await phone.go("the check waits for the response") {
                    try await phone.world.session.tasks.statuses().contains(where: \.isRunning)
                        && phone.world.arrivals("GET") == 2
                }
                check.expirationHandler?()
                try await phone.wait("the task is completed") { BGTaskScheduler.shared.completed.count == count }
            }
            try await phone.open()
            try await phone.pick(try phone.world.photo(1_000), with: "Send a Photo")
            try await phone.go("the photo arrives") { await phone.texts.contains { $0.hasSuffix(": Succeeded.") } }
            #expect(await !phone.texts.contains { $0.contains("/sky: ") })
            try await phone.tapNotification("It is stormy")
            try await phone.shows(Self.question)
            #expect(phone.world.arrivals("GET") == 2)

            sky.turn("storm", status: 404)
            try await Self.logs("Forecast: error 404", phone)
            #expect(phone.world.notifications == [])
            await phone.end()
        }

        @Test func refusedBackgroundRefreshIsShown() async throws {
            let phone = try await Self.phone(Sky())
            BGTaskScheduler.shared.setAvailable(false)
            try await phone.open()
            try await phone.go("the refusal is shown") {
                await phone.texts.contains { $0.contains("The user can allow it in the settings") }
            }
            await phone.end()
        }
    }
}
