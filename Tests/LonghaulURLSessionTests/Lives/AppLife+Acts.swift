import BackgroundTasks
import Foundation
import FoundationDouble
import Longhaul
import LonghaulCore
import LonghaulURLSession
import Network
import Synchronization
import TestSupport
import Testing
import UserNotifications

@testable import LonghaulApple

/// The actions of the user, the system, and the network.
extension AppLife {
    func perform(_ action: LifePlan.Action) async throws {
        switch action {
        case .submit(let work, let size, let silence, let isModest):
            if phase == .foreground { try await submit(work, size, silence: silence, isModest: isModest) }
        case .verb(let verb, let number): if phase == .foreground { try await control(verb, number) }
        case .steps(let count, let isLate, let dies): try await steps(count, isLate: isLate, dies: dies)
        case .open: try await open()
        case .leave(let time, let count, let end):
            if phase == .foreground { try await leave(time, count, end) }
        case .terminate(let polls): if phase == .foreground { try await terminate(polls: polls) }
        case .die:
            doubtForeground()
            try await die()
        case .dieBetween(let points, let trigger): try await dieBetween(points, trigger)
        case .forceQuit(let isListed): try await forceQuit(isListed: isListed)
        case .loseTasks:
            guard phase == .dead else { break }
            doubtAll()
            device.loseTasks()
        case .breakConnections:
            doubtForeground()
            device.breakConnections()
        case .useNetwork(let isOnline, let isExpensive, let isConstrained):
            useNetwork(isOnline: isOnline, isExpensive: isExpensive, isConstrained: isConstrained)
        case .changeFilms: server.changeFilms()
        case .toggleMute: server.toggleMute()
        case .refuseResumeData(let isRefused):
            device.refuseResumeData(
                with: isRefused ? NSError(domain: NSURLErrorDomain, code: URLError.Code.cannotCreateFile.rawValue) : nil
            )
        case .schedule, .runTask, .continueWork: try await performTask(action)
        case .allowNotifications(let areAllowed): UNUserNotificationCenter.current().refuse(!areAllowed)
        case .tap: tap()
        case .launchLocked: try await launchLocked()
        case .runOutOfPatience(let count): try await runOutOfPatience(count)
        }
    }

    /// The user opens the app.
    func open() async throws {
        if phase == .foreground { return }
        try await world.open()
        phase = .foreground
    }

    /// Exchanges in the foreground session end with the process, without a result.
    func doubtForeground() {
        guard let engine = world.process?.app.carrier.engine else { return }
        for number in uploads.indices where uploads[number].id.map({ engine.lane(of: $0) != .back }) ?? true {
            uploads[number].mayBeUnknown = true
        }
        for number in films.indices where films[number].id.map({ engine.lane(of: $0) != .back }) ?? true {
            films[number].isTouched = true
        }
    }

    func doubtAll() {
        for number in uploads.indices { uploads[number].mayBeUnknown = true }
        for number in films.indices { films[number].isTouched = true }
    }

    private func submit(_ work: LifePlan.Work, _ size: Int, silence: Int, isModest: Bool) async throws {
        if work == .film { return try await submitFilm() }
        guard uploads.count < 5 else { return }
        let number = uploads.count
        let (key, url) = ("\(number)", "http://server.example/\(number)")
        // No two have the same length, so no two are the same file.
        let count = size + number + 1
        let file = try world.photo(count)
        server.beSilent(at: "/\(number)", for: silence)
        var options = TransferOptions()
        options.conditions.allowsExpensiveNetworkAccess = !isModest
        if work == .keyedPost { options.idempotencyKey = "key \(number)" }
        let method = work == .put ? "PUT" : "POST"
        let body = work == .form ? nil : FileManager.default.contents(atPath: file)
        uploads.append(Upload(key: key, work: work, body: body, isUncertain: true))
        let chosen = options
        let id = try await call { session in
            work == .form
                ? try await session.upload(
                    form: [.file(name: "photo", path: file)], to: url, method: method, key: key, options: chosen
                ).id
                : try await session.upload(file: file, to: url, method: method, key: key, options: chosen).id
        }
        uploads[number].id = id
        uploads[number].isUncertain = id == nil
    }

