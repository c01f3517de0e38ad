import CPlatform
import Synchronization

/// Random bits from the kernel, read in large batches: each event of a session uses some, and a system call for each
/// would be expensive.
package final class Chance: Sendable {
    private let words = Mutex<[UInt64]>([])

    package init() {}

    package func draw() -> UInt64 {
        words.withLock { words in
            if words.isEmpty { words = Self.fetch(256) }
            return words.removeLast()
        }
    }

    private static func fetch(_ count: Int) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: count)
        let code = words.withUnsafeMutableBytes { longhaul_random($0.baseAddress, $0.count) }
        precondition(code == 0, "The kernel gives no random bits: error \(-code).")
        return words
    }
}
