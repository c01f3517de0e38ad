import Foundation
import FoundationDouble
import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulURLSession

/// Resume data that the system does not accept.
extension AppleSystems {
    @Suite struct ResumeDataTests {
        enum Use: CaseIterable { case pausedDownload, movedDownload, pausedUpload, movedUpload }

        private static let refusals = [
            (NSURLErrorDomain, -3003), (NSURLErrorDomain, -3000), (NSURLErrorDomain, -3001), (NSURLErrorDomain, -1000),
            (NSURLErrorDomain, -1002), (NSURLErrorDomain, -1100), (NSURLErrorDomain, -1001), (NSPOSIXErrorDomain, 2),
            ("org.example", 1),
        ]

        /// The error offers the same resume data again.
        private static func refuse(_ domain: String, _ code: Int, _ device: SimulatedDevice) {
            let information = [NSURLSessionDownloadTaskResumeData: Data("refused".utf8)]
            device.refuseResumeData(with: NSError(domain: domain, code: code, userInfo: information))
        }

        /// Starts a transfer that has moved one portion.
        private static func begin(_ use: Use, _ world: SystemWorld) async throws -> TransferID {
            world.device.changeNetwork { $0.keepsUploads = true }
            let id =
                switch use {
                case .pausedDownload, .movedDownload: try await world.submit(world.download())
                case .pausedUpload, .movedUpload: try await world.submit(world.upload("PUT", 300_000))
                }
            try await world.tasks(1)
            world.device.step()
            return id
        }

        private static func pause(_ id: TransferID, _ world: SystemWorld) async throws {
            try await world.send(.control(.pause, .ids([id])))
            try await world.wait("it is paused") {
                try await world.state(id) == .paused && world.device.unfinished() == 0
            }
        }

        @Test(arguments: Use.allCases, refusals)
        func refusedResumeDataCostsOneRetry(_ use: Use, _ refusal: (domain: String, code: Int)) async throws {
            let world = try SystemWorld(lane: use == .movedUpload ? .front : .back)
            let id = try await Self.begin(use, world)
            switch use {
            case .pausedDownload, .pausedUpload:
                try await Self.pause(id, world)
                Self.refuse(refusal.domain, refusal.code, world.device)
                try await world.send(.control(.resume, .ids([id])))
            case .movedDownload:
                try await Self.pause(id, world)
                world.engine?.setLane(.front)
                try await world.send(.control(.resume, .ids([id])))
                try await world.tasks(1)
                Self.refuse(refusal.domain, refusal.code, world.device)
                try await world.leaveToSystem()
            case .movedUpload:
                Self.refuse(refusal.domain, refusal.code, world.device)
                try await world.leaveToSystem()
            }
            let attempts = try await world.detail(id).snapshot.attempts
            try await world.go("it is refused") { try await world.detail(id).lastFailure != nil }
            #expect(try await world.detail(id).lastFailure?.code == .connectionLost)
            world.pass(1_000)
            try await world.send(.control(.retry, .ids([id])))
            try await world.go("it ends") { try await world.state(id).isEnded }
            #expect(try await world.state(id) == .succeeded)
            #expect(try await world.detail(id).snapshot.attempts <= max(attempts, 1) + 2)
            // Only the first portion was transferred twice.
            let network = world.device.network
            #expect(network.bytesSent + network.bytesReceived - 300_000 == 65_536)
            world.end()
        }

        /// The task ends while no process is running.
        @Test func refusalIsRecognizedByTheNextProcess() async throws {
            let world = try SystemWorld()
            let film = try await Self.begin(.pausedDownload, world)
            try await Self.pause(film, world)
            Self.refuse(NSURLErrorDomain, -3003, world.device)
            try await world.send(.control(.resume, .ids([film])))
            try await world.tasks(1)
            world.die()
            world.device.step()
            try world.comeBack()
            try await world.wait("it is refused") { try await world.detail(film).lastFailure != nil }
            #expect(try await world.detail(film).lastFailure?.code == .connectionLost)
            world.pass(1_000)
            try await world.send(.control(.retry, .ids([film])))
            try await world.go("it ends") { try await world.state(film) == .succeeded }
            #expect(world.file() == SystemWorld.content)
            world.end()
        }

        /// The system has emptied the temporary directory, to which the resume data of the foreground session refers.
        @Test func staleResumeDataIsReplacedByTheWholeFile() async throws {
            let world = try SystemWorld()
            let film = try await Self.begin(.pausedDownload, world)
            try await Self.pause(film, world)
            world.engine?.setLane(.front)
            try await world.send(.control(.resume, .ids([film])))
            try await world.tasks(1)
            world.device.step()
            try await Self.pause(film, world)
            world.device.clearTemporaryFiles()
            try await world.send(.control(.resume, .ids([film])))
            try await world.go("it is refused") { try await world.detail(film).lastFailure != nil }
            world.pass(1_000)
            try await world.send(.control(.retry, .ids([film])))
            try await world.go("it ends") { try await world.state(film) == .succeeded }
            #expect(world.file() == SystemWorld.content)
            world.end()
        }
    }
}
