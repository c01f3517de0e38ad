import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

struct IdentityOptionTests {
    private func submit(
        _ words: [String], in scratch: Scratch? = nil, _ environment: [String: String] = [:]
    ) async -> (Int32, TransferSpec?, TestWorld) {
        let test = TestWorld()
        var world = test.world(directory: scratch?.path ?? "/tmp")
        world.environment.merge(environment) { $1 }
        let status = await Program(world: world).run(["download", "-b", "-d", "/tmp", "https://h/"] + words)
        return (status, test.service.state.withLock { $0.submitted.first }, test)
    }

    private static let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
    private static let key = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n"

    @Test func identityOptionsReachTransfer() async throws {
        let scratch = Scratch()
        for name in ["c.pem", "ca.pem"] { try scratch.write(Self.certificate, to: name) }
        try scratch.write(Self.key, to: "c.key")
        try scratch.write("Set-Cookie: a=1\n", to: "jar")
        let words = [
            "--anyauth", "-u", "ada:pw", "-E", "c.pem:open", "--private-key", "c.key", "--pinnedpubkey", "sha256//AAAA",
            "--cookie", "jar", "--cookie", "a=1", "--cookie", "b=2", "--cookie-jar", "new", "--proxy-cacert", "ca.pem",
            "-x",
            "socks5h://p:1", "-U", "me:p w",
        ]
        let network = try #require(await submit(words, in: scratch).1).network
        #expect(network.authentication == .any && network.pinnedPublicKeys == "sha256//AAAA")
        let certificate = ClientCertificate(
            certificate: scratch.path + "/c.pem", key: scratch.path + "/c.key", password: "open")
        #expect(network.clientCertificate == certificate && !"\(certificate)".contains("open"))
        #expect(network.cookieFile == scratch.path + "/jar" && network.cookieJar == scratch.path + "/new")
        #expect(network.proxy == "socks5h://me:p%20w@p:1" && network.proxyCAFile == scratch.path + "/ca.pem")
        let headers = try #require(await submit(words, in: scratch).1).headers
        #expect(headers.contains(HeaderField("Cookie", "a=1; b=2")) && headers.all("Cookie").count == 1)
    }

    @Test func environmentNamesAuthorities() async throws {
        let scratch = Scratch()
        for name in ["a.pem", "b.pem"] { try scratch.write(Self.certificate, to: name) }
        let variables = ["SSL_CERT_FILE": "a.pem", "CURL_CA_BUNDLE": scratch.path + "/b.pem"]
        func file(_ words: [String], _ environment: [String: String]) async throws -> String? {
            try #require(await submit(words, in: scratch, environment).1).network.caFile
        }
        #expect(try await file([], variables) == scratch.path + "/b.pem")
        #expect(try await file([], ["SSL_CERT_FILE": "a.pem", "CURL_CA_BUNDLE": ""]) == scratch.path + "/a.pem")
        #expect(try await file(["--cacert", "a.pem"], variables) == scratch.path + "/a.pem")
        #expect(try await file(["-k"], variables) == nil)
        let (status, spec, test) = await submit([], in: scratch, ["SSL_CERT_FILE": "none.pem"])
        #expect(status == 3 && spec == nil)
        #expect(test.said.contains("Cannot read \(scratch.path)/none.pem"))
        #expect(test.said.contains("SSL_CERT_FILE names this file"))
    }

    /// As in libcurl, a cookie is a line of at least six fields, or a header. A jar may be empty.
    @Test(arguments: [
        ("", true), ("# Netscape HTTP Cookie File\n", true), ("h\tFALSE\t/\tFALSE\t0\ta\t1\r\n", true),
        ("#HttpOnly_h\tFALSE\t/\tFALSE\t0\ta\t1\n", true), ("# a\nset-cookie: a=1\n", true),
        ("#HttpOnly_h FALSE / FALSE 0 a 1\n", false), ("a=1\n", false), ("SQLite format 3\0", false),
    ])
    func cookieFileMustHaveCookies(text: String, isAccepted: Bool) async throws {
        let scratch = Scratch()
        try scratch.write(text, to: "jar")
        let (status, spec, test) = await submit(["--cookie", "jar"], in: scratch)
        #expect(status == (isAccepted ? 0 : 3) && (spec != nil) == isAccepted, "\(test.said)")
    }

