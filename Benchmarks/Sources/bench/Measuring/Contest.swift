/// A comparison of programs: each round runs all of them once, alternately in forward and reverse order.
struct Contest {
    struct Contestant {
        var name: String
        /// Brings the machine to the same state for all contestants, runs, and checks whether the work was done.
        var run: () throws -> Sample
    }

    /// Longhaul is the first.
    var contestants: [Contestant]
    var rounds: Int

    /// Returns every contestant's samples, in order of the rounds. `clear` deletes the files of a run before they reach the disk.
    func hold(clear: () throws -> Void = {}) throws -> [String: [Sample]] {
        var samples: [String: [Sample]] = [:]
        for round in 0..<rounds {
            for contestant in round.isMultiple(of: 2) ? contestants : contestants.reversed() {
                Machine.settle()
                samples[contestant.name, default: []].append(try contestant.run())
                try clear()
            }
        }
        return samples
    }
}

/// The target for a value.
enum Goal {
    case atLeast(Double)
    case atMost(Double)

    func holds(_ value: Double) -> Bool {
        switch self {
        case .atLeast(let limit): value >= limit
        case .atMost(let limit): value <= limit
        }
    }
}

extension [String: [Sample]] {
    /// Returns how many times as fast as the second the first is, round by round.
    func speed(of ours: String, against peer: String) -> Spread { ratio(peer, ours, \.wall) }
    /// Returns the processor time of the first per second of the second's.
    func cpu(of ours: String, against peer: String) -> Spread { ratio(ours, peer, \.cpu) }

    func median(_ name: String, _ value: KeyPath<Sample, Double>) -> Spread {
        Spread((self[name] ?? []).map { $0[keyPath: value] })
    }

    private func ratio(_ above: String, _ below: String, _ value: KeyPath<Sample, Double>) -> Spread {
        Spread(
            zip(self[above] ?? [], self[below] ?? []).map { $0[keyPath: value] / Swift.max($1[keyPath: value], 1e-9) })
    }
}
