import LonghaulCore
import Testing

@Suite struct DigestFieldsTests {
    private static let sha256 = Digest(algorithm: .sha256, bytes: (0..<32).map { UInt8($0) })
    private static let other256 = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 9, count: 32))
    private static let sha512 = Digest(algorithm: .sha512, bytes: (0..<64).map { UInt8($0) })
    private static let md5 = Digest(algorithm: .md5, bytes: (0..<16).map { UInt8($0) })
    private static let b256 = Base64.encode(sha256.bytes)
    private static let b512 = Base64.encode(sha512.bytes)

    @Test(arguments: [
        ("sha-256=:\(b256):", [sha256]),
        ("sha-512=:\(b512):, sha-256=:\(b256):", [sha512, sha256]),
        ("sha-256=:\(b256):,\tsha-512=:\(b512):", [sha512, sha256]),
        ("md5=:AAECAwQFBgcICQoLDA0ODw==:, sha-256=:\(b256):", [sha256]),
        (
            "unixsum=30637, crc32c=:BBBB:, x=(1 \"a\" b;c);d, y=?1, z=@12, t=*t/x, s=\"a\\\"b\", sha-256=:\(b256):",
            [sha256]
        ),
        ("sha-256=:\(b256):;a=1;b=\"x\"", [sha256]),
        ("sha-256=:AAAA:, sha-256=:\(b256):", [sha256]),
        ("sha-256=:\(b256):, sha-256=1", []),
        ("sha-256=:AAAA:", []), ("sha-256=\(b256)", []), ("sha-256", []), ("", []),
        ("sha-256=:\(b256):,", []), ("sha-256=:\(b256): sha-512=:\(b512):", []), ("SHA-256=:\(b256):", []),
        ("sha-256=:\(b256)", []), ("sha-256=:!!!!:", []), ("=:\(b256):", []), ("x=, sha-256=:\(b256):", []),
        ("x=(1, sha-256=:\(b256):", []),
    ])
    func reprDigestIsAStructuredField(value: String, digests: [Digest]) {
        #expect(DigestFields.offered(in: [HeaderField("Repr-Digest", value)]) == digests)
    }

    @Test func aFieldMayBeSpreadOverLines() {
        let headers = [
            HeaderField("repr-digest", "sha-256=:\(Self.b256):"), HeaderField("Repr-Digest", "sha-512=:\(Self.b512):"),
        ]
        #expect(DigestFields.offered(in: headers) == [Self.sha512, Self.sha256])
    }

    @Test(arguments: [
        ("SHA-256=\(b256)", [sha256]), ("sha-256=\(b256),SHA-512=\(b512)", [sha512, sha256]),
        ("unixsum=30637, md5=AAECAwQFBgcICQoLDA0ODw==, sha-256=\(b256)", [sha256]), ("sha-256=x", []), ("sha-256", []),
        (",", []), ("sha-256=\(b256) , ", [sha256]), ("", []),
    ])
    func theOlderDigestFieldIsRead(value: String, digests: [Digest]) {
        #expect(DigestFields.offered(in: [HeaderField("Digest", value)]) == digests)
    }

    @Test func theNewerFieldWins() {
        let headers = [
            HeaderField("Digest", "sha-256=\(Base64.encode(Self.other256.bytes))"),
            HeaderField("Repr-Digest", "sha-256=:\(Self.b256):"),
        ]
        #expect(DigestFields.offered(in: headers) == [Self.sha256])
    }

    @Test func contentDigestsCountOnlyForAWholeResponse() {
        let content = [HeaderField("Content-Digest", "sha-256=:\(Self.b256):")]
        #expect(DigestFields.offered(in: content, isWhole: true) == [Self.sha256])
        #expect(DigestFields.offered(in: content, isWhole: false) == [])
        let md5 = [HeaderField("Content-MD5", Base64.encode(Self.md5.bytes))]
        #expect(DigestFields.offered(in: md5, isWhole: true) == [Self.md5])
        #expect(DigestFields.offered(in: md5, isWhole: false) == [])
        #expect(DigestFields.offered(in: [HeaderField("Content-MD5", "AAAA")], isWhole: true) == [])
    }

    @Test func md5IsTheLastResort() {
        let headers = [
            HeaderField("Content-MD5", Base64.encode(Self.md5.bytes)), HeaderField("Digest", "sha-256=\(Self.b256)"),
        ]
        #expect(DigestFields.offered(in: headers, isWhole: true) == [Self.sha256])
    }
}
