import CCrypto
package import LonghaulCore

/// Digests of one run of bytes, computed while it passes.
package final class StreamDigest {
    private let contexts: [(algorithm: Digest.Algorithm, context: OpaquePointer)]

    /// `nil` when libcrypto lacks the memory or refuses an algorithm.
    package init?(_ algorithms: Set<Digest.Algorithm>) {
        var contexts: [(Digest.Algorithm, OpaquePointer)] = []
        for algorithm in algorithms {
            guard let context = EVP_MD_CTX_new() else { break }
            contexts.append((algorithm, context))
            guard EVP_DigestInit_ex(context, Self.kind(of: algorithm), nil) == 1 else { break }
        }
        self.contexts = contexts
        if contexts.count != algorithms.count { return nil }
    }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        for (_, context) in contexts {
            let code = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
            precondition(code == 1, "libcrypto cannot fail to update a digest that it began.")
        }
    }

    /// Returns the digests; no bytes may be added afterwards.
    package func finish() -> [Digest] {
        contexts.map { algorithm, context in
            var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
            var count: UInt32 = 0
            let code = EVP_DigestFinal_ex(context, &bytes, &count)
            precondition(code == 1, "libcrypto cannot fail to end a digest that it began.")
            return Digest(algorithm: algorithm, bytes: Array(bytes.prefix(Int(count))))
        }
    }

    deinit {
        for (_, context) in contexts { EVP_MD_CTX_free(context) }
    }

    private static func kind(of algorithm: Digest.Algorithm) -> OpaquePointer? {
        switch algorithm {
        case .md5: EVP_md5()
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        case .sha512: EVP_sha512()
        }
    }
}
