import Foundation
import FoundationDouble
import LonghaulCore
import Synchronization
import TestSupport
import Testing

@testable import Longhaul

/// An app leaves: its active transfers go to the system, through the calls that apps use.
extension AppleSystems {
    @Suite struct LaneTests {
        enum Kind: CaseIterable { case tus, raw, form }

        private static let size = 400_000

        /// The app leaves at a percentage of the body, and is killed; the bytes sent twice are the ones in the report.
        @Test(arguments: Kind.allCases, [0, 50, 99, 100]) func bytesSentTwiceMatchReport(
            _ kind: Kind, _ percent: Int
        ) async throws {
            let world = try LaneWorld()
            let server = TusPlayer(answersAtOnce: percent < 100)
            world.device.changeNetwork { network in
                network.server = { server.answer($0, $1) }
                network.cutOff = { server.keep($0, $1) }
                // No byte of a body is sent before the test allows it.
                network.portion = 0
            }
            let session = try await world.open()
            let file = try Self.file(in: world)
            let upload =
                switch kind {
                case .tus: try await session.uploadResumably(file: file, to: "http://server.example/files")
                case .raw: try await session.upload(file: file, to: "http://server.example/a", method: "POST")
                case .form:
                    try await session.upload(
                        form: [.file(name: "file", path: file)], to: "http://server.example/f", method: "POST")
                }
            let portion = Int64(Self.size / 100 * percent)
            try await world.system.go("its body is on its way") {
                try await world.system.state(upload.id) == .running(.sending) && world.device.unfinished() == 1
            }
            if percent > 0 {
                // A form is somewhat longer than its file.
                world.device.changeNetwork { $0.portion = percent == 100 ? 1 << 20 : portion }
                world.device.step()
            }
            if percent == 100 {
                try await world.system.wait("its answer is awaited") {
                    try await world.system.state(upload.id) == .awaitingResponse
                }
            }
            // A tus server is queried meanwhile; no body bytes are sent.
            world.device.changeNetwork { $0.portion = 0 }
            async let left = world.enterBackground(within: percent == 100 ? .seconds(1) : .seconds(60))
            if percent < 100 {
                try await world.system.go("the system has it") {
                    world.device.unfinished(inBackground: true) == 1 && world.device.unfinished() == 1
                }
            }
            let report = await left
            world.device.changeNetwork { $0.portion = 1 << 20 }
            let action = try #require(report?.actions[upload.id])
            let repeated = kind == .tus || percent == 100 ? 0 : portion
            #expect(action == (percent == 100 ? .awaitAnswer : .handOver(repeating: repeated)))
            let length = world.device.network.bytesSent
            #expect(percent < 100 || world.device.unfinished(inBackground: true) == 0)
            server.answerNow()
            if percent == 100 { world.device.step() } else { await world.die() }
            try await world.system.go("it ends") {
                if percent < 100 { return world.device.unfinished() == 0 && world.device.launches.count == 1 }
                return try await world.system.state(upload.id) == .succeeded
            }
            if percent < 100 {
                try await world.system.go("it is heard") {
                    try await world.system.state(upload.id) == .succeeded && world.device.openHandlers == 0
                }
            }
            #expect(server.isWhole)
            #expect(world.device.network.bytesSent == server.received && server.received >= length)
            #expect(server.received - server.length == repeated)
            await world.end()
        }

