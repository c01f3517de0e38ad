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
    var unit = "×"
    var goal: Goal?
}

extension Row {
    /// The three comparisons of a contest with one peer: speed, processor, memory.
    static func comparing(
        _ benchCase: String, _ samples: [String: [Sample]], with peer: String, amount: Double, unit: String,
        speed: Goal? = nil, cpu: Goal? = nil, ours: String = "longhaul"
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
                value: samples.speed(of: ours, against: peer), goal: speed),
            Row(
                benchCase: benchCase, measure: "processor", ours: perUnit(usCPU.median),
                peer: "\(peer): \(perUnit(themCPU.median))", value: samples.cpu(of: ours, against: peer), goal: cpu),
        ]
    }

    /// A program that does only the essential work, without a service: the maximum speed.
    static let bareProgram = "bare C program"

    static func bare(
        _ samples: [String: [Sample]], amount: Double, unit: String, against peer: String
    ) -> Row {
        let rates = [bareProgram, peer].map { "\($0): \((amount / samples.median($0, \.wall).median).short) \(unit)/s" }
        return Row(
            benchCase: "the same by a \(bareProgram)", measure: "speed", ours: "", peer: rates.joined(separator: ", "),
            value: samples.speed(of: bareProgram, against: peer))
    }

    /// The peak memory of each contestant.
    static func memory(
        _ benchCase: String, _ samples: [String: [Sample]], peers: [String], goal: Goal? = nil
    ) -> Row {
        let mebibytes = { (name: String) in
            let spread = samples.median(name, \.memory)
            return (spread.median / 1_048_576, spread)
        }
        let (ours, spread) = mebibytes("longhaul")
        var value = spread
        value.median /= 1_048_576
        value.low /= 1_048_576
        value.high /= 1_048_576
        return Row(
            benchCase: benchCase, measure: "memory, command and service", ours: "\(ours.short) MiB",
            peer: peers.map { "\($0): \(mebibytes($0).0.short) MiB" }.joined(separator: ", "), value: value,
            unit: "MiB",
            goal: goal)
    }
}

extension Double {
    /// The value with three significant digits.
    var short: String {
        let magnitude = abs(self)
        if magnitude >= 100 { return String(Int(rounded())) }
        let factor = magnitude >= 10 ? 10.0 : magnitude >= 1 ? 100.0 : 1000.0
        return "\((self * factor).rounded() / factor)"
    }
}
