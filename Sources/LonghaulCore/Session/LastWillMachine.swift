/// The last wills of a session, one for each process that left one, and when to look whether these are still there.
///
/// The end of a process is nearly always heard at once, since its connection ends with it; the lock may then be held for a moment
/// more. What is not heard is found by looking now and then.
package struct LastWillMachine: Equatable, Sendable {
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(64)
    /// Each is a request with its body, all of them in one row of the store.
    private static let most = 64

    package private(set) var wills: [LastWill]
    /// At first, at once: an owner before may have been lost together with the processes.
    private var lookAt = WallTime(microseconds: 0)
    /// From one look to the next.
    private var interval = Self.shortest

    /// As an earlier owner left them.
    package init(_ wills: [LastWill] = []) {
        self.wills = wills
    }

    /// When to look again; `nil` while there is nobody to look after.
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
            lookSoon(at: now + Self.shortest)
            return [.write(.lastWills(wills))]
        case .takeBack(let witness):
            guard let place = wills.firstIndex(where: { $0.witness == witness }) else { return [] }
            wills.remove(at: place)
            return [.write(.lastWills(wills)), .forgetWitness(witness)]
        }
    }

    /// Looks from this date on, often at first: somebody has left, or the clock was set.
    package mutating func lookSoon(at date: WallTime) {
        lookAt = date
        interval = Self.shortest
    }

    /// Asks who is lost, if it is time to look.
    package mutating func ring(at now: WallTime) -> [SessionEffect] {
        guard let date = nextLook, date <= now else { return [] }
        lookAt = now + interval
        interval = min(interval * 2, Self.longest)
        return [.lookForLost(wills.map(\.witness))]
    }

    /// Sends what those have left who are lost. It is forgotten in the commit that submits it.
    package mutating func execute(_ lost: Set<String>) -> [SessionEffect] {
        let due = wills.filter { lost.contains($0.witness) }
        guard !due.isEmpty else { return [] }
        wills.removeAll { lost.contains($0.witness) }
        return [.write(.lastWills(wills)), .submit(due.map(\.request))] + due.map { .forgetWitness($0.witness) }
    }
}
