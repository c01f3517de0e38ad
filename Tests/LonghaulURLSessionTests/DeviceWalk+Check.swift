import Foundation
import FoundationDouble
import LonghaulCore

/// The invariants at the end of every run.
extension DeviceWalk {
    struct Fault: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    func check() async throws {
        for upload in uploads { try await check(upload) }
        for film in films { try await check(film) }
        guard world.device.violations.isEmpty, world.brokenPromises.isEmpty else {
            throw Fault("\(world.device.violations + world.brokenPromises)")
        }
    }

    /// Returns the tasks whose complete request has arrived.
    func arrivals(_ path: String) -> Set<Int> {
        Set(world.device.network.requests.filter { $0.request.url?.path == path }.map(\.task))
    }

    private func check(_ upload: Upload) async throws {
        let tasks = arrivals(upload.path)
        let name = "\(upload.method) \(upload.path)"
        // The system may repeat its own task; a second task is never created.
        if upload.method == "POST", tasks.count > 1 { throw Fault("\(name) arrived by the tasks \(tasks.sorted())") }
        if let body = upload.body {
            let all = world.device.network.requests.filter { $0.request.url?.path == upload.path }
            guard all.allSatisfy({ $0.body == body }) else { throw Fault("\(name) has another body") }
        }
        let state = try await world.state(upload.id)
        switch state {
        case .succeeded where tasks.isEmpty: throw Fault("\(name) succeeded and has not arrived")
        case .succeeded: break
        case .cancelled where upload.isTouched: break
        case .failed(let failure) where failure.code == .outcomeUnknown && upload.method == "POST":
            guard upload.mayBeUnknown else { throw Fault("\(name) is unknown, and nothing has happened to it") }
        default: throw Fault("\(name) is \(state)")
        }
        guard let first = success(upload.path) else { return }
        if upload.isTouched, state == .cancelled { return }
        guard state == .succeeded else { throw Fault("\(name) is \(state), but a process was notified of its success") }
        if let late = tasks.max(), late > first { throw Fault("\(name) was sent again after its success was reported") }
    }

    private func check(_ film: Film) async throws {
        let state = try await world.state(film.id)
        if state == .cancelled, film.isTouched { return }
        guard state == .succeeded else { throw Fault("\(film.name) is \(state)") }
        let content = world.file(film.name) ?? Data()
        guard let version = content.first, content == WalkServer.film(version) else {
            throw Fault("\(film.name) is of no one version")
        }
        guard !film.isTouched, let first = success("/\(film.name)"), let late = arrivals("/\(film.name)").max() else {
            return
        }
        if late > first { throw Fault("\(film.name) was requested again after it was complete") }
    }

    /// Returns the first task that reported a complete file. A range counts as complete if there was never another version.
    private func success(_ path: String) -> Int? {
        world.device.ends.first { end in
            end.hasSucceeded && end.request.url?.path == path
                && (end.request.value(forHTTPHeaderField: "Range") == nil || !server.hasOtherFilms)
        }?.task
    }
}
