import CCrypto
import LonghaulCore
import LonghaulFiles

extension ServerCertificate {
    /// Parses a certificate; `nil` if the text contains none.
    init?(pem: String, origin: String) {
        let lines = pem.split(whereSeparator: \.isNewline)
        guard let first = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN") }),
            let last = lines.firstIndex(where: { $0.hasPrefix("-----END") }), first < last,
            let bytes = Base64.decode(lines[(first + 1)..<last].joined())
        else { return nil }
        let parsed = bytes.withUnsafeBufferPointer { buffer in
            var place = buffer.baseAddress
            return d2i_X509(nil, &place, buffer.count)
        }
        guard let parsed else { return nil }
        defer { X509_free(parsed) }
        guard let key = Self.publicKey(of: parsed), let start = Self.time(X509_get0_notBefore(parsed)),
            let end = Self.time(X509_get0_notAfter(parsed))
        else { return nil }
        self.init(
            origin: origin, subject: Self.text(of: X509_get_subject_name(parsed)),
            issuer: Self.text(of: X509_get_issuer_name(parsed)), validFrom: start, validUntil: end,
            fingerprint: Self.digest(of: bytes).hexText,
            publicKey: "sha256//" + Base64.encode(Self.digest(of: key).bytes))
    }

    private static func digest(of bytes: [UInt8]) -> Digest {
        guard let digest = StreamDigest([.sha256]) else { preconditionFailure("libcrypto has SHA-256.") }
        bytes.withUnsafeBytes(digest.update)
        return digest.finish()[0]
    }

    /// Returns the key with its algorithm (SubjectPublicKeyInfo), as used for pins (RFC 7469, section 2.4).
    private static func publicKey(of certificate: OpaquePointer) -> [UInt8]? {
        guard let key = X509_get_X509_PUBKEY(certificate) else { return nil }
        let length = i2d_X509_PUBKEY(key, nil)
        guard length > 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            var place = buffer.baseAddress
            count = Int(max(i2d_X509_PUBKEY(key, &place), 0))
        }
    }

    private static func time(_ field: UnsafePointer<ASN1_TIME>?) -> WallTime? {
        guard let time = ASN1_TIME_to_generalizedtime(field, nil) else { return nil }
        defer { ASN1_GENERALIZEDTIME_free(time) }
        // YYYYMMDDHHMMSSZ (RFC 5280, section 4.1.2.5.2).
        let bytes = UnsafeBufferPointer(start: ASN1_STRING_get0_data(time), count: Int(ASN1_STRING_length(time)))
        let digits = bytes.prefix(14).map { Int($0) - 48 }
        guard digits.count == 14, digits.allSatisfy((0...9).contains) else { return nil }
        func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
        let civil = CivilTime(
            year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10),
            minute: number(10..<12),
            second: number(12..<14))
        return civil.isValid ? WallTime(seconds: civil.secondsSince1970) : nil
    }

    /// Returns the parts of a name, separated by commas, with special characters escaped (RFC 4514).
    private static func text(of name: OpaquePointer?) -> String {
        guard let name, let memory = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(memory) }
        let escapes = ASN1_STRFLGS_ESC_2253 | ASN1_STRFLGS_ESC_CTRL | ASN1_STRFLGS_UTF8_CONVERT
        let flags = UInt(escapes) | UInt(XN_FLAG_SEP_COMMA_PLUS)
        guard X509_NAME_print_ex(memory, name, 0, flags) >= 0 else { return "" }
        var bytes = [UInt8](repeating: 0, count: longestName)
        let count = BIO_read(memory, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix(Int(max(count, 0))), as: UTF8.self)
    }

    /// The maximum length of a name; a longer one is truncated.
    private static let longestName = 512
}
