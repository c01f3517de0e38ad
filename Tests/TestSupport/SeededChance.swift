/// SplitMix64: random bits that are the same for the same seed. A failing test prints it: `description` names the seed.
package struct SeededChance: RandomNumberGenerator, Sendable, CustomStringConvertible {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package var description: String { "seed \(seed)" }

    /// Runs a random walk, and adds the seed that repeats it to any error.
    package static func walk<Result>(seed: UInt64, _ body: (inout SeededChance) throws -> Result) throws -> Result {
        var chance = SeededChance(seed: seed)
        do { return try body(&chance) } catch { throw Failed(seed: seed, error: error) }
    }

    package struct Failed: Error, CustomStringConvertible {
        package var seed: UInt64
        package var error: any Error
        package var description: String { "with seed \(seed): \(error)" }
    }
}
