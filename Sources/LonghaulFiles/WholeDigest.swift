package import LonghaulCore

/// Digests of bytes that are in memory.
package enum WholeDigest {
    package static func sha256(_ bytes: [UInt8]) -> Digest {
        guard let digest = StreamDigest([.sha256]) else { preconditionFailure("the system has no SHA-256") }
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish()[0]
    }
}