    @Test(
        arguments: [
            ("c.p12:a:b", "c.p12", "a:b"), ("c.p12::", "c.p12", ":"), ("c.p12:", "c.p12", nil),
            ("c.p12:\u{301}x", "c.p12", "\u{301}x"), ("d:e.p12:a:b", "d:e.p12", "a:b"), ("d:e.p12", "d:e.p12", nil),
            ("d:f.p12:a", "d:f.p12", "a"),
        ] as [(String, String, String?)])
    func certificatePasswordMayContainColons(text: String, file: String, password: String?) async throws {
        let scratch = Scratch()
        for name in ["c.p12", "d:e.p12", "d:f.p12"] { try scratch.write("0x", to: name) }
        let certificate = try #require(await submit(["--cert", text], in: scratch).1).network.clientCertificate
        #expect(certificate?.certificate == scratch.path + "/" + file && certificate?.password == password)
    }

    @Test func missingCertificateErrorHidesPassword() async {
        let (status, spec, test) = await submit(["--cert", "none.p12:s3cret:x"])
        #expect(status == 3 && spec == nil && test.said.contains("none.p12") && !test.said.contains("s3cret"))
    }

    @Test(arguments: ["a:b", "\u{301}a@/%#?", ":", " "]) func loginSecretMayContainEveryCharacter(secret: String)
        async throws
    {
        let spec = try #require(await submit(["-u", "ada:" + secret, "-x", "p:1", "-U", "me:" + secret]).1)
        let login = Base64.encode(("ada:" + secret).utf8)
        #expect(spec.headers.first { $0.isNamed("Authorization") }?.value == "Basic " + login)
        let proxy = try #require(spec.network.proxy?.dropFirst("http://me:".count).dropLast("@p:1".count))
        #expect(PercentCoding.decode(proxy.utf8).map { Array($0) } == Array(secret.utf8))
    }

    @Test func missingCertificateAndProxyPasswordsArePrompted() async throws {
        let scratch = Scratch()
        // The first byte of a sequence in DER.
        try scratch.write("0x", to: "c.p12")
        let (_, spec, test) = await submit(["-E", "c.p12", "--pass", "-", "-x", "p:1", "-U", "me"], in: scratch)
        #expect(spec?.network.clientCertificate?.password == "open sesame")
        #expect(spec?.network.proxy == "http://me:open%20sesame@p:1")
        #expect(!(test.said + test.printed).contains("sesame"))
    }

    @Test func privateKeyAsWithCurlIsRefused() async throws {
        let scratch = Scratch()
        try scratch.write(Self.certificate, to: "c.pem")
        try scratch.write(Self.key, to: "c.key")
        let (status, spec, test) = await submit(["--cert", "c.pem", "--key", "c.key"], in: scratch)
        #expect(status == 2 && spec == nil && test.said.contains("use --private-key"), "\(test.said)")
        let named = await submit(["--cert", "c.pem", "--key", "film"], in: scratch)
        #expect(named.0 == 0 && named.1?.options.key == "film")
    }

    @Test(arguments: [
        ["--digest"], ["--digest", "--anyauth", "-u", "a:b"], ["--cert", "none.pem"], ["--private-key", "/tmp"],
        ["--pass", "x"], ["--cookie", "none"], ["--session-cookies", "--cookie-jar", "x"], ["-U", "a:b"],
        ["--cookie", "a=\r\nb"], ["--cookie-jar", "/tmp"], ["--cookie-jar", "/tmp/none/jar"],
    ])
    func meaninglessIdentityOptionIsRejected(words: [String]) async {
        let (status, spec, test) = await submit(words)
        #expect((2...3).contains(status) && spec == nil, "\(test.said)")
    }
}
