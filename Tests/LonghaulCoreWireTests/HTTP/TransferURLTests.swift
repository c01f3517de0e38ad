import LonghaulCore
import Testing

@Suite struct TransferURLTests {
    @Test func urlIsParsedIntoComponents() throws {
        let url = try TransferURL(parsing: "HTTPS://me:s%40cret@Example.ORG:8443/a/b%20c?q=1&r[]=2#frag")
        #expect(url.scheme == "https")
        #expect(url.userInfo == "me:s%40cret")
        #expect(url.host == "example.org")
        #expect(url.port == 8443)
        #expect(url.path == "/a/b%20c")
        #expect(url.query == "q=1&r[]=2")
        #expect(url.fragment == "frag")
        #expect(url.origin == "https://example.org:8443")
        #expect(url.redacted == "https://example.org:8443/a/b%20c")
        #expect(url.lastPathSegment == "b%20c")
    }

    @Test(arguments: [
        ("http://a", "http://a/"), ("http://a:80/x", "http://a/x"), ("https://a:443", "https://a/"),
        ("http://a:/x", "http://a/x"),
        ("https://a:80/x", "https://a:80/x"), ("http://a?q", "http://a/?q"), ("http://a#f", "http://a/#f"),
        ("http://a/x?", "http://a/x?"), ("http://a/./b/../c", "http://a/./b/../c"), ("http://a//b", "http://a//b"),
        ("http://a/é€", "http://a/%C3%A9%E2%82%AC"), ("http://a/x?q=é#é", "http://a/x?q=%C3%A9#%C3%A9"),
        ("http://a/{x}|\"<>\\^`", "http://a/%7Bx%7D%7C%22%3C%3E%5C%5E%60"), ("http://a/%e9", "http://a/%e9"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"), ("http://[FE80::1%25eth0]/", "http://[fe80::1%25eth0]/"),
        ("http://[::ffff:1.2.3.4]", "http://[::ffff:1.2.3.4]/"), ("http://münchen.example/", "http://münchen.example/"),
        ("http://127.0.0.1:1/", "http://127.0.0.1:1/"), ("http://a_b.c-d~/x", "http://a_b.c-d~/x"),
        ("http://u@a/", "http://u@a/"), ("http://@a/", "http://@a/"), ("http://a/b:c@d", "http://a/b:c@d"),
        ("http://a/?u=http://b/?c#d?e#f", "http://a/?u=http://b/?c#d?e#f"), ("http://a:65535", "http://a:65535/"),
    ])
    func usableURLsAreRead(text: String, normal: String) throws {
        let url = try TransferURL(parsing: text)
        #expect(url.text == normal)
        #expect(try TransferURL(parsing: url.text) == url)
    }

    @Test(arguments: [
        ("", "has no scheme"), ("example.org/x", "has no scheme"), ("example.org:8080/x", "has no scheme"),
        ("localhost:80", "has no scheme"), ("//host/x", "has no scheme"), ("/x", "has no scheme"),
        ("1http://a", "has no scheme"),
        ("user:s3cret@host/x", "has no scheme"), ("http:", "no host"), ("http:/x", "no host"), ("http:///x", "no host"),
        ("https://?x", "no host"), ("http://:80/", "no host"), ("http://u@/", "no host"), ("http://a:0", "port"),
        ("http://a:65536", "port"), ("http://a:x", "port"), ("http://a:-1", "port"), ("http://a:1:2", "port"),
        ("http://a:99999999999999999999", "port"), ("http://a/b c", "%20"), ("http://a/?b c", "%20"),
        ("http://a b/", "character"), (" http://a", "white space"), ("http://a\n", "white space"),
        ("http://a/x\ty", "control"),
        ("http://a/\u{0}", "control"), ("http://a/x\r\nHost: b", "control"), ("http://a/%", "%25"),
        ("http://a/%4", "%25"),
        ("http://a/%4g", "%25"), ("http://a/?%zz", "%25"), ("http://a%41/", "character"), ("http://a\\b/", "character"),
        ("http://[::1", "character"), ("http://[::1]x", "character"), ("http://[]/", "character"),
        ("http://[a]/", "character"),
        ("http://[::1%eth0]/", "character"), ("http://[v1.x]/", "character"), ("http://u@v@a/", "%40"),
        ("http://a;b/", "character"),
        ("http://./", "character"), ("http://a\u{202E}b/", "character"), ("http://a\u{A0}b/", "character"),
        ("http://u:p q@a/", "%20"),
    ])
    func unusableURLErrorExplainsCorrection(text: String, hint: String) {
        let failure = #expect(throws: TransferFailure.self) { try TransferURL(parsing: text) }
        #expect(failure?.code == .invalidURL)
        #expect(failure?.message.contains(hint) == true)
        #expect(failure?.message.contains("s3cret") == false)
    }

    @Test(arguments: ["ftp://a/", "file:///etc/passwd", "file:/etc/passwd", "data:,x", "MAILTO:a@b", "s3://bucket/key"])
    func otherSchemesAreNotSpoken(text: String) {
        let failure = #expect(throws: TransferFailure.self) { try TransferURL(parsing: text) }
        #expect(failure?.code == .unsupportedScheme)
    }

    @Test func originsDifferInSchemeHostOrPort() throws {
        let origin = try TransferURL(parsing: "https://a/x").origin
        for same in ["https://A:443/y", "https://u:p@a/?q"] { #expect(try TransferURL(parsing: same).origin == origin) }
        for other in ["http://a/x", "http://a:443/x", "https://a:444/x", "https://b.a/x"] {
            #expect(try TransferURL(parsing: other).origin != origin)
        }
    }
}
