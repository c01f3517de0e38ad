import Foundation
import FoundationDouble
import LonghaulApple
import LonghaulCore
import Network
import Synchronization
import TestSupport
import Testing

@testable import ReceiptsExample

/// The app whose multipart uploads are found again.
extension AppleSystems {
    @Suite struct ReceiptsTests {
        /// Performs the forms with one key once, if they have a valid token.
        private final class Server: Sendable {
            private let state = Mutex<(keys: Set<String>, mayRespond: Bool, token: String)>(([], false, "token"))

            func respond(_ mayRespond: Bool = true) { state.withLock { $0.mayRespond = mayRespond } }
            func accept(token: String) { state.withLock { $0.token = token } }
            /// The number of forms that it has performed.
            var effects: Int { state.withLock(\.keys.count) }

            func answer(_ request: URLRequest) -> SimulatedNetwork.Answer? {
                let key = request.value(forHTTPHeaderField: "Idempotency-Key")
                let authorization = request.value(forHTTPHeaderField: "Authorization")
                return state.withLock { state in
                    guard authorization == "Bearer \(state.token)" else { return .init(401) }
                    state.keys.insert(key ?? UUID().uuidString)
                    return state.mayRespond ? .init(201) : nil
                }
            }
        }

        private static func phone(_ server: Server) async throws -> Phone {
            let phone = try await Phone(ReceiptsApp.self)
            phone.world.device.changeNetwork { $0.server = { request, _ in server.answer(request) } }
            return phone
        }

        private static func found(_ count: Int) -> String { "Unfinished uploads of earlier launches: \(count)" }

        /// Returns the text of the only row.
        private static func receipt(_ phone: Phone) async throws -> String {
            try await phone.wait("a receipt") { await phone.texts.contains { $0.hasPrefix("Receipt of") } }
            return try #require(await phone.texts.first { $0.hasPrefix("Receipt of") })
        }

        @Test func formIsFoundAgainByTheNextLaunch() async throws {
            let server = Server()
            let phone = try await Self.phone(server)
            try await phone.open()
            try await phone.shows(Self.found(0))
            try await phone.pick(try phone.world.photo(400_000))
            let receipt = try await Self.receipt(phone)
            try await phone.wait("it is begun") { phone.world.device.unfinished() == 1 }
            try await phone.go("its body begins") { phone.world.device.network.bytesSent > 0 }
            for _ in 1..<3 { phone.world.device.step() }
            try await phone.wait("the row shows progress") { await phone.progress.contains { 0.1..<1 ~= $0 ?? 0 } }
            try await phone.leave(handingOver: 1)
            await phone.kill()

            // The task is still in the system's session.
            try await phone.open()
            try await phone.shows(Self.found(1))
            #expect(try await Self.receipt(phone) == receipt)
            #expect(phone.world.device.unfinished(inBackground: true) == 1)
            try await phone.leave()
            await phone.kill()
            server.respond()
            try await phone.world.goUntilLaunched()
            try await phone.open()
            try await phone.shows("Succeeded.")
            try await Self.checkForm(phone)
            // A form that has ended is not counted.
            await phone.kill()
            try await phone.open()
            try await phone.shows(Self.found(0))
            try await phone.tap("Remove", beside: receipt)
            try await phone.hides(receipt)
            await phone.end()
        }

        /// The body has a boundary that is in none of its parts, and the names and types of the parts (RFC 7578).
        private static func checkForm(_ phone: Phone) async throws {
            let (request, body, _) = try #require(phone.world.device.network.requests.last)
            let type = try #require(request.value(forHTTPHeaderField: "Content-Type"))
            let boundary = try #require(type.firstMatch(of: /^multipart\/form-data; boundary="?([^"]+)"?$/)).1
            let form = try #require(String(bytes: body.filter { $0 < 128 }, encoding: .ascii))
            let parts = form.components(separatedBy: "--\(boundary)")
            #expect(parts.count == 4 && parts[0].isEmpty && parts[3] == "--\r\n")
            #expect(parts[1].contains("name=\"title\"") && parts[1].contains("Receipt of"))
            #expect(parts[2].contains("name=\"photo\"; filename=\"receipt.jpg\""))
            #expect(parts[2].contains("Content-Type: image/jpeg"))
            #expect(body.count > 400_000)
        }

        @Test func forceQuitContinuesByDefault() async throws {
            let server = Server()
            let phone = try await Self.phone(server)
            try await phone.open()
            try await phone.pick(try phone.world.photo(400_000))
            _ = try await Self.receipt(phone)
            try await phone.leave(handingOver: 1)
            await phone.forceQuit()
            #expect(phone.world.device.unfinished() == 0)
            try await phone.open()
            try await phone.shows(Self.found(1))
            server.respond()
            try await phone.shows("Succeeded.")
            #expect(server.effects == 1)
            await phone.end()
        }

