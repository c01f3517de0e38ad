import LonghaulCore
import Testing

@Suite struct CredentialNameTests {
    @Test(arguments: ["a", "photos", "ada@example.org", "x.y-z_1+2", String(repeating: "n", count: 128)])
    func aNameIsTaken(_ text: String) { #expect(CredentialName(text)?.description == text) }

    @Test(arguments: ["", ".a", "-x", "a b", "a/b", "a\nb", "é", String(repeating: "n", count: 129)])
    func invalidNameIsRejected(_ text: String) { #expect(CredentialName(text) == nil) }

    @Test func aTransferNamesOneOrCarriesOne() {
        var spec = TransferSpec(
            work: .request(body: []), method: "GET", url: "http://h/", headers: [HeaderField("Authorization", "x")])
        spec.options.credentialName = CredentialName("photos")
        let id = TransferID(high: 1, low: 2)
        #expect(throws: TransferFailure.self) {
            try TransferRecord.accept(spec, id: id, at: WallTime(seconds: 1))
        }
        spec.options.credentialKind = .url
        #expect((try? TransferRecord.accept(spec, id: id, at: WallTime(seconds: 1))) != nil)
        spec.options.credentialName = nil
        #expect(throws: TransferFailure.self) {
            try TransferRecord.accept(spec, id: id, at: WallTime(seconds: 1))
        }
    }

    @Test func invalidNameIsRefusedAtSubmission() {
        var spec = TransferSpec(work: .request(body: []), method: "GET", url: "http://h/")
        spec.options.credential = "two words"
        let failure = #expect(throws: TransferFailure.self) {
            try TransferRecord.accept(spec, id: TransferID(high: 1, low: 2), at: WallTime(seconds: 1))
        }
        #expect(failure?.code == .invalidArgument)
    }
}
