import LonghaulCore
import Testing

@Suite struct OutgoingTextTests {
    @Test(arguments: [
        ("Accept", "*/*"), ("X-Empty", ""), ("x_y.z~1", "a\tb"), ("Host", "example.org"), ("X-Name", "naïve"),
        ("Range", "bytes=0-1"), ("!#$%&'*+-.^_`|~", "v"),
    ])
    func ordinaryFieldsMayBeSent(name: String, value: String) {
        #expect(OutgoingText.fault(inHeader: name, value) == nil)
    }

    @Test(arguments: [
        ("", "v"), ("A B", "v"), ("A:", "v"), ("Ä", "v"), ("A\r\nB", "v"), ("Content-Length", "1"),
        ("TRANSFER-ENCODING", "chunked"), ("A", "tok3n\r\nX: y"), ("A", "tok3n\n"), ("A", "tok3n\r"),
        ("A", "tok3n\u{0}"),
        ("A", "tok3n\u{7F}"),
    ])
    func dangerousFieldsAreRefusedWithoutTellingTheirValue(name: String, value: String) throws {
        let failure = try #require(OutgoingText.fault(inHeader: name, value))
        #expect(failure.code == .invalidArgument)
        #expect(!failure.message.contains("tok3n"))
    }
}
