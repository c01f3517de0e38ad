package import LonghaulCore
import Testing

/// Returns the digest of the content, computed by another program.
package func digest(of content: Content, _ algorithm: Digest.Algorithm) throws -> Digest {
    let text = algorithm == .md5 ? content.md5Base64 : content.sha256Base64
    return Digest(algorithm: algorithm, bytes: try #require(Base64.decode(text)))
}