    private func submitFilm() async throws {
        guard films.count < 3 else { return }
        let (number, key) = (films.count, "film-\(films.count)")
        films.append(Film(key: key, isUncertain: true))
        let directory = world.temporary.path
        let id = try await call { session in
            try await session.download(
                from: "http://server.example/\(key)", to: directory, fileName: key, key: key
            ).id
        }
        films[number].id = id
        films[number].isUncertain = id == nil
    }

    private func control(_ verb: LifePlan.Verb, _ number: Int) async throws {
        let all = uploads.map(\.id) + films.map(\.id)
        guard !all.isEmpty, let id = all[number % all.count] else { return }
        mark(verb, number % all.count)
        _ = try await call { session in
            let transfer = session.transfer(id)
            switch verb {
            case .pause: try await transfer.pause()
            case .resume: try await transfer.resume()
            case .cancel: try await transfer.cancel()
            }
        }
    }

    private func mark(_ verb: LifePlan.Verb, _ number: Int) {
        if number < uploads.count {
            uploads[number].isCancelled = uploads[number].isCancelled || verb == .cancel
            uploads[number].mayBeUnknown = true
        } else {
            films[number - uploads.count].isCancelled = films[number - uploads.count].isCancelled || verb == .cancel
            films[number - uploads.count].isTouched = true
        }
    }

    /// The system may launch or wake the app.
    private func steps(_ count: Int, isLate: Bool, dies: Bool) async throws {
        let launches = device.launches.count
        device.setFinishesLate(isLate)
        for _ in 0..<count where device.launches.count == launches {
            step()
            if phase == .foreground || phase == .background { try await Task.sleep(for: .microseconds(200)) }
        }
        if device.launches.count > launches { try await handleLaunch(dies: dies, isLate: isLate) }
        device.setFinishesLate(false)
        device.finishTelling()
    }

    private func handleLaunch(dies: Bool, isLate: Bool) async throws {
        phase = .background
        if dies {
            doubtForeground()
            return try await die()
        }
        if isLate {
            // Long enough for a handler that is called too early.
            _ = try await call { try await $0.conditions() }
            await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
            device.finishTelling()
        }
        try await go("the handler is called") { device.openHandlers == 0 }
        try await checkPassed()
        device.enter(.suspended)
        phase = .suspended
    }

    private func leave(_ time: Double, _ count: Int, _ end: LifePlan.Leaving) async throws {
        let sent = try await sentBodies()
        doubtForeground()
        device.enter(.background)
        await Screen.setTime(time)
        await Screen.leaveApp()
        phase = .background
        var hasSettled = false
        for number in 0..<(count + 15) {
            hasSettled = await Screen.openBackgroundTasks == 0
            if hasSettled || number >= count && end != .stays { break }
            if number < count { step() }
            try await Task.sleep(for: .milliseconds(1))
        }
        switch end {
        case .stays:
            try await suspend(hasSettled: hasSettled)
            for (path, tasks) in sent where arrivals(path) != tasks {
                throw Fault("the body of \(path) had been sent, and another session sent it again")
            }
        case .returns: try await open()
        case .dies: try await die()
        case .isForceQuit: try await forceQuit(isListed: count.isMultiple(of: 2))
        case .terminates: try await terminate(polls: count)
        }
    }

    /// Returns the tasks by path of the POSTs that await their response.
    private func sentBodies() async throws -> [String: Set<Int>] {
        var sent: [String: Set<Int>] = [:]
        for upload in uploads where upload.work == .post || upload.work == .form {
            guard let id = upload.id, try await state(id) == .awaitingResponse else { continue }
            sent["/" + upload.key] = arrivals("/" + upload.key)
        }
        return sent
    }

