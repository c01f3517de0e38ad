/// The last wills of a session, one for each process that left one, and when to check for lost processes.
///
/// The service nearly always notices the end of a process at once, because its connection closes. The lock may last for
/// a moment longer. A periodic check finds the other cases.
package struct LastWillMachine: Equatable, Sendable {
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(64)
    /// All of them share one row of the store, and each is a request with its body.
    private static let most = 64

    package private(set) var wills: [LastWill]
    /// Initially at once: an earlier owner may have been lost together with the processes.
    private var lookAt = WallTime(microseconds: 0)
    /// The time from one check to the next.
    private var interval = Self.shortest

    /// Restores the last wills that earlier owners left.
    package init(_ wills: [LastWill] = []) {
        self.wills = wills
    }

    /// The next check; `nil` if there are no last wills.
    package var nextLook: WallTime? { wills.isEmpty ? nil : lookAt }

    package mutating func obey(_ order: LastWillOrder, at now: WallTime) -> [SessionEffect] {
        switch order {
        case .keep(let will):
            if let refusal = will.refusal(at: now) { return [.refuse(refusal)] }
            if let place = wills.firstIndex(where: { $0.witness == will.witness }) {
                wills[place] = will
            } else if wills.count < Self.most {
                wills.append(will)
            } else {
                return [
                    .refuse(
                        TransferFailure(
                            .invalidState,
                            "The session already has \(Self.most) last wills, which is the limit. Cancel one."))
                ]
            }
            checkSoon(at: now + Self.shortest)
            return [.write(.lastWills(wills))]
        case .takeBack(let witness):
            guard let place = wills.firstIndex(where: { $0.witness == witness }) else { return [] }
            wills.remove(at: place)
            return [.write(.lastWills(wills)), .forgetWitness(witness)]
        }
    }

    /// Checks from this date on, often at first: a process has detached, or the clock was set.
    package mutating func checkSoon(at date: WallTime) {
        lookAt = date
        interval = Self.shortest
    }

    /// Returns the check for lost processes if it is due.
    package mutating func ring(at now: WallTime) -> [SessionEffect] {
        guard let date = nextLook, date <= now else { return [] }
        lookAt = now + interval
        interval = min(interval * 2, Self.longest)
        return [.findLost(wills.map(\.witness))]
    }

    /// Submits the last wills of lost processes. The same commit removes them.
    package mutating func execute(_ lost: Set<String>) -> [SessionEffect] {
        let due = wills.filter { lost.contains($0.witness) }
        guard !due.isEmpty else { return [] }
        wills.removeAll { lost.contains($0.witness) }
        return [.write(.lastWills(wills)), .submit(due.map(\.request))] + due.map { .forgetWitness($0.witness) }
    }
}
