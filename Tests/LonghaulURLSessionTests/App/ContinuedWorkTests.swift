import BackgroundTasks
import Foundation
import FoundationDouble
import LonghaulCore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulApple

/// Work that the user started in the app, and that continues in the background.
extension AppleSystems {
    @Suite struct ContinuedWorkTests {
        /// Each error of the system has its own sentence.
        @Test func refusedContinuedWorkIsExplained() async throws {
            let world = try await AppWorld()
            try await world.open()
            let work = ContinuedWork(try #require(world.process).app)
            let refusal = { await world.failure { try await work.begin(title: "Films", subtitle: "One") } }
            let (others, names) = ((0..<10).map { "org.example.photos.\($0)" }, "org.example.photos.continued.*")
            // No entry, an entry of another app, and no place.
            BGTaskScheduler.shared.beginLaunch(permitting: ["org.example.photos.continued.1"])
            var failures = [await refusal()]
            BGTaskScheduler.shared.beginLaunch(permitting: [names], bundle: "org.example.films")
            failures.append(await refusal())
            BGTaskScheduler.shared.beginLaunch(permitting: [names] + others)
            for name in others { try BGTaskScheduler.shared.submit(BGProcessingTaskRequest(identifier: name)) }
            failures.append(await refusal())
            BGTaskScheduler.shared.setBusy(true)
            failures.append(await refusal())
            BGTaskScheduler.shared.setAvailable(false)
            failures.append(await refusal())
            #expect(
                failures.map { $0?.code } == [
                    .invalidState, .invalidState, .tooManyPendingTaskRequests, .serviceUnavailable, .serviceUnavailable,
                ])
            let sentences = [
                "\(names) under", "\(names) under", "Cancel one", "cannot start continued work", "in the settings",
            ]
            for (failure, sentence) in zip(failures, sentences) {
                #expect(failure?.message.contains(sentence) == true)
            }
            await world.end()
        }