    /// The app has ended its background time, or the system ends it.
    private func suspend(hasSettled: Bool) async throws {
        if hasSettled {
            try await checkLeft()
        } else {
            let overrun = await Screen.expireBackgroundTasks()
            guard overrun.isEmpty else { throw Fault("the system kills the app for its background tasks \(overrun)") }
        }
        device.enter(.suspended)
        phase = .suspended
    }

    /// The system ends the app: it posts the notification, and waits at most until it has no more patience.
    private func terminate(polls: Int) async throws {
        doubtForeground()
        let isOver = Mark()
        Task {
            await Screen.announceTermination()
            isOver.set()
        }
        for _ in 0..<polls where !isOver.isSet {
            step()
            try await Task.sleep(for: .milliseconds(1))
        }
        if isOver.isSet { try await checkLeft() }
        try await die()
        try await world.wait("the notification returns") { isOver.isSet }
    }

    private func forceQuit(isListed: Bool) async throws {
        guard phase != .dead else { return }
        doubtAll()
        try await die { $0.forceQuit(listsTasks: isListed) }
    }

    /// The process dies at some commit or action, caused by a call or an event.
    private func dieBetween(_ points: Int, _ trigger: LifePlan.Trigger) async throws {
        if case .launch = trigger { try await die() } else if phase == .dead { return }
        doubtForeground()
        fuse.light(points)
        switch trigger {
        case .verb(let verb, let number): if phase == .foreground { try await control(verb, number) }
        case .submit(let work):
            if phase == .foreground { try await submit(work, 8_000, silence: 0, isModest: false) }
        case .steps(let count):
            for _ in 0..<count where world.process?.isAlive ?? false { step() }
        case .leave:
            if phase == .foreground {
                device.enter(.background)
                await Screen.leaveApp()
            }
        case .launch: world.startInBackground()
        }
        // Whether or not the point is reached.
        for _ in 0..<20 where world.process?.isAlive ?? false { try await Task.sleep(for: .milliseconds(1)) }
        // An exchange that started meanwhile may be with the system or not.
        doubtForeground()
        try await die()
    }

    func useNetwork(isOnline: Bool, isExpensive: Bool, isConstrained: Bool) {
        doubtForeground()
        device.changeNetwork { network in
            network.isOnline = isOnline
            (network.isCellular, network.isExpensive, network.isConstrained) = (isExpensive, isExpensive, isConstrained)
        }
        NWPathMonitor.change(
            to: NWPath(
                isOnline ? .satisfied : .unsatisfied, isOnline ? (isExpensive ? .cellular : .wifi) : nil,
                isExpensive: isExpensive, isConstrained: isConstrained))
    }

    private func tap() {
        guard phase != .dead, let shown = UNUserNotificationCenter.current().shown.first else { return }
        UNUserNotificationCenter.current().tap(shown.identifier) { [self] in taps.withLock { $0 += 1 } }
    }

    /// The system launches the app before the device was unlocked for the first time: the session's files cannot be read.
    private func launchLocked() async throws {
        doubtForeground()
        try await die()
        // There is nothing of that name.
        try Self.link(to: "closed/closed", in: world.temporary)
        await Screen.setUnlocked(false)
        let launches = device.launches.count
        for _ in 0..<6 where device.launches.count == launches { step() }
        try Self.link(to: "opened", in: world.temporary)
        await Screen.setUnlocked(true)
        if device.launches.count > launches { try await handleLaunch(dies: false, isLate: false) }
    }

    /// The app has no time left to call its completion handler.
    private func runOutOfPatience(_ count: Int) async throws {
        let launches = device.launches.count
        for _ in 0..<count where device.launches.count == launches { step() }
        guard device.launches.count > launches else { return }
        phase = .background
        doubtForeground()
        try await die { device in
            device.runOutOfPatience()
            device.enter(.dead)
        }
    }
}
