/// One line of the table.
struct Row {
    var benchCase: String
    /// The compared or counted property.
    var measure: String
    var ours: String
    /// The other program with its result; empty for a value without a comparison.
    var peer = ""
    /// A ratio, or the value itself; with the spread over the rounds.
    var value: Spread
    /// The values that can occur.
    var possible: ClosedRange<Double>
    var unit = "×"
    var goal: Goal?
    /// The measurements behind the value.
    var parts: [Reading] = []

    /// The errors of the measurement.
    var faults: [String] {
        let own = Reading(name: measure, value: value, possible: possible, unit: unit)
        return ([own] + parts).compactMap(\.fault).map { "\(benchCase): \($0)" }
    }
}

extension Row {
    /// The comparisons of a contest with one peer: speed and processor. `rates` are the possible units per second.
    static func comparing(
        _ benchCase: String, _ samples: [String: [Sample]], with peer: String, amount: Double, unit: String,
        rates: ClosedRange<Double>, speed: Goal? = nil, cpu: Goal? = nil, ours: String = "longhaul"
    ) -> [Row] {
        let (us, them) = (samples.median(ours, \.wall), samples.median(peer, \.wall))
        let (usCPU, themCPU) = (samples.median(ours, \.cpu), samples.median(peer, \.cpu))
        let rate = { (wall: Double) in "\((amount / wall).short) \(unit)/s" }
        let perUnit = { (cpu: Double) in
            "\((cpu / amount * (unit == "GiB" ? 1 : 1000)).short) \(unit == "GiB" ? "s/GiB" : "ms each")"
        }
        return [
            Row(
                benchCase: benchCase, measure: "speed", ours: rate(us.median), peer: "\(peer): \(rate(them.median))",
                value: samples.speed(of: ours, against: peer), possible: rates.ratios, goal: speed,
                parts: [ours, peer].map { samples.rate(of: $0, amount, unit, rates) }),
            Row(
                benchCase: benchCase, measure: "processor", ours: perUnit(usCPU.median),
                peer: "\(peer): \(perUnit(themCPU.median))", value: samples.cpu(of: ours, against: peer),
                possible: Possible.processors.ratios, goal: cpu, parts: [ours, peer].map(samples.processors)),
        ]
    }

    /// A program that does only the essential work, without a service: the maximum speed.
    static let bareProgram = "bare C program"

    static func bare(
        _ samples: [String: [Sample]], amount: Double, unit: String, rates: ClosedRange<Double>, against peer: String
    ) -> Row {
        let speeds = [bareProgram, peer].map {
            "\($0): \((amount / samples.median($0, \.wall).median).short) \(unit)/s"
        }
        return Row(
            benchCase: "the same by a \(bareProgram)", measure: "speed", ours: "", peer: speeds.joined(separator: ", "),
            value: samples.speed(of: bareProgram, against: peer), possible: rates.ratios,
            parts: [bareProgram, peer].map { samples.rate(of: $0, amount, unit, rates) })
    }

    /// The peak memory of each contestant.
    static func memory(
        _ benchCase: String, _ samples: [String: [Sample]], peers: [String], goal: Goal? = nil
    ) -> Row {
        let mebibytes = { (name: String) in Spread((samples[name] ?? []).map { $0.memory / 1_048_576 }) }
        let value = mebibytes("longhaul")
        let theirs = peers.map {
            Reading(name: "memory of \($0)", value: mebibytes($0), possible: Possible.mebibytes, unit: "MiB")
        }
        return Row(
            benchCase: benchCase, measure: "memory, command and service", ours: "\(value.median.short) MiB",
            peer: zip(peers, theirs).map { "\($0): \($1.value.median.short) MiB" }.joined(separator: ", "),
            value: value, possible: Possible.mebibytes, unit: "MiB", goal: goal, parts: theirs)
    }
}

extension [String: [Sample]] {
    fileprivate func rate(
        of name: String, _ amount: Double, _ unit: String, _ possible: ClosedRange<Double>
    ) -> Reading {
        let rates = Spread((self[name] ?? []).map { amount / $0.wall })
        return Reading(name: "speed of \(name)", value: rates, possible: possible, unit: "\(unit)/s")
    }

    fileprivate func processors(of name: String) -> Reading {
        let used = Spread((self[name] ?? []).map { $0.cpu / $0.wall })
        return Reading(
            name: "processors in use by \(name)", value: used, possible: Possible.processors, unit: "at once")
    }
}

extension ClosedRange<Double> {
    /// The ratios of two values in the range.
    fileprivate var ratios: Self { lowerBound / upperBound...upperBound / lowerBound }
}

extension Double {
    /// The value with three significant digits.
    var short: String {
        guard isFinite else { return "\(self)" }
        let magnitude = abs(self)
        if magnitude >= 100 { return String(Int(rounded())) }
        let factor = magnitude >= 10 ? 10.0 : magnitude >= 1 ? 100.0 : 1000.0
        return "\((self * factor).rounded() / factor)"
    }
}