        /// The second session is not named after the bundle.
        @Test(arguments: [
            ("org.example.photos", ""), ("films", ".films"),
            ("org.example.photosynthesis", ".org.example.photosynthesis"),
        ])
        func continuedWorkReportsProgressUntilTransferSucceeds(_ session: String, _ infix: String) async throws {
            let world = try await AppWorld()
            world.sessionName = session
            let names = "org.example.photos\(infix).continued"
            BGTaskScheduler.shared.beginLaunch(permitting: [names + ".*"])
            try await world.open()
            let work = ContinuedWork(try #require(world.process).app)
            let film = try await world.session.download(
                from: "http://server.example/film.mp4", to: world.temporary.path, fileName: "film.mp4")
            try await work.begin(title: "Films", subtitle: "One")
            #expect(BGTaskScheduler.shared.pending.count == 1)
            let name = try #require(BGTaskScheduler.shared.pending.keys.first)
            #expect(name.hasPrefix(names + "."))
            let task = try #require(BGTaskScheduler.shared.launch(name) as? BGContinuedProcessingTask)
            let progress = task.progress
            try await world.go("it ends") { try await film.snapshot().state == .succeeded }
            try await world.wait("it is done") {
                BGTaskScheduler.shared.completed == [.init(identifier: name, isSuccess: true)]
            }
            #expect(progress.totalUnitCount > 0 && progress.completedUnitCount == progress.totalUnitCount)
            await world.end()
        }

        /// Each of them runs, and the system still has the request of an earlier launch.
        @Test func continuedWorksNeverShareAName() async throws {
            let world = try await AppWorld()
            let listed = ["org.example.photos.continued.*"]
            for launch in 1...2 {
                BGTaskScheduler.shared.beginLaunch(permitting: listed)
                try await world.open()
                let app = try #require(world.process).app
                for work in [ContinuedWork(app), ContinuedWork(app)] {
                    try await work.begin(title: "Films", subtitle: "One")
                    try await work.begin(title: "Films", subtitle: "Two")
                }
                #expect(BGTaskScheduler.shared.pending.count == 4 * launch)
                await world.die()
            }
            await world.end()
        }

        /// The state of the transfer does not change meanwhile.
        @Test func progressMovesWithTheBytes() async throws {
            let world = try await AppWorld()
            BGTaskScheduler.shared.beginLaunch(permitting: ["org.example.photos.continued.*"])
            try await world.open()
            let photo = try await world.session.upload(file: try world.photo(400_000), to: "http://server.example/a")
            try await ContinuedWork(try #require(world.process).app).begin(title: "Photos", subtitle: "Starts")
            let task = try #require(world.launchContinuedWork())
            try await world.wait("the upload has started") { world.device.unfinished() == 1 }
            var completed: Int64 = 0
            for _ in 0..<5 {
                world.device.step()
                try await world.wait("the progress moves") { task.progress.completedUnitCount > completed }
                completed = task.progress.completedUnitCount
            }
            #expect(completed < task.progress.totalUnitCount)
            try await world.go("the upload has ended") { try await photo.snapshot().state == .succeeded }
            await world.end()
        }

        @Test func progressChangesWithEachKilobyte() {
            var transfer = TransferSnapshot(
                id: TransferID(high: 1, low: 1), sequence: 1, key: nil, group: nil, direction: .download, method: "GET",
                url: "http://server.example/film.mp4", name: "film.mp4", path: nil, state: .running(.receiving),
                turnLimit: nil, priority: 0, bytesDone: 0, bytesTotal: nil, rate: 0, attempts: 1,
                createdAt: WallTime(seconds: 1), startedAt: nil, endedAt: nil, status: nil)
            for total in [1_000_000_000_000, nil] as [Int64?] {
                transfer.bytesTotal = total
                transfer.bytesDone = 500_000_000
                let before = WorkProgress([transfer])
                transfer.bytesDone += 1_024
                let after = WorkProgress([transfer])
                #expect(after.completed > before.completed && after.completed < after.total)
            }
        }

        /// `isOwn`: the app describes its transfers itself.
        @Test(arguments: [false, true]) func textsFollowTheTransfers(_ isOwn: Bool) async throws {
            let world = try await AppWorld()
            BGTaskScheduler.shared.beginLaunch(permitting: ["org.example.photos.continued.*"])
            world.configuration.rules = SessionRules(limits: SessionLimits(total: 1))
            try await world.open()
            let mayAnswer = Mutex(false)
            let isReady: @Sendable () -> Bool = { mayAnswer.withLock { $0 } }
            world.device.changeNetwork {
                $0.server = { request, body in
                    let isHeldBack = request.url?.lastPathComponent == "two.mp4" && !isReady()
                    return isHeldBack ? nil : SystemWorld.answer(request, body)
                }
            }
            let first = try await world.session.download(
                from: "http://server.example/one.mp4", to: world.temporary.path, fileName: "one.mp4")
            try await world.session.download(
                from: "http://server.example/two.mp4", to: world.temporary.path, fileName: "two.mp4")
            let work = ContinuedWork(try #require(world.process).app)
            let own: @Sendable ([TransferSnapshot]) -> (title: String, subtitle: String) = { films in
                ("\(films.count) films", "\(films.count { $0.state.isEnded }) done")
            }
            try await work.begin(title: "Films", subtitle: "Starts", describe: isOwn ? own : nil)
            let task = try #require(world.launchContinuedWork())
            try await world.wait("the first film") {
                (task.title, task.subtitle) == (isOwn ? ("2 films", "0 done") : ("Films", "0/2 one.mp4"))
            }
            try await world.go("the first film has ended") { try await first.snapshot().state == .succeeded }
            try await world.wait("the second film") {
                (task.title, task.subtitle) == (isOwn ? ("2 films", "1 done") : ("Films", "1/2 two.mp4"))
            }
            mayAnswer.withLock { $0 = true }
            try await world.go("the work is done") { BGTaskScheduler.shared.completed.map(\.isSuccess) == [true] }
            await world.end()
        }

        /// The transfers that wait in the app too.
        @Test func expiredWorkLeavesItsTransfersToTheSystem() async throws {
            let world = try await AppWorld()
            BGTaskScheduler.shared.beginLaunch(permitting: ["org.example.photos.continued.*"])
            world.configuration.rules = SessionRules(limits: SessionLimits(total: 1))
            world.device.changeNetwork { $0.server = { _, _ in nil } }
            world.startInBackground()
            let session = try await world.session
            let photo = try world.photo(1_000)
            for name in ["a", "b", "c"] {
                try await session.upload(file: photo, to: "http://server.example/\(name)")
            }
            try await ContinuedWork(try #require(world.process).app).begin(title: "Photos", subtitle: "Starts")
            let task = try #require(world.launchContinuedWork())
            try await world.wait("the work follows the transfers") { task.progress.totalUnitCount > 0 }
            #expect(world.device.unfinished() == 1)
            task.expirationHandler?()
            try await world.wait("the work has ended") { BGTaskScheduler.shared.completed.map(\.isSuccess) == [false] }
            #expect(world.device.unfinished(inBackground: true) == 3)
            #expect(world.process?.app.carrier.isBehind == true)
            await world.end()
        }
    }
}

extension AppWorld {
    /// The system starts the only pending work.
    fileprivate func launchContinuedWork() -> BGContinuedProcessingTask? {
        BGTaskScheduler.shared.pending.keys.first.flatMap { BGTaskScheduler.shared.launch($0) }
            as? BGContinuedProcessingTask
    }
}
