/// Digests in hexadecimal digits, two per byte.
extension Digest {
    /// Parses hexadecimal digits in lower or upper case. Returns `nil` if the text is not a digest of the algorithm.
    public init?(algorithm: Algorithm, hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count == algorithm.byteCount * 2 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(algorithm.byteCount)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index].hexDigitValue, let low = digits[index + 1].hexDigitValue else { return nil }
            bytes.append(high << 4 | low)
        }
        self.init(algorithm: algorithm, bytes: bytes)
    }

    /// Parses a SHA-256 digest, and throws `invalidArgument` if the text is none. Unlike `nil`, an error never means a download
    /// without a check.
    public static func sha256(_ hexadecimal: String) throws(TransferFailure) -> Digest {
        if let digest = Digest(algorithm: .sha256, hexadecimal: hexadecimal) { return digest }
        throw TransferFailure(.invalidArgument, "A SHA-256 digest has 64 hexadecimal digits.")
    }

    /// The digest in lowercase.
    package var hexText: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            digits.append(UInt8.lowerHexDigits[Int(byte >> 4)])
            digits.append(UInt8.lowerHexDigits[Int(byte & 0xF)])
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension Digest.Algorithm {
    /// The length of this algorithm's digests.
    package var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }
}
