import LonghaulCore
import Testing

@Suite struct ProxyVariablesTests {
    @Test(
        arguments: [
            ([:], "", "", ""), (["http_proxy": "a"], "a", "", ""), (["HTTP_PROXY": "a"], "", "", ""),
            (["HTTPS_PROXY": "a", "NO_PROXY": "n"], "", "a", "n"),
            (["https_proxy": "a", "HTTPS_PROXY": "b"], "", "a", ""),
            (["ALL_PROXY": "a", "http_proxy": "b"], "b", "a", ""),
            (["all_proxy": "a", "ALL_PROXY": "b"], "a", "a", ""),
            (["http_proxy": "", "all_proxy": "a", "no_proxy": "m", "NO_PROXY": "n"], "a", "a", "m"),
        ] as [([String: String], String, String, String)])
    func proxyVariablesMatchCurl(variables: [String: String], http: String, https: String, exceptions: String) {
        #expect(
            ProxyVariables(environment: variables)
                == ProxyVariables(http: http, https: https, exceptions: exceptions))
    }

    @Test func anOptionGoesBeforeThem() {
        var network = NetworkOptions()
        #expect(network.proxy(for: "http") == nil && network.proxyExceptions == nil)
        network.variables = ProxyVariables(http: "a", exceptions: "x")
        #expect(
            network.proxy(for: "http") == "a" && network.proxy(for: "https") == "" && network.proxyExceptions == "x")
        network.proxy = "b"
        network.noProxy = "y"
        #expect(network.proxy(for: "https") == "b" && network.proxyExceptions == "y")
    }

    @Test(arguments: [
        ("", true), ("*", false), ("x.test,*", true), ("h.test", false), (".test", false), ("test", false),
        ("est", true),
        ("a,  H.TEST", false), ("other.h.test", true),
    ])
    func aHostMayBeExcepted(exceptions: String, isUsed: Bool) throws {
        var network = NetworkOptions()
        network.variables = ProxyVariables(http: "p:1", exceptions: exceptions)
        #expect((try network.proxyInUse(for: TransferURL(parsing: "http://h.test")) != nil) == isUsed)
        #expect(try network.proxyInUse(for: TransferURL(parsing: "https://h.test")) == nil)
    }

    @Test(arguments: [
        ("10.1.2.3", "10.0.0.0/8", false), ("11.1.2.3", "10.0.0.0/8", true), ("10.1.2.3", "10.1.2.3/32", false),
        ("10.1.2.4", "10.1.2.3/32", true), ("h.test", "10.0.0.0/8", true), ("[::1]", "::1", false),
        ("[::1]", "[::1]", false), ("10.1.2.3", "10.0.0.0/40", true), ("10.1.2.3", "0.0.0.0/0", true),
    ])
    func addressMayBeExcepted(host: String, exceptions: String, isUsed: Bool) throws {
        var network = NetworkOptions()
        network.proxy = "p:1"
        network.noProxy = exceptions
        #expect((try network.proxyInUse(for: TransferURL(parsing: "http://\(host)")) != nil) == isUsed)
    }
}
