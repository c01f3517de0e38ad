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
        ("", true), ("*", false), ("h.test", false), (".test", false), ("test", false), ("est", true),
        ("a,  H.TEST", false), ("other.h.test", true),
    ])
    func aHostMayBeExcepted(exceptions: String, isUsed: Bool) {
        var network = NetworkOptions()
        network.variables = ProxyVariables(http: "p:1", exceptions: exceptions)
        #expect(network.usesProxy(for: "http", to: "h.test") == isUsed)
        #expect(!network.usesProxy(for: "https", to: "h.test"))
    }
}
