import CDigest
package import LonghaulCore

/// Digests of one run of bytes, computed while it passes.
package final class StreamDigest {
    private let states: [(algorithm: Digest.Algorithm, state: UnsafeMutableRawPointer)]

    /// `nil` when the system's library lacks the memory or refuses an algorithm.
    package init?(_ algorithms: Set<Digest.Algorithm>) {
        var states: [(Digest.Algorithm, UnsafeMutableRawPointer)] = []
        for algorithm in algorithms {
            guard let state = longhaul_digest_begin(Self.number(of: algorithm)) else { break }
            states.append((algorithm, state))
        }
        self.states = states
        if states.count != algorithms.count { return nil }
    }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        for (_, state) in states { longhaul_digest_update(state, bytes.baseAddress, bytes.count) }
    }

    /// Returns the digests; no bytes may be added afterwards.
    package func finish() -> [Digest] {
        states.map { algorithm, state in
            var bytes = [UInt8](repeating: 0, count: Int(LONGHAUL_DIGEST_ROOM))
            let count = longhaul_digest_finish(state, &bytes)
            return Digest(algorithm: algorithm, bytes: Array(bytes.prefix(count)))
        }
    }

    deinit {
        for (_, state) in states { longhaul_digest_free(state) }
    }

    private static func number(of algorithm: Digest.Algorithm) -> Int32 {
        switch algorithm {
        case .md5: LONGHAUL_MD5
        case .sha1: LONGHAUL_SHA1
        case .sha256: LONGHAUL_SHA256
        case .sha512: LONGHAUL_SHA512
        }
    }
}