        @Test func userResumesOrCancelsEachForm() async throws {
            let server = Server()
            server.respond()
            let phone = try await Self.phone(server)
            try await phone.open()
            try await phone.pick(try phone.world.photo(400_000))
            let receipt = try await Self.receipt(phone)
            try await phone.tap("Pause", beside: receipt)
            try await phone.shows("Paused.", advances: false)
            await phone.kill()
            try await phone.open()
            try await phone.shows(Self.found(1))
            try await phone.tap("Resume", beside: receipt)
            try await phone.shows("Succeeded.")
            try await phone.tap("Remove", beside: receipt)
            try await phone.hides(receipt)

            NWPathMonitor.change(to: NWPath(.unsatisfied))
            try await phone.pick(try phone.world.photo(400_000))
            let second = try await Self.receipt(phone)
            try await phone.tap("Cancel", beside: second)
            try await phone.shows("Cancelled.", advances: false)
            try await phone.tap("Remove", beside: second)
            try await phone.hides(second)
            NWPathMonitor.change(to: NWPath(.satisfied, .wifi))
            #expect(server.effects == 1)
            await phone.end()
        }

        @Test func refusedFormIsRetriedByUser() async throws {
            let phone = try await Phone(ReceiptsApp.self)
            phone.world.device.changeNetwork { $0.server = { _, _ in .init(403) } }
            try await phone.open()
            try await phone.pick(try phone.world.photo(1_000))
            let receipt = try await Self.receipt(phone)
            try await phone.go("it has failed") { await phone.texts.contains { $0.hasPrefix("Failed") } }
            phone.world.device.changeNetwork { $0.server = { _, _ in .init(201) } }
            try await phone.tap("Retry", beside: receipt)
            try await phone.shows("Succeeded.")
            await phone.end()
        }

        /// The connection breaks after the server has the whole form.
        @Test func lostResponseSendsFormAgainUnderItsKey() async throws {
            let server = Server()
            let phone = try await Self.phone(server)
            try await phone.open()
            try await phone.pick(try phone.world.photo(400_000))
            try await phone.shows("Waiting for the response.")
            phone.world.device.breakConnections()
            server.respond()
            try await phone.shows("Succeeded.")
            #expect(server.effects == 1 && phone.world.arrivals("POST") == 2)
            await phone.end()
        }

        @Test func formsOfOneMinuteAreSeparateReceipts() async throws {
            let server = Server()
            server.respond()
            let phone = try await Self.phone(server)
            try await phone.open()
            for (count, size) in [(1, 1_000), (2, 2_000)] {
                try await phone.pick(try phone.world.photo(size))
                try await phone.go("\(count) succeed") { await phone.texts.count { $0 == "Succeeded." } == count }
            }
            #expect(server.effects == 2)
            await phone.end()
        }

        /// The token expires while the system sends the form, and the app is not running.
        @Test func expiredTokenIsRenewed() async throws {
            let server = Server()
            let phone = try await Self.phone(server)
            try await phone.open()
            try await phone.pick(try phone.world.photo(400_000))
            _ = try await Self.receipt(phone)
            try await phone.leave(handingOver: 1)
            await phone.kill()
            server.accept(token: "renewed token")
            server.respond()
            try await phone.world.goUntilLaunched()
            try await phone.open()
            try await phone.shows("Succeeded.")
            let requests = phone.world.device.network.requests.map(\.request)
            let tokens = requests.map { $0.value(forHTTPHeaderField: "Authorization") }
            // The launch may try the old token once more.
            #expect(tokens.first == "Bearer token" && tokens.last == "Bearer renewed token")
            #expect(server.effects == 1)
            await phone.end()
        }

        @Test(arguments: [false, true]) func formFailsAfterSevenDays(_ isOver: Bool) async throws {
            let server = Server()
            let phone = try await Self.phone(server)
            let passed = Mutex(Duration.zero)
            phone.world.adjust = { surroundings in
                let now = surroundings.now
                surroundings.now = { now() + passed.withLock(\.self) }
                surroundings.onSystemClock = { $0 + (.zero - passed.withLock(\.self)) }
            }
            try await phone.open()
            try await phone.pick(try phone.world.photo(400_000))
            _ = try await Self.receipt(phone)
            try await phone.leave(handingOver: 1)
            await phone.kill()
            passed.withLock { $0 = .seconds(7 * 86_400 + (isOver ? 60 : -60)) }
            server.respond()
            try await phone.open()
            try await phone.go("it has ended") {
                await phone.texts.contains { isOver ? $0.hasPrefix("Failed") : $0 == "Succeeded." }
            }
            await phone.end()
        }
    }
}
