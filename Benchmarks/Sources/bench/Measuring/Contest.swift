/// Who runs against whom: each round runs everybody once, in turn from the front and from the back.
struct Contest {
    struct Contestant {
        var name: String
        /// Brings the machine to the same state for everybody, runs, and looks whether the work was done.
        var run: () throws -> Sample
    }

    /// Longhaul is the first.
    var contestants: [Contestant]
    var rounds: Int

    /// Every contestant's samples, in order of the rounds. `clear` takes away what a run has written, before it reaches the disk.
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

/// What is wanted of a value.
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
    /// How many times as fast the first is as the second, round by round.
    func speed(of ours: String, against peer: String) -> Spread { ratio(peer, ours, \.wall) }
    /// How much processor the first uses for each second that the second uses.
    func cpu(of ours: String, against peer: String) -> Spread { ratio(ours, peer, \.cpu) }

    func median(_ name: String, _ value: KeyPath<Sample, Double>) -> Spread {
        Spread((self[name] ?? []).map { $0[keyPath: value] })
    }

    private func ratio(_ above: String, _ below: String, _ value: KeyPath<Sample, Double>) -> Spread {
        Spread(
            zip(self[above] ?? [], self[below] ?? []).map { $0[keyPath: value] / Swift.max($1[keyPath: value], 1e-9) })
    }
}
