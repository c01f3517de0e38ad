import Foundation
import FoundationDouble
import LonghaulCore
import TestSupport

/// The ends of an app's processes in a random run.
extension DeviceWalk {
    mutating func kill(_ how: (SimulatedDevice) -> Void) {
        guard isThere else { return }
        doubtWhatTheSystemHasNot()
        world.die(how)
        isThere = false
    }

    mutating func forceQuit() {
        guard isThere else { return }
        doubtAll()
        let isListed = isTails
        kill { $0.forceQuit(listsTasks: isListed) }
    }

    /// The process dies at some commit or action of its loop, caused by a command or an event of the system.
    mutating func killBetween() async throws {
        guard isThere else { return }
        doubtWhatTheSystemHasNot()
        let world = world
        world.die(after: Int.random(in: 0...9, using: &chance))
        if isTails {
            sendSomeCommand()
        } else {
            for _ in 0..<3 where !world.wasKilled { world.device.step() }
        }
        // Whether or not the point was reached.
        for _ in 0..<50 where !world.wasKilled { try await Task.sleep(for: .milliseconds(1)) }
        // An exchange that started meanwhile may be with the system or not.
        doubtWhatTheSystemHasNot()
        world.die()
        isThere = false
    }

    /// Sends a command without waiting for its answer: the process may be dead by then.
    private mutating func sendSomeCommand() {
        let number = Int.random(in: 0..<(uploads.count + films.count), using: &chance)
        let isUpload = number < uploads.count
        let verb = [ControlVerb.pause, .resume, .cancel, .pause][Int.random(in: 0..<4, using: &chance)]
        if isUpload {
            uploads[number].isTouched = true
            uploads[number].mayBeUnknown = true
        } else {
            films[number - uploads.count].isTouched = true
        }
        let id = isUpload ? uploads[number].id : films[number - uploads.count].id
        world.device.log("\(verb) of \(isUpload ? uploads[number].path : "a film"), unanswered")
        world.say(.control(verb, .ids([id])))
    }

    /// The system forgets a film that was downloaded in part, as another engine would have left it.
    mutating func leaveAPart() async throws {
        guard isThere else { return }
        world.device.step()
        var receiving: [Film] = []
        for film in films where try await world.state(film.id) == .running(.receiving) { receiving.append(film) }
        guard let film = receiving.randomElement(using: &chance), let version = server.given("/\(film.name)") else {
            return
        }
        doubtAll()
        kill {
            $0.loseTasks()
            $0.enter(.dead)
        }
        let part = world.temporary.path(PartialName.make(film.id))
        if try !world.isHere(film.id), !FileManager.default.fileExists(atPath: part) {
            try WalkServer.film(version).prefix(60_000).write(to: URL(fileURLWithPath: part))
        }
        if isTails { server.changeFilms() }
        try comeBack()
    }

    /// A film is paused and resumed once or twice; then the system may lose its tasks.
    mutating func stopAndGoOn() async throws {
        guard isThere, let number = films.indices.randomElement(using: &chance) else { return }
        films[number].isTouched = true
        for _ in 0..<(isTails ? 1 : 2) {
            world.device.log("\(films[number].name) is paused and resumed")
            try await world.send(.control(.pause, .ids([films[number].id])))
            try await world.send(.control(.resume, .ids([films[number].id])))
            try await world.send(.info)
        }
        guard Int.random(in: 0..<3, using: &chance) == 0 else { return }
        doubtAll()
        kill {
            $0.loseTasks()
            $0.enter(.dead)
        }
        try comeBack()
    }

    /// An exchange that is stopped ends before it starts again, in either session.
    func checkThatNoneIsUnderWayTwice() throws {
        let transfers = world.device.unfinishedNames.compactMap { ExchangeID($0)?.transfer }
        if Set(transfers).count < transfers.count { throw Fault("two tasks of one transfer are under way") }
    }
}
