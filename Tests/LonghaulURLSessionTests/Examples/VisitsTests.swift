import Foundation
import FoundationDouble
@testable import Longhaul
import LonghaulCore
import Synchronization
import Testing

@testable import VisitsExample

/// The app that reports the end of a visit.
extension AppleSystems {
    @Suite struct VisitsTests {
        /// Performs the requests with one idempotency key once, and is silent until a test lets it respond.
        private final class Server: Sendable {
            struct Report: Equatable, Sendable {
                var end: String
                var visit: String
                var key: String
            }

            private let state = Mutex<(status: Int?, reports: [Report])>((nil, []))

            var reports: [Report] { state.withLock(\.reports) }
            var ends: [String] { reports.map(\.end) }

            func respond(_ status: Int) { state.withLock { $0.status = status } }

            func answer(_ request: URLRequest, _ body: Data) -> SimulatedNetwork.Answer? {
                guard request.httpMethod == "POST" else { return .init(405) }
                let report = Report(
                    end: request.url?.lastPathComponent ?? "", visit: String(decoding: body, as: UTF8.self),
                    key: request.value(forHTTPHeaderField: "Idempotency-Key") ?? UUID().uuidString)
                return state.withLock { state in
                    if !state.reports.contains(report) { state.reports.append(report) }
                    return state.status.map { .init($0) }
                }
            }
        }

        private static func phone(_ server: Server) async throws -> Phone {
            let phone = try await Phone(VisitsApp.self)
            phone.world.device.changeNetwork { $0.server = { request, body in server.answer(request, body) } }
            return phone
        }

        /// The user opens the app, and the last will is on the disk.
        private static func begin(_ phone: Phone) async throws {
            try await phone.open()
            try await phone.wait("the last will is stored") {
                guard case .info(let info) = try await phone.world.session.backend.send(.info) else { return false }
                return info.lastWills == 1
            }
        }

        private static func setOnline(_ isOnline: Bool, _ phone: Phone) {
            phone.world.device.changeNetwork { $0.isOnline = isOnline }
        }

        /// The row of a report whose text begins with the way in which the visit ended.
        private static func showsDelivered(_ end: String, _ phone: Phone) async throws {
            try await phone.shows("Delivered")
            let texts = await phone.texts
            let row = try #require(texts.first { $0.hasPrefix("Visit \(end), ") }, "\(texts)")
            #expect(row.contains(String(Calendar.current.component(.year, from: .now))))
            #expect(texts.count { $0 == "Delivered" } == 1)
            #expect(await phone.buttons == ["Remove"])
        }

        /// The server responds eight seconds after the notice, and the process ends after five. The report is sent again, with its key.
        @Test(arguments: [false, true]) func reportAtTerminationIsTriedAtOnce(_ isForced: Bool) async throws {
            let server = Server()
            let phone = try await Self.phone(server)
            try await Self.begin(phone)
            async let notice: Void = Screen.terminate()
            try await phone.go("the report is sent before the process ends") { server.ends == ["ended"] }
            await notice
            phone.world.device.pass(5)
            if isForced { await phone.forceQuit() } else { await phone.kill() }
            phone.world.device.pass(3)
            server.respond(200)
            try await Self.begin(phone)
            try await Self.showsDelivered("ended", phone)
            #expect(server.ends == ["ended"] && server.reports.allSatisfy { UUID(uuidString: $0.visit) != nil })
            await phone.end()
        }

        @Test func reportStoredOfflineStartsAppWhenDelivered() async throws {
            let server = Server()
            server.respond(200)
            let phone = try await Self.phone(server)
            try await Self.begin(phone)
            Self.setOnline(false, phone)
            await phone.quit()
            Self.setOnline(true, phone)
            try await phone.world.goUntilLaunched()
            #expect(phone.world.device.launches == ["org.example.Visits.longhaul"] && server.ends == ["ended"])
            // A launch in the background is no visit: its end is not reported.
            await phone.quit()
            try await Self.begin(phone)
            try await Self.showsDelivered("ended", phone)
            #expect(server.ends == ["ended"] && phone.world.arrivals("POST") == 1)
            try await phone.tap("Remove", beside: "Delivered")
            try await phone.hides("Delivered")
            await phone.end()
        }

        @Test func reportStoredOfflineSurvivesForceQuit() async throws {
            let server = Server()
            server.respond(200)
            let phone = try await Self.phone(server)
            try await Self.begin(phone)
            Self.setOnline(false, phone)
            await Screen.terminate()
            await phone.forceQuit()
            try await Self.begin(phone)
            try await phone.wait("the report is shown") { await phone.texts.contains { $0.hasPrefix("Visit ended, ") } }
            #expect(await phone.buttons == [] && server.ends == [])
            Self.setOnline(true, phone)
            try await Self.showsDelivered("ended", phone)
            #expect(server.ends == ["ended"] && phone.world.arrivals("POST") == 1)
            await phone.end()
        }

        @Test(arguments: [false, true]) func lastWillReportsKillOnce(_ isForced: Bool) async throws {
            let server = Server()
            server.respond(200)
            let phone = try await Self.phone(server)
            try await Self.begin(phone)
            try await phone.leave()
            if isForced { await phone.forceQuit() } else { await phone.kill() }
            #expect(server.ends == [])
            try await Self.begin(phone)
            try await Self.showsDelivered("lost", phone)
            #expect(server.ends == ["lost"])
            // The next visit has its own last will.
            await phone.kill()
            try await Self.begin(phone)
            try await phone.go("the next kill is reported") { server.ends == ["lost", "lost"] }
            #expect(Set(server.reports.map(\.visit)).count == 2 && Set(server.reports.map(\.key)).count == 2)
            await phone.end()
        }

        @Test func refusedReportWaitsForTheUser() async throws {
            let server = Server()
            server.respond(403)
            let phone = try await Self.phone(server)
            try await Self.begin(phone)
            await phone.quit()
            try await Self.begin(phone)
            try await phone.go("the refusal is shown") { await phone.texts.contains { $0.hasPrefix("Failed: ") } }
            server.respond(200)
            try await phone.tap("Retry")
            try await Self.showsDelivered("ended", phone)
            await phone.end()
        }
    }
}
