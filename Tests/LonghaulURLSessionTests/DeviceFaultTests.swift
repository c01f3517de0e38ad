import Foundation
import FoundationDouble
import LonghaulCore
import LonghaulRuntime
@testable import LonghaulURLSession
import Synchronization
import TestSupport
import Testing

/// The faults for which a device kills an app, the resources it withholds, and their effects on transfers.
extension AppleSystems {
    @Suite struct DeviceFaultTests {
        private final class RecordingDelegate: NSObject, URLSessionDownloadDelegate {
            let ends = Mutex(0)
            let codes = Mutex<[Int?]>([])

            func urlSession(
                _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
            ) {}
            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                ends.withLock { $0 += 1 }
                codes.withLock { $0.append((error as NSError?)?.code) }
            }
        }

        /// Events that it received count as delivered: the next process does not get them.
        @Test func anAppThatDoesNotCallItsCompletionHandlerIsEnded() throws {
            let device = SimulatedDevice()
            SimulatedDevice.current = device
            device.changeNetwork { $0.server = { _, _ in .init(200, [:], Data(count: 1_000)) } }
            let ear = RecordingDelegate()
            let made = Mutex<[URLSession]>([])
            let make: @Sendable () -> URLSession = {
                URLSession(configuration: .background(withIdentifier: "org.example"), delegate: ear, delegateQueue: nil)
            }
            device.whenLaunched {
                made.withLock { $0.append(make()) }
            } events: { _, _ in
            }
            let session = make()
            session.downloadTask(with: URLRequest(url: try #require(URL(string: "http://server.example/")))).resume()
            device.enter(.dead)
            device.step()
            let launched = try #require(made.withLock { $0.last })
            launched.delegateQueue.waitUntilAllOperationsAreFinished()
            #expect(device.openHandlers == 1 && ear.ends.withLock { $0 } == 1)
            device.runOutOfPatience()
            #expect(device.faults == ["a completion handler was not called in time"] && device.openHandlers == 0)
            device.enter(.foreground)
            make().delegateQueue.waitUntilAllOperationsAreFinished()
            #expect(ear.ends.withLock { $0 } == 1)
            device.runOutOfPatience()
            #expect(device.faults.count == 1)
        }

        /// Even if everything hangs, the app's handler is called before the system's time limit.
        @Test func theCompletionHandlerIsCalledWhenTheTimeForItIsOver() async throws {
            let calls = Mutex(0)
            let desk = LaunchCompletion(limit: 0.02) { calls.withLock { $0 += 1 } }
            for _ in 0..<3_000 where calls.withLock({ $0 == 0 }) { try await Task.sleep(for: .milliseconds(1)) }
            desk.finish()
            await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
            #expect(calls.withLock { $0 } == 1)
        }

        @Test func anAppThatStandsStillWithASharedLockIsEnded() {
            let device = SimulatedDevice()
            let process = device.process
            device.enter(.suspended)
            #expect(device.faults.isEmpty && device.process == process)
            device.enter(.foreground)
            device.whenAskedForLocks { ["store.sqlite"] }
            device.enter(.background)
            #expect(device.faults.isEmpty)
            device.enter(.suspended)
            #expect(device.faults == ["suspended while holding locks: store.sqlite"] && device.process == process + 1)
        }

        @Test(arguments: [true, false]) func movedContainerHasNewPaths(_ tasksFollow: Bool) throws {
            let temporary = try TemporaryDirectory()
            let (old, new) = (temporary.path("old"), temporary.path("new"))
            try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
            try Data(count: 1_000).write(to: URL(fileURLWithPath: old + "/photo"))
            let device = SimulatedDevice()
            SimulatedDevice.current = device
            device.changeNetwork { $0.server = { _, _ in .init(201) } }
            let session = URLSession(
                configuration: .background(withIdentifier: "org.example"), delegate: nil, delegateQueue: nil)
            let request = URLRequest(url: try #require(URL(string: "http://server.example/")))
            session.uploadTask(with: request, fromFile: URL(fileURLWithPath: old + "/photo")).resume()
            device.enter(.dead)
            try device.moveContainer(from: old, to: new, tasksFollow: tasksFollow)
            #expect(!FileManager.default.fileExists(atPath: old))
            device.step()
            #expect(device.network.requests.count == (tasksFollow ? 1 : 0))
            let ear = RecordingDelegate()
            let next = URLSession(
                configuration: .background(withIdentifier: "org.example"), delegate: ear, delegateQueue: nil)
            device.enter(.foreground)
            next.delegateQueue.waitUntilAllOperationsAreFinished()
            let code = URLError.Code.fileDoesNotExist.rawValue
            #expect(ear.codes.withLock { $0 } == [tasksFollow ? nil : code])
        }

        /// The locked device makes a photo unreadable.
        @Test func lockedFileWaitsForTheUnlocking() async throws {
            let world = try SystemWorld()
            let spec = try world.upload("PUT", 200_000)
            let upload = try await world.submit(spec)
            try await world.tasks(1)
            world.device.lock(true, closing: spec.sources.map(\.path))
            try await world.go("it waits") { Self.waits(try await world.state(upload)) }
            #expect(try await world.state(upload).description.hasPrefix("Waiting for the device to be unlocked."))
            // A try before the unlocking uses no retry.
            for _ in 0..<8 {
                world.pass(60)
                try await world.go("it waits again") { Self.waits(try await world.state(upload)) }
            }
            #expect(world.device.network.bytesSent == 0)
            world.device.lock(false)
            world.runtime?.reportUnlock()
            try await world.go("it ends") { try await world.state(upload) == .succeeded }
            world.end()
        }

        private static func waits(_ state: TransferState) -> Bool {
            if case .waiting(let waiting) = state { waiting.reason == .unlock } else { false }
        }

        /// The system may have sent it before, and does not report its earlier attempts.
        @Test func lockedFileOfARequestLeavesItsOutcomeUnknown() async throws {
            let world = try SystemWorld()
            let spec = try world.upload("POST", 200_000)
            let upload = try await world.submit(spec)
            try await world.tasks(1)
            world.device.lock(true, closing: spec.sources.map(\.path))
            try await world.go("it ends") { try await world.state(upload).isEnded }
            guard case .failed(let failure) = try await world.state(upload) else { throw Unexpected() }
            #expect(failure.code == .outcomeUnknown && world.device.network.bytesSent == 0)
            world.end()
        }

        /// Another process uses the session, so a task in it would raise an exception. A transfer that waits for its time needs the
        /// background session, and waits.
        @Test func transfersUseTheForegroundWithoutABackgroundSession() async throws {
            let world = try SystemWorld()
            for identifier in [SystemWorld.identifier, SystemWorld.identifier + ".discretionary"] {
                world.device.invalidate(identifier, code: .backgroundSessionInUseByAnotherProcess)
            }
            #expect(try await world.systemTasks().isEmpty)
            world.device.changeNetwork { $0.isOnline = false }
            let put = try await world.submit(world.upload("PUT", 1_000))
            var later = try world.upload("PUT", 2_000)
            later.options.earliestBeginDate = WallTime(seconds: 1_800_000_600)
            let post = try await world.submit(later)
            try await world.tasks(1)
            try await world.leaveToSystem()
            try await world.wait("it was tried") { try await world.detail(post).lastFailure != nil }
            try await world.tasks(1)
            #expect(world.device.unfinished(inBackground: true) == 0)
            #expect(try await world.detail(post).lastFailure?.code == .interrupted)
            world.device.changeNetwork { $0.isOnline = true }
            try await world.go("it ends") { try await world.state(put) == .succeeded }
            world.passTogether(1_000)
            try await world.send(.control(.retry, .ids([post])))
            try await world.go("it ends") { try await world.state(post) == .succeeded }
            world.end()
        }

        @Test func endedEngineReleasesItsForegroundSession() async throws {
            let world = try SystemWorld(lane: .front)
            weak let front = world.engine?.lanes.front.sessions.first
            #expect(front != nil)
            world.die()
            try await world.wait("it is released") { front == nil }
            world.end()
        }

        /// Creating a task takes time, and an app that leaves has about five seconds: so it creates one batch only.
        @Test func exitCreatesOnlyOneBatchOfTasks() async throws {
            let world = try SystemWorld(lane: .front)
            world.device.changeNetwork { $0.isOnline = false }
            try await world.send(.setLimits(SessionLimits(total: 4, perHost: 4)))
            let spec = try world.upload("PUT", 1_000)
            for _ in 0..<300 { _ = try await world.submit(spec) }
            try await world.tasks(4)
            try await world.leaveToSystem()
            try await world.wait("a batch") { world.device.unfinished(inBackground: true) == 64 }
            try await world.send(.info)
            #expect(world.device.unfinished(inBackground: true) == 64 && world.device.timeSpentMaking < 1)
            world.end()
        }
    }
}
