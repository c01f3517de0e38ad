import LonghaulCore
import Testing

@Suite struct URLResolutionTests {
    /// RFC 3986, section 5.4, for results that are http URLs.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
        ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
    ])
    func theExamplesOfTheSpecificationHold(reference: String, result: String) throws {
        let base = try TransferURL(parsing: "http://a/b/c/d;p?q")
        #expect(base.resolving(reference)?.text == result)
    }

    @Test(arguments: [
        "g:h", "http:g", "ftp://b/x", "http://", "http:///x", "//", "//b:0/x", "/a\r\nb", "/\u{0}", "https://u@v@w/",
    ])
    func referencesThatLeadNowhereGiveNothing(reference: String) throws {
        #expect(try TransferURL(parsing: "http://a/b").resolving(reference) == nil)
    }

    @Test(arguments: [
        ("https://B:8443/../x", "https://b:8443/x"), ("//b", "https://b/"), ("/a b", "https://u:p@h:1/a%20b"),
        ("/100%", "https://u:p@h:1/100%25"), ("/é", "https://u:p@h:1/%C3%A9"),
        ("/\\evil.example", "https://u:p@h:1/%5Cevil.example"),
        ("?x=[1]", "https://u:p@h:1/d/f?x=[1]"), ("g/", "https://u:p@h:1/d/g/"), ("http://h:1/", "http://h:1/"),
    ])
    func carelessReferencesAreRepaired(reference: String, result: String) throws {
        let url = try #require(try TransferURL(parsing: "https://u:p@h:1/d/f?q#s").resolving(reference))
        #expect(url.text == result)
        #expect(try TransferURL(parsing: url.text) == url)
    }

    @Test(arguments: [
        ("https://h:1/x", "https://u:p@h:1/x"), ("//H:1/x", "https://u:p@h:1/x"),
        ("https://v@h:1/x", "https://v@h:1/x"), ("https://h:2/x", "https://h:2/x"), ("http://h:1/x", "http://h:1/x"),
        ("https://g:1/x", "https://g:1/x"),
    ])
    func credentialsStayWithTheirOriginAlone(reference: String, result: String) throws {
        let url = try #require(try TransferURL(parsing: "https://u:p@h:1/d/f?q#s").resolving(reference))
        #expect(url.text == result)
    }

    @Test func whateverIsReadCanBeReadAgain() throws {
        var noise = HeaderNoise(seed: 4)
        let base = try TransferURL(parsing: "https://u:p@h:1/d/f?q#s")
        for _ in 0..<20_000 {
            let reference = noise.text()
            for url in [try? TransferURL(parsing: reference), base.resolving(reference)].compactMap(\.self) {
                #expect(try TransferURL(parsing: url.text) == url)
                #expect(url.path.hasPrefix("/") && !url.redacted.contains("u:p@"))
            }
        }
    }
}
