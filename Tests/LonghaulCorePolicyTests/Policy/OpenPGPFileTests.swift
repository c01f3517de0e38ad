import LonghaulCore
import Testing

struct OpenPGPFileTests {
    private static let packets: [UInt8] = [0x98, 0x33, 0x04, 0x6B, 0x09, 0x10]

    private static func armored(_ kind: String, _ bytes: [UInt8], headers: String = "") -> String {
        "-----BEGIN PGP \(kind)-----\n\(headers)\n\(Base64.encode(bytes))\n=abcd\n-----END PGP \(kind)-----\n"
    }

    @Test func textOfKeysIsDecoded() {
        let one = Self.armored("PUBLIC KEY BLOCK", Self.packets, headers: "Comment: ada\nVersion: 1\n")
        let plain = one.replacing("=abcd\n", with: "")
        for text in [one, plain, "\u{FEFF}keys of ada\n" + one, one.replacing("\n", with: "\r\n")] {
            #expect(OpenPGPFile.keyring(Array(text.utf8)) == .decoded(Self.packets), "\(text)")
        }
        #expect(OpenPGPFile.keyring(Array((one + one).utf8)) == .decoded(Self.packets + Self.packets))
    }

    @Test func packetsAndKeyboxesAreReadByGpgv() {
        #expect(OpenPGPFile.keyring(Self.packets) == .binary && OpenPGPFile.keyring([0xC6, 0x33]) == .binary)
        #expect(OpenPGPFile.keyring([0, 0, 0, 32, 1, 1, 0, 2] + Array("KBXf".utf8)) == .binary)
    }

    @Test(arguments: [
        "", "hello", "<!DOCTYPE html>", armored("SIGNATURE", [0x88, 0x75]), armored("PRIVATE KEY BLOCK", packets),
        "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME", armored("PUBLIC KEY BLOCK", [0x88, 0x75]),
        "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n$$$\n-----END PGP PUBLIC KEY BLOCK-----\n",
    ])
    func otherFilesAreNoKeyrings(text: String) {
        #expect(OpenPGPFile.keyring(Array(text.utf8)) == nil)
    }

    @Test func signaturesAreDetached() {
        let signature = Self.armored("SIGNATURE", [0x88, 0x75])
        #expect(OpenPGPFile.isSignature([0x88, 0x75]) && OpenPGPFile.isSignature([0xC2, 0x75]))
        #expect(OpenPGPFile.isSignature(Array(signature.utf8)))
        let clear = "-----BEGIN PGP SIGNED MESSAGE-----\n\nhello\n" + signature
        for text in ["", "<html>", clear, Self.armored("PUBLIC KEY BLOCK", Self.packets)] {
            #expect(!OpenPGPFile.isSignature(Array(text.utf8)))
        }
    }
}
