/// Digests as people write them: two hexadecimal digits for each byte.
extension Digest {
    /// Reads upper or lower case; `nil` unless it is exactly as long as the algorithm's digests are.
    package init?(hex: String, algorithm: Algorithm) {
        let digits = Array(hex.utf8)
        guard digits.count == algorithm.byteCount * 2 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(algorithm.byteCount)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index].hexDigitValue, let low = digits[index + 1].hexDigitValue else { return nil }
            bytes.append(high << 4 | low)
        }
        self.init(algorithm: algorithm, bytes: bytes)
    }

    /// Lower case.
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
    /// How long this algorithm's digests are.
    package var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }
}
