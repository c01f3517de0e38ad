import LonghaulCore
import Testing

@Suite struct HeaderFieldTests {
    private static let fields = [
        HeaderField("ETag", "\"a\""), HeaderField("X-One", "1"), HeaderField("x-one", "1"), HeaderField("Via", "a"),
        HeaderField("VIA", "b"),
    ]

    @Test(arguments: ["ETag", "etag", "ETAG"]) func theCaseOfANameDoesNotCount(name: String) {
        #expect(Self.fields.single(name) == "\"a\"")
        #expect(Self.fields.all(name) == ["\"a\""])
    }

    @Test func repeatedFieldIsSingleOnlyIfEqual() {
        #expect(Self.fields.single("X-One") == "1" && Self.fields.all("X-One") == ["1", "1"])
        #expect(Self.fields.single("Via") == nil && Self.fields.all("Via") == ["a", "b"])
        #expect(Self.fields.single("Vi") == nil && Self.fields.single("") == nil)
    }

    @Test func onlyLettersHaveCases() {
        #expect(!HeaderField("A[", "v").isNamed("A{") && !HeaderField("A@", "v").isNamed("A`"))
        #expect(!HeaderField("Ä", "v").isNamed("ä"))
    }

    /// A header that gives access is hidden even if the app did not mark it as secret.
    @Test(arguments: ["X-Api-Key", "PRIVATE-TOKEN", "X-Amz-Security-Token", "x-password", "X-Auth-User"])
    func aTransfersFieldIsSecretByItsName(name: String) {
        let field = HeaderField(name, "v")
        #expect(!field.isSecret)
        var spec = TransferSpec(work: .request(body: []), method: "GET", url: "http://h/", headers: [field])
        spec.headers.append(field)
        #expect(spec.headers.map(\.isSecret) == [true, true])
        #expect(Replacement(url: "http://h/", headers: [field]).headers?.map(\.isSecret) == [true])
    }

    @Test(arguments: ["Accept", "Idempotency-Key", "X-Album"]) func othersAreShown(name: String) {
        #expect(!HeaderField(name, "v").guarded.isSecret)
    }

    @Test(arguments: ["Authorization", "COOKIE", "set-cookie", "Proxy-Authorization", "proxy-", "PROXY-X"])
    func someAreAlwaysSecret(name: String) {
        #expect(HeaderField(name, "v").isSecret)
    }

    @Test(arguments: ["", "Proxy", "Cookies", "Authorizatio", "X-Proxy-A"]) func othersAreNot(name: String) {
        #expect(!HeaderField(name, "v").isSecret && HeaderField(name, "v", isSecret: true).isSecret)
    }
}
