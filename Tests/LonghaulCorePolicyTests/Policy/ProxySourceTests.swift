import Testing

@testable import LonghaulCore

/// Proxies in the desktop's settings and in proxy scripts.
@Suite struct ProxySourceTests {
    @Test func proxyIsLookedUpForEachServer() throws {
        var network = NetworkOptions()
        network.proxy = "pac+/p.pac"
        var plan = ExchangePlan(
            method: "GET", url: "http://a/f", headers: [], body: nil, sink: .memory(limit: 0),
            network: CopyOnWrite(network),
            followsOnlyRepeatingRedirects: false)
        let (a, b) = (try TransferURL(parsing: "http://a/f"), try TransferURL(parsing: "http://b/f"))
        #expect(plan.unknownProxy(for: a) == .script("/p.pac"))
        plan.found(FoundProxy(url: "http://p:1"), for: a)
        #expect(plan.unknownProxy(for: a) == nil && plan.connecting.proxy == "http://p:1")
        #expect(plan.unknownProxy(for: b) == .script("/p.pac") && plan.network == network)
        network.proxy = "http://q:1"
        plan.network = network
        #expect(plan.unknownProxy(for: b) == nil, "one that is named leads everywhere")
    }

    @Test func aProxyIsNamedOrFoundOut() {
        #expect(ProxySource("system") == .system && ProxySource("http://system") == nil)
        #expect(ProxySource("pac+https://h/p.pac") == .script("https://h/p.pac"))
        var network = NetworkOptions()
        network.proxy = "system"
        network.variables = ProxyVariables(http: "http://other:1")
        let direct = network.using(FoundProxy(url: ""))
        #expect(direct.proxy(for: "http")?.isEmpty == true, "no proxy of the environment either")
        let found = network.using(FoundProxy(url: "http://p:1", exceptions: "a,b"))
        #expect(found.proxy(for: "https") == "http://p:1" && found.proxyExceptions == "a,b")
    }

    @Test(
        arguments: [
            ("PROXY p:80; DIRECT", "http://p:80"), ("DIRECT", ""), (" direct ; PROXY p:1", ""),
            ("SOCKS 10.0.0.1:1080", "socks5h://10.0.0.1:1080"), ("SOCKS4 s:1", "socks4a://s:1"),
            ("HTTPS p.example:443", "https://p.example:443"), ("proxy [::1]:8080", "http://[::1]:8080"),
        ])
    func theFirstWayOfAnAnswerCounts(answer: String, url: String) {
        #expect(FoundProxy(answer: answer)?.url == url)
    }

    @Test func everyEntryOfAnAnswerIsKept() throws {
        let found = try #require(FoundProxy(answer: "PROXY p; MAYBE x; SOCKS s:1 ;; DIRECT;"))
        #expect(found == FoundProxy(url: "http://p:80", fallbacks: ["socks5h://s:1", ""]))
        var plan = ExchangePlan(
            method: "GET", url: "http://a/f", headers: [], body: nil, sink: .memory(limit: 0),
            network: CopyOnWrite(NetworkOptions()), followsOnlyRepeatingRedirects: false)
        plan.found(found, for: try TransferURL(parsing: "http://a/f"))
        var urls: [String?] = [plan.connecting.proxy(for: "http")]
        while plan.skipProxy() { urls.append(plan.connecting.proxy(for: "http")) }
        #expect(urls == ["http://p:80", "socks5h://s:1", ""])
    }

    @Test(arguments: ["", "PROXY", "PROXY a b", "QUIC p:1", "DIRECT p:1", "PROXY p:80/x", "undefined"])
    func invalidAnswerYieldsNoProxy(answer: String) {
        #expect(FoundProxy(answer: answer) == nil)
    }

    @Test func theDesktopsSettingsAreRead() {
        func read(_ lines: String...) -> DesktopProxy? {
            DesktopProxy(settings: lines.map { "org.gnome.system.proxy" + $0 }.joined(separator: "\n"))
        }
        #expect(read(" mode 'none'", ".http host 'p'") == DesktopProxy.none)
        #expect(read(" mode 'auto'", " autoconfig-url 'http://h/p.pac'") == .script("http://h/p.pac"))
        let ports = [".http host 'p'", ".http port 8080", ".https host 's'", ".https port 0"]
        #expect(
            read(
                " mode 'manual'", ports[0], ports[1], ports[2], ports[3],
                " ignore-hosts ['localhost', '*.a.org', '::1']")
                == .named(http: "http://p:8080", https: "http://p:8080", exceptions: "localhost,.a.org,::1"))
        #expect(
            read(
                " mode 'manual'", ports[0], ports[1], ".http use-authentication true",
                ".http authentication-user 'a@b'",
                ".http authentication-password 'it\\'s'", ".socks host '::1'", ".socks port 1080")
                == .named(http: "http://a%40b:it%27s@p:8080", https: "socks5h://[::1]:1080", exceptions: ""))
        #expect(read() == nil && read(" mode 'else'") == nil)
    }

    @Test func scriptInputIsEscaped() throws {
        let url = try TransferURL(parsing: "https://me:secret@h.example/path?token=1")
        let program = ProxyScript.program(
            "function FindProxyForURL() {}", for: url, addresses: ["\"\n\\"], own: "1.2.3.4")
        #expect(program.contains(#"var LONGHAUL_ADDRESS = "\u0022\u000a\u005c";"#))
        #expect(program.contains(#"var LONGHAUL_ORIGIN = "https://h.example:443/";"#) && !program.contains("secret"))
        #expect(ProxyScript.answer(in: "noise\nlonghaul-proxy:DIRECT\n") == "DIRECT")
        #expect(ProxyScript.answer(in: "SyntaxError") == nil)
    }
}
