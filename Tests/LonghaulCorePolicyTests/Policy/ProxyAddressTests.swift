import LonghaulCore
import Testing

@Suite struct ProxyAddressTests {
    @Test(arguments: [
        ("p.example", "http://p.example:1080"), ("P:80/", "http://p:80"), ("https://p", "https://p:443"),
        ("SOCKS5h://[::1]:9050/x", "socks5h://[::1]:9050"), ("ada@p:1", "http://ada:@p:1"),
        ("http://ada:p@ss@p:1", "http://ada:p%40ss@p:1"),
        ("http://ada:a:b/c?d#e@p:1", "http://ada:a%3Ab%2Fc%3Fd%23e@p:1"),
        ("http://a%40b:100%@p:1", "http://a%40b:100%25@p:1"),
    ])
    func loginMayContainAnyCharacter(text: String, url: String) throws {
        let proxy = try ProxyAddress(parsing: text)
        #expect(proxy.text(withLogin: true) == url)
        #expect(!proxy.text(withLogin: false).contains("@") && !proxy.endpoint.contains("@"))
    }

    @Test(
        arguments: [
            ("htp://bad", .scheme), ("ftp://p:1", .scheme), ("http://", .host), ("p:port", .host), ("a b:1", .host),
            ("http://p:1?x", .host), ("p:70000", .host), ("ada:s3cret@", .host),
        ] as [(String, ProxyAddress.Fault)])
    func unusableProxyIsRefused(text: String, fault: ProxyAddress.Fault) {
        #expect(throws: fault) { try ProxyAddress(parsing: text) }
    }

    @Test(arguments: [true, false])
    func unusableProxyIsReportedWithoutLogin(isFromEnvironment: Bool) throws {
        var network = NetworkOptions()
        if isFromEnvironment {
            network.variables = ProxyVariables(https: "htp://ada:s3cret@bad")
        } else {
            network.proxy = "htp://ada:s3cret@bad"
        }
        let url = try TransferURL(parsing: "https://h")
        let failure = try #require(throws: TransferFailure.self) { try network.proxyInUse(for: url) }
        #expect(failure.message.contains("@bad") && !failure.message.contains("s3cret"))
        #expect(RetryPolicy.decide(failure, headers: []) == .never)
    }
}
