import BackgroundTasks
import Foundation
import FoundationDouble
import Longhaul
import LonghaulCore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulApple
@testable import LonghaulURLSession

/// The invariants of a life.
extension AppLife {
    func state(_ id: TransferID) async throws -> TransferState? {
        try await call { try await $0.transfer(id).snapshot().state }
    }

    /// Returns the tasks whose complete request has arrived.
    func arrivals(_ path: String) -> Set<Int> {
        Set(device.network.requests.filter { $0.request.url?.path == path }.map(\.task))
    }

    /// The rules that hold after every action.
    func checkRules() throws {
        guard device.violations.isEmpty, broken.withLock(\.isEmpty) else {
            throw Fault("\(device.violations + broken.withLock { $0 })")
        }
        let transfers = device.unfinishedNames.compactMap { ExchangeID($0)?.transfer }
        if Set(transfers).count < transfers.count { throw Fault("two tasks of one transfer are in progress") }
        if lent.contains(where: { $0.task.completions > 1 }) { throw Fault("a task was completed twice") }
    }

    /// Checks that the results of the launch's events are on the disk when the handler is called.
    func checkHandler(of session: String, _ process: AppProcess) {
        guard let notes = process.app.carrier.engine?.notes else {
            return broken.withLock { $0.append("a handler was called before the session was open") }
        }
        guard let ends = device.endsWhenAllWasTold(of: session) else {
            return broken.withLock { $0.append("a handler was called before all ends were delivered") }
        }
        for id in ends.compactMap({ $0.name.flatMap(ExchangeID.init) }) {
            // A range request with a whole response waits for the loop, and ends after that.
            guard let note = notes.read(of: id), note.outcome != nil, note.resume == nil else { continue }
            broken.withLock { $0.append("a handler was called before the end of \(id) was on the disk") }
        }
    }

    /// An app that says that it is done has left everything to the system, except for requests that await their response.
    func checkLeft() async throws {
        guard let process = world.process else { return }
        guard let deadline = process.lifecycle.deadline else { throw Fault("the app does not know that it leaves") }
        guard deadline > .now, let engine = process.app.carrier.engine else { return }
        for id in uploads.compactMap(\.id) + films.compactMap(\.id) where engine.lane(of: id) == .front {
            let state = try await state(id)
            if case .running = state { throw Fault("the app left, and this process still transfers \(id): \(state!)") }
        }
    }

    /// An app that was launched for events has passed all transfers that may start to the system.
    func checkPassed() async throws {
        guard let list = try await call({ try await $0.snapshots() }) else { return }
        for snapshot in list {
            guard case .waiting(let waiting) = snapshot.state, waiting.reason == .turn else { continue }
            throw Fault("\(snapshot.id) waits for its turn in an app that is suspended")
        }
    }

    /// The faults end, and the user is in the app.
    func settle() async throws {
        device.log("* the end: all faults are over")
        mark()
        server.beMute(false)
        device.refuseResumeData(with: nil)
        useNetwork(isOnline: true, isExpensive: false, isConstrained: false)
        try await open()
        for number in uploads.indices where uploads[number].id == nil {
            uploads[number].id = try await find(uploads[number].key)
        }
        for number in films.indices where films[number].id == nil {
            films[number].id = try await find(films[number].key)
        }
        try await go("all transfers end") {
            guard let list = try await call({ try await $0.snapshots() }) else { return false }
            if list.contains(where: { $0.state == .paused }) { _ = try await call { try await $0.resumeAll() } }
            return list.allSatisfy(\.state.isEnded)
        }
        try await go("the system's tasks are completed") {
            lent.allSatisfy { !$0.isOfPresentProcess || $0.task.completions == 1 } && device.openHandlers == 0
        }
        try await go("the app gives its background time back") { await Screen.openBackgroundTasks == 0 }
    }

    private func find(_ key: String) async throws -> TransferID? {
        try await call { try await $0.transfer(key: key)?.id } ?? nil
    }

    func check() async throws {
        try checkRules()
        for upload in uploads { try await check(upload) }
        for film in films { try await check(film) }
    }

    private func check(_ upload: Upload) async throws {
        let path = "/" + upload.key
        let tasks = arrivals(path)
        let name = "\(upload.work) \(path)"
        let isOnceOnly = upload.work == .post || upload.work == .form
        // The system may repeat its own task; a second task is never created.
        if isOnceOnly, tasks.count > 1 { throw Fault("\(name) arrived by the tasks \(tasks.sorted())") }
        let requests = device.network.requests.filter { $0.request.url?.path == path }
        if let body = upload.body, !requests.allSatisfy({ $0.body == body }) { throw Fault("\(name) has another body") }
        let keys = Set(requests.map { $0.request.value(forHTTPHeaderField: "Idempotency-Key") })
        if upload.work != .put, keys.count > 1 || keys.contains(nil) { throw Fault("\(name) has the keys \(keys)") }
        guard let id = upload.id, let state = try await state(id) else {
            guard upload.isUncertain, tasks.isEmpty else { throw Fault("\(name) is missing") }
            return
        }
        switch state {
        case .succeeded where tasks.isEmpty: throw Fault("\(name) succeeded and has not arrived")
        case .succeeded: break
        case .cancelled where upload.isCancelled: return
        case .failed(let failure) where failure.code == .outcomeUnknown && isOnceOnly:
            guard upload.mayBeUnknown else { throw Fault("\(name) is unknown, and nothing has happened to it") }
        default: throw Fault("\(name) is \(state)")
        }
        guard let first = success(path) else { return }
        guard state == .succeeded else { throw Fault("\(name) is \(state), and a process got its success") }
        if let late = tasks.max(), late > first {
            throw Fault("\(name) was sent again after its success was delivered")
        }
    }

    private func check(_ film: Film) async throws {
        guard let id = film.id, let state = try await state(id) else {
            guard film.isUncertain else { throw Fault("\(film.key) is missing") }
            return
        }
        if state == .cancelled, film.isCancelled { return }
        guard state == .succeeded else { throw Fault("\(film.key) is \(state)") }
        let content = FileManager.default.contents(atPath: world.temporary.path(film.key)) ?? Data()
        guard let version = content.first, content == WalkServer.film(version) else {
            throw Fault("\(film.key) is of no one version")
        }
        guard !film.isTouched, let first = success("/\(film.key)"), let late = arrivals("/\(film.key)").max() else {
            return
        }
        if late > first { throw Fault("\(film.key) was requested again after all of it had arrived") }
    }

    /// Returns the first task that delivered a complete response. A range counts as complete if there was never another version.
    private func success(_ path: String) -> Int? {
        device.ends.first { end in
            end.hasSucceeded && end.request.url?.path == path
                && (end.request.value(forHTTPHeaderField: "Range") == nil || !server.hasOtherFilms)
        }?.task
    }
}
