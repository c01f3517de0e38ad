import LonghaulCore
import Testing

@Suite struct HelperProtocolTests {
    private func request(_ url: String, user: String? = nil) -> CredentialRequest {
        CredentialRequest(name: CredentialName("photos")!, kind: .authorization, url: url, userName: user)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func theQuestionIsWhatGitWouldAsk() {
        #expect(
            text(HelperProtocol.input(request("https://example.org/", user: "ada")))
                == "capability[]=authtype\nprotocol=https\nhost=example.org\nusername=ada\nname=photos\n\n")
        #expect(text(HelperProtocol.input(request("http://[::1]:8080/"))).contains("\nhost=[::1]:8080\n"))
    }

    @Test func aVerdictNamesTheCredential() {
        let input = HelperProtocol.input(request("https://h/"), .basic(userName: "ada", password: "x=y"))
        #expect(text(input).contains("\nusername=ada\npassword=x=y\n"))
        #expect(
            text(HelperProtocol.input(request("https://h/"), .bearer("t"))).contains("authtype=bearer\ncredential=t"))
    }

    @Test func aLineBreakInAValueBeginsNoOtherLine() {
        let input = text(HelperProtocol.input(request("https://h/", user: "a\nhost=evil")))
        #expect(!input.contains("evil"))
    }

    @Test(arguments: [
        ("username=ada\npassword=pass=word\n", Credential.basic(userName: "ada", password: "pass=word")),
        ("protocol=https\nhost=h\nusername=a\npassword=\n\nusername=b\n", .basic(userName: "a", password: "")),
        ("username=a\r\npassword=b\r\n\r\n", .basic(userName: "a", password: "b")),
        ("authtype=bearer\ncredential=token\n", .bearer("token")),
        ("authtype=Bearer\ncredential=token", .bearer("token")),
        ("authtype=Token\ncredential=x", .header(HeaderField("Authorization", "Token x", isSecret: true))),
        ("header=X-Api-Key: k:1\n", .header(HeaderField("X-Api-Key", "k:1", isSecret: true))),
        ("wwwauth[]=Basic\nusername=a\npassword=b", .basic(userName: "a", password: "b")),
    ])
    func anAnswerIsRead(_ output: String, _ credential: Credential) {
        #expect(
            HelperProtocol.answer(Array(output.utf8)) == .given(credential, expiresAt: nil, isHelpers: true))
    }

    @Test func anExpiryIsRead() {
        let answer = HelperProtocol.answer(Array("username=a\npassword=b\npassword_expiry_utc=1800000000\n".utf8))
        guard case .given(_, let expiresAt, _) = answer else { return #expect(Bool(false)) }
        #expect(expiresAt == WallTime(seconds: 1_800_000_000))
    }

    @Test(arguments: ["", "\n", "username=a\n", "password=b", "quit=1\nusername=a\npassword=b"])
    func incompleteHelperOutputMeansNoCredential(_ output: String) {
        #expect(HelperProtocol.answer(Array(output.utf8)) == .none(.helperHasNone))
    }

    @Test(arguments: [Array("no such field".utf8), [0x75, 0x3D, 0xFF], Array("username=a\npassword".utf8)])
    func malformedHelperOutputIsReportedAsFailure(_ output: [UInt8]) {
        guard case .none(.helperFailed) = HelperProtocol.answer(output) else { return #expect(Bool(false)) }
    }

    /// Some helpers use microseconds or nanoseconds.
    @Test(arguments: [
        ("9223372036855", Int64.max), ("1795323275000000000", .max), ("9223372036854775807", .max),
        ("-9223372036854775808", .min),
    ])
    func anExpiryBeyondTheCalendarIsItsEnd(_ expiry: String, microseconds: Int64) {
        let answer = HelperProtocol.answer(Array("username=a\npassword=b\npassword_expiry_utc=\(expiry)\n".utf8))
        guard case .given(_, let expiresAt, _) = answer else { return #expect(Bool(false)) }
        #expect(expiresAt == WallTime(microseconds: microseconds))
    }
}