        /// More than the session's limits allow at once, and transfers that wait for a start time or for Wi-Fi: one batch, and one launch
        /// for all.
        @Test func waitingTransfersMoveInOneBatch() async throws {
            let world = try LaneWorld()
            let session = try await world.open()
            try await session.setLimits(SessionLimits(total: 2))
            world.device.changeNetwork { $0.isOnline = false }
            world.system.useModem(true)
            var uploads: [Transfer] = []
            for number in 0..<12 {
                var options = TransferOptions()
                if number == 10 { options.conditions.allowsExpensiveNetworkAccess = false }
                if number == 11 { options.earliestBeginDate = WallTime(seconds: 1_800_000_000 + 3_600) }
                uploads.append(
                    try await session.upload(
                        file: Self.file(in: world, number), to: "http://server.example/\(number)", options: options))
            }
            try await world.system.tasks(2)
            await world.enterBackground()
            #expect(world.device.unfinished(inBackground: true) == 12 && world.device.unfinished() == 12)

            // In the foreground, transfers that the system cannot start yet hold no slot.
            await world.comeBack()
            try await world.system.wait("it waits here again") {
                [try await uploads[10].snapshot().state, try await uploads[11].snapshot().state].allSatisfy {
                    if case .waiting(let waiting) = $0 {
                        [.metered, .notBefore].contains(waiting.reason)
                    } else {
                        false
                    }
                }
            }
            await world.enterBackground()
            await world.die()
            world.device.changeNetwork { ($0.isOnline, $0.portion) = (true, 1 << 20) }
            // Tasks created in the background are discretionary: none is transferred over the modem.
            world.device.step()
            #expect(world.device.unfinished() == 12)
            world.system.useModem(false)
            world.device.step()
            #expect(world.device.unfinished() == 1 && world.device.launches.isEmpty)
            world.system.passTogether(3_600)
            try await world.system.go("launched once") {
                world.device.launches.count == 1 && world.device.openHandlers == 0
            }
            for upload in uploads { #expect(try await world.system.state(upload.id) == .succeeded) }
            #expect(world.arrivals.count == 12 && Set(world.arrivals).count == 12)
            await world.end()
        }

        @Test func nearlyFinishedUploadEndsInForeground() async throws {
            let world = try LaneWorld()
            let session = try await world.open()
            let upload = try await session.upload(file: Self.file(in: world), to: "http://server.example/a")
            try await world.system.tasks(1)
            for _ in 0..<3 {
                world.device.step()
                world.system.passTogether(1)
                _ = try await upload.snapshot()
            }
            async let left = world.enterBackground()
            try await world.system.go("it ends here") { try await upload.snapshot().state == .succeeded }
            let report = await left
            #expect(report?.actions[upload.id] == .finishHere)
            #expect(world.device.network.bytesSent == Int64(Self.size) && world.arrivals == ["/a"])
            await world.end()
        }

        private static func file(in world: LaneWorld, _ number: Int = 0) throws -> String {
            let path = world.system.temporary.path("photo-\(number)")
            try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: URL(fileURLWithPath: path))
            return path
        }
    }
}

extension LaneWorld {
    var arrivals: [String] { device.network.requests.compactMap { $0.request.url?.path } }
}

/// A server of tus uploads, and of others, that counts each byte of their bodies.
final class TusPlayer: Sendable {
    fileprivate struct State {
        var mayAnswer: Bool
        var file = Data()
        var received: Int64 = 0
        var whole: Int?
    }

    private let state: Mutex<State>

    init(answersAtOnce: Bool) { state = Mutex(State(mayAnswer: answersAtOnce)) }

    func answerNow() { state.withLock { $0.mayAnswer = true } }
    /// Bytes of bodies that arrived.
    var received: Int64 { state.withLock(\.received) }
    /// The length of the body that it accepted in the end.
    var length: Int64 { state.withLock { Int64($0.file.count) } }
    var isWhole: Bool { state.withLock { $0.whole.map { [file = $0.file] in file.count == $0 } ?? false } }

    func answer(_ request: URLRequest, _ body: Data) -> SimulatedNetwork.Answer? {
        state.withLock { state -> SimulatedNetwork.Answer? in
            let fields = ["Tus-Resumable": "1.0.0"]
            switch request.httpMethod {
            case "OPTIONS": return .init(204, ["Tus-Extension": "creation", "Tus-Resumable": "1.0.0"])
            case "HEAD": return .init(200, fields.merging(["Upload-Offset": "\(state.file.count)"]) { $1 })
            case "PATCH":
                guard state.mayAnswer else { return nil }
                state.receive(body, of: request)
                return .init(204, fields.merging(["Upload-Offset": "\(state.file.count)"]) { $1 })
            case "POST" where request.url?.path == "/files":
                state.whole = request.value(forHTTPHeaderField: "Upload-Length").flatMap { Int($0) }
                return .init(201, fields.merging(["Location": "/files/1"]) { $1 })
            default:
                guard state.mayAnswer else { return nil }
                state.file = body
                state.received += Int64(body.count)
                state.whole = body.count
                return .init(201)
            }
        }
    }

    /// Handles the received part of an interrupted body: tus keeps it, other servers discard it.
    func keep(_ request: URLRequest, _ body: Data) {
        state.withLock { state in
            if request.httpMethod == "PATCH" {
                state.receive(body, of: request)
            } else {
                state.received += Int64(body.count)
            }
        }
    }
}

extension TusPlayer.State {
    fileprivate mutating func receive(_ body: Data, of request: URLRequest) {
        received += Int64(body.count)
        guard let offset = request.value(forHTTPHeaderField: "Upload-Offset").flatMap({ Int($0) }), offset == file.count
        else { return }
        file += body
    }
}
