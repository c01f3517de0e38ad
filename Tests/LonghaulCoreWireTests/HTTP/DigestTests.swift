import LonghaulCore
import Testing

@Suite struct DigestTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), ("\u{3FF}\u{7FF}", "z7/fvw=="),
    ])
    func base64FollowsTheSpecification(plain: String, encoded: String) {
        #expect(Base64.encode(plain.utf8) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test(arguments: ["Z", "Zg=", "Zg===", "=", "====", "Zm9v Yg==", "Zm9v\n", "Zm-_", "Zg==Zg==", "é", "Zm9vY"])
    func brokenBase64IsRefused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func missingPaddingIsForgiven() {
        #expect(Base64.decode("Zg") == Array("f".utf8))
        #expect(Base64.decode("Zm8") == Array("fo".utf8))
    }

    @Test func everyByteStringSurvivesBase64AndHex() {
        var noise = HeaderNoise(seed: 3)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &noise) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
        for algorithm in [Digest.Algorithm.md5, .sha256, .sha512] {
            let digest = Digest(algorithm: algorithm, bytes: (0..<algorithm.byteCount).map { UInt8($0 &* 37 & 0xFF) })
            #expect(Digest(algorithm: algorithm, hexadecimal: digest.hexText) == digest)
            #expect(Digest(algorithm: algorithm, hexadecimal: digest.hexText.uppercased()) == digest)
        }
    }

    @Test func aHexDigestHasExactlyItsLength() throws {
        let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(Digest(algorithm: .sha256, hexadecimal: text)?.hexText == text)
        let digest = try Digest.sha256(text)
        #expect(digest.hexText == text)
        #expect(throws: TransferFailure.self) { try Digest.sha256(String(text.dropLast())) }
        #expect(Digest(algorithm: .sha512, hexadecimal: text) == nil)
        #expect(Digest(algorithm: .sha256, hexadecimal: String(text.dropLast())) == nil)
        #expect(Digest(algorithm: .sha256, hexadecimal: String(text.dropLast()) + "g") == nil)
        #expect(Digest(algorithm: .sha256, hexadecimal: " " + text.dropLast()) == nil)
        #expect(Digest(algorithm: .md5, hexadecimal: "") == nil)
    }
}
