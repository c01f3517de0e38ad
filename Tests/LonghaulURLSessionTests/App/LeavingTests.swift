import Foundation
import FoundationDouble
import LonghaulApple
import LonghaulCore
import Testing
import UserNotifications

/// A photo is uploaded in three ways, and the user leaves the app at some percentage of the body.
extension AppleSystems {
    @Suite struct LeavingTests {
        enum Kind: CaseIterable { case tus, raw, form }

        private static let size = 400_000

        /// Ten minutes pass between the last byte of the body and the response. The app stays a second longer if it shows notifications.
        @Test(arguments: Kind.allCases, [0, 50, 99, 100]) func bytesSentTwiceMatchReport(
            _ kind: Kind, _ percent: Int
        ) async throws {
            let (world, server) = (try await AppWorld(), UploadServer())
            let showsNotifications = percent == 50
            if showsNotifications { world.configuration.notifications = NotificationSettings(appName: "Photos") }
            let photo = try await Self.begin(kind, percent, in: world, server)
            try await world.leaveApp(handingOver: percent == 100 ? 0 : 1)
            #expect(world.notifications == (showsNotifications ? ["Continuing in the background"] : []))
            let repeated = kind == .tus ? 0 : Int64(Self.size / 100 * percent)
            let report = try #require(world.process?.reports.last)
            #expect(report.outcome == .handedOver)
            #expect(report.actions == [photo: percent == 100 ? .awaitAnswer : .handOver(repeating: repeated)])

            world.device.changeNetwork { $0.portion = 1 << 20 }
            if percent < 100 { await world.die() }
            try await world.go("the whole body has been sent") { server.isWhole }
            for _ in 0..<10 {
                world.device.pass(60)
                #expect(!world.device.step())
            }
            #expect(world.device.launches.isEmpty && Self.bodies(kind, world) == 1)
            server.answerNow()
            if percent < 100 {
                try await world.goUntilLaunched()
                #expect(world.notifications == (showsNotifications ? ["Finished"] : []))
            } else {
                // The app that is opened again shows the result itself.
                try await world.open()
                try await world.go("the response is delivered") { try await Self.state(photo, world) == .succeeded }
            }
            #expect(try await Self.state(photo, world) == .succeeded)
            #expect(Self.bodies(kind, world) == 1 && server.isWhole)
            #expect(world.device.network.bytesSent == server.received)
            #expect(server.received - server.length == (percent == 100 ? 0 : repeated))
            try await Self.expectNoSecondDelivery(of: photo, in: world)
            await world.end()
        }

        /// The connection ends with the process. The file is found on a tus server; other servers may have it or not.
        @Test(arguments: Kind.allCases) func killWhileResponseIsPendingSendsNoSecondBody(_ kind: Kind) async throws {
            let (world, server) = (try await AppWorld(), UploadServer())
            let photo = try await Self.begin(kind, 100, in: world, server)
            try await world.leaveApp()
            await world.die()
            server.answerNow()
            try await world.open()
            try await world.go("it ends") { try await Self.state(photo, world).isEnded }
            switch try await Self.state(photo, world) {
            case .succeeded: #expect(kind == .tus)
            case .failed(let failure): #expect(kind != .tus && failure.code == .outcomeUnknown)
            case let other: Issue.record("\(other)")
            }
            #expect(Self.bodies(kind, world) == 1 && world.device.network.bytesSent == server.length)
            await world.end()
        }

        /// Submits the photo, and sends that part of its body in the foreground.
        private static func begin(
            _ kind: Kind, _ percent: Int, in world: AppWorld, _ server: UploadServer
        ) async throws -> TransferID {
            world.device.changeNetwork { network in
                network.server = { server.answer($0, $1) }
                network.cutOff = { server.keep($0, $1) }
                // No byte of a body is sent before the test allows it.
                network.portion = 0
            }
            try await world.open()
            let (session, file) = (try await world.session, try world.photo(size))
            let photo =
                switch kind {
                case .tus: try await session.uploadResumably(file: file, to: "http://server.example/files")
                case .raw: try await session.upload(file: file, to: "http://server.example/a", method: "POST")
                case .form:
                    try await session.upload(form: [.file(name: "f", path: file)], to: "http://server.example/f")
                }
            try await world.go("its body is being sent") {
                try await state(photo.id, world) == .running(.sending) && world.device.unfinished() == 1
            }
            if percent > 0 {
                // A form is somewhat longer than its file.
                world.device.changeNetwork { $0.portion = percent == 100 ? 1 << 20 : Int64(size / 100 * percent) }
                world.device.step()
            }
            if percent == 100 {
                try await world.wait("its response is awaited") {
                    try await state(photo.id, world) == .awaitingResponse
                }
            } else {
                // Only a request for the server's offset is sent until the system has the body.
                world.device.changeNetwork { $0.portion = 0 }
                // Time to stop on a slow machine.
                await Screen.setTime(8)
            }
            return photo.id
        }

        private static func state(_ id: TransferID, _ world: AppWorld) async throws -> TransferState {
            try await world.session.transfer(id).snapshot().state
        }

        /// Returns how many complete bodies the device has sent.
        private static func bodies(_ kind: Kind, _ world: AppWorld) -> Int {
            world.arrivals(kind == .tus ? "PATCH" : "POST")
        }

        /// The user dismisses the notification, and opens the app twice.
        private static func expectNoSecondDelivery(of id: TransferID, in world: AppWorld) async throws {
            let center = UNUserNotificationCenter.current()
            center.removeDeliveredNotifications(withIdentifiers: center.shown.map(\.identifier))
            for _ in 0..<2 {
                await world.die()
                try await world.open()
                let ends = try await world.session.pendingEvents().count { event in
                    if case .transferFinished(let snapshot) = event.kind { snapshot.id == id } else { false }
                }
                #expect(ends == 1 && world.notifications.isEmpty)
            }
            #expect(!world.device.step() && world.device.launches.count < 2)
        }
    }
}
