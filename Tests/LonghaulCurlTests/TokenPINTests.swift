import LonghaulCore
import LonghaulSystem
import Testing

@testable import LonghaulCurl

struct TokenPINTests {
    /// Reads the file in a URI's `pin-source`, as OpenSSL's engine does.
    private func pin(of uri: String, after prefix: String, before suffix: String = "") throws -> String {
        let start = prefix + "pin-source="
        try #require(uri.hasPrefix(start) && uri.hasSuffix(suffix), "\(uri)")
        let path = String(uri.dropFirst(start.count).dropLast(suffix.count))
        return String(decoding: try Descriptor(opening: path, .reading).readAll(limit: 100), as: UTF8.self)
    }

    @Test(arguments: [
        ("pkcs11:token=a;object=b?pin-value=1234", "1234", "pkcs11:token=a;object=b?", ""),
        ("PKCS11:token=a?PIN-value=12%3334&module-name=m", "12334", "PKCS11:token=a?", "&module-name=m"),
        ("pkcs11:token=a?module-name=m&pin-value=1234", "1234", "pkcs11:token=a?module-name=m&", ""),
        ("pkcs11:pin-value=1234;token=a", "1234", "pkcs11:", ";token=a"),
        ("pkcs11:token=a?module-name=m;pin-value=1?2;3%", "1?2;3%", "pkcs11:token=a?module-name=m;", ""),
        ("pkcs11:token=\u{e4}?pin-value=\u{301}1", "\u{301}1", "pkcs11:token=\u{e4}?", ""),
        ("pkcs11:token=a?pin-value=", "", "pkcs11:token=a?", ""),
    ])
    func pinMovesToAFile(uri: String, pin: String, prefix: String, suffix: String) throws {
        let moved = try TokenPIN.moved(outOf: uri)
        #expect(try self.pin(of: moved, after: prefix, before: suffix) == pin)
    }

    @Test(arguments: [
        "/home/ada/client.pem", "", "/pin-value=1234", "pkcs11:", "pkcs11:token=a;object=b",
        "pkcs11:token=a?pin-source=/run/pin", "pkcs11:object=my-pin-value=1",
    ])
    func nameWithoutPINStays(name: String) throws {
        #expect(try TokenPIN.moved(outOf: name) == name)
    }

    @Test func equalPINsShareAFile() throws {
        let (a, b) = ("pkcs11:token=a?pin-value=4711", "pkcs11:token=a?pin-value=4712")
        #expect(try TokenPIN.moved(outOf: a) == TokenPIN.moved(outOf: a))
        #expect(try TokenPIN.moved(outOf: a) != TokenPIN.moved(outOf: b))
    }

    @Test func longPINIsRefused() throws {
        let pin = String(repeating: "7", count: 32)
        let failure = #expect(throws: TransferFailure.self) { try TokenPIN.moved(outOf: "pkcs11:?pin-value=" + pin) }
        #expect(failure?.code == .invalidArgument && failure?.message.contains(pin) == false)
        _ = try TokenPIN.moved(outOf: "pkcs11:?pin-value=" + pin.dropLast())
    }
}
