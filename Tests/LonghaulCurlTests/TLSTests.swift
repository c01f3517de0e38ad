import LonghaulCore
import LonghaulSystem
import TestSupport
import Testing

@testable import LonghaulCurl

@Suite(.tags(.libcurl), .enabled(if: TLSServer.missing == nil, "nginx, openssl and python3 are needed"), .onEachPath)
struct TLSTests {
    static let content = Content(seed: 111, length: 5_000_000)

    private func world(_ server: TLSServer, _ path: String, _ change: (inout ExchangePlan) -> Void = { _ in }) throws
        -> (World, ExchangePlan)
    {
        let world = try World()
        var plan = world.download("/")
        plan.url = server.url + path
        plan.network.caFile = server.certificate
        change(&plan)
        return (world, plan)
    }

    @Test func aDownloadComesOverHTTP2() throws {
        let server = try TLSServer.nginx()
        try server.directory.write(Self.content, to: "www/f")
        let (world, plan) = try world(server, "/f")
        let outcome = try world.exchange(plan)
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true))
        #expect(outcome.head?.headers.single("X-Protocol") == "HTTP/2.0")
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    @Test func anUploadGoesOverHTTP2WithItsLastBytesHeld() throws {
        let server = try TLSServer.nginx()
        let (world, _) = try world(server, "/")
        var plan = world.request("PUT", "/", body: try world.fileBody(Self.content, holdsLastBytes: true))
        plan.url = server.url + "/up"
        plan.network.caFile = server.certificate
        let ticket = world.start(.exchange(plan))
        _ = try world.next(ticket) { $0 == .lastBytesHeld }
        world.engine.release(ticket, .sendRest)
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.head?.status == 201 && outcome.bytesSent == Self.content.length)
        #expect(try server.directory.read("www/up") == Self.content.bytes())
    }

    @Test func aBodyIsHeldAndWrittenOverHTTP2() throws {
        let server = try TLSServer.nginx()
        try server.directory.write(Self.content, to: "www/f")
        let (world, _) = try world(server, "/")
        try world.directory.write([1, 2, 3], to: "file.part")
        var plan = world.download("/", resume: .at(3))
        plan.url = server.url + "/f"
        plan.network.caFile = server.certificate
        let ticket = world.start(.exchange(plan))
        _ = try world.next(ticket) { if case .head = $0 { true } else { false } }
        world.engine.release(ticket, .writeFromStart)
        #expect(try world.outcome(of: ticket).disposition == .written(length: Self.content.length, isComplete: true))
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    @Test func aStrangersCertificateIsRejected() throws {
        let server = try TLSServer.nginx()
        let (world, plan) = try world(server, "/") { $0.network.caFile = "" }
        let outcome = try world.exchange(plan)
        #expect(outcome.failure?.code == .certificateRejected && !outcome.requestLeft)
        #expect(outcome.failure?.message.contains("--cacert") == true)
    }

    /// Then no other property of the certificate counts, and no other key is accepted.
    @Test(arguments: [TLSServer.Flaw.none, .expired])
    func aKeyThatWasAcceptedIsTheOnlyOne(flaw: TLSServer.Flaw) throws {
        let server = try TLSServer.nginx(flaw)
        try server.directory.write(Self.content, to: "www/f")
        var (world, plan) = try world(server, "/f") { $0.network.caFile = "" }
        let certificate = try #require(try world.exchange(plan).failure?.certificate)
        #expect(certificate.subject == "CN=localhost" && certificate.issuer == "CN=localhost")
        #expect(certificate.origin == server.url && certificate.fingerprint.count == 64)
        #expect((certificate.validUntil.seconds < 1_600_000_000) == (flaw == .expired))
        plan.network.trustedKeys = [certificate.origin: certificate.publicKey]
        let whole = ExchangeOutcome.Disposition.written(length: Self.content.length, isComplete: true)
        #expect(try world.exchange(plan).disposition == whole)
        let other = "sha256//" + Base64.encode([UInt8](repeating: 7, count: 32))
        plan.network.trustedKeys = [server.url: other]
        let failure = try #require(try world.exchange(plan).failure)
        #expect(failure.code == .certificateRejected && failure.message.contains("than the accepted one"), "\(failure)")
        #expect(failure.certificate == certificate)
        plan.network.trustedKeys = ["https://127.0.0.1:1": certificate.publicKey]
        #expect(try world.exchange(plan).failure?.code == .certificateRejected, "accepted for another server")
    }

    /// Each fault has its own sentence: a name of an issuer helps only against the last two.
    @Test(
        arguments: [
            (TLSServer.Flaw.expired, true, "has expired"), (.notYetValid, true, "not valid yet"),
            (.nameOfAnother, true, "another name"), (.unknownIssuer, false, "untrusted certificate authority"),
            (.none, false, "self-signed certificate"),
        ])
    func certificateFaultIsExplained(flaw: TLSServer.Flaw, isTrusted: Bool, words: String) throws {
        let server = try TLSServer.nginx(flaw)
        let (world, plan) = try world(server, "/f") { if !isTrusted { $0.network.caFile = "" } }
        let failure = try #require(try world.exchange(plan).failure)
        #expect(failure.code == (flaw == .notYetValid ? .notYetValid : .certificateRejected), "\(failure)")
        #expect(failure.message.contains(words), "\(failure)")
        let now = SystemClock.wallTime()
        #expect((failure.certificate?.validFrom ?? now > now) == (flaw == .notYetValid))
        #expect(failure.message.contains("--cacert") == !isTrusted, "\(failure)")
    }

    @Test func untrustedServerIsAcceptedOnRequest() throws {
        let server = try TLSServer.nginx()
        try server.directory.write(Self.content, to: "www/f")
        let (world, plan) = try world(server, "/f") {
            $0.network.caFile = ""
            $0.network.allowsUntrustedServer = true
        }
        #expect(try world.exchange(plan).ending == .responded)
    }

    @Test(arguments: [true, false])
    func aBodyWithoutALengthIsCompleteOnlyWithTheClosingAlert(orderly: Bool) throws {
        let server = try TLSServer.ending(orderly: orderly)
        let (world, plan) = try world(server, "/")
        let outcome = try world.exchange(plan)
        #expect(outcome.failure?.code == (orderly ? nil : .connectionLost))
        #expect(outcome.disposition == .written(length: 300_000, isComplete: orderly))
    }

    @Test(.enabled(if: Nginx.missing == nil, "nginx is needed")) func plainServerFailsTLS() throws {
        let nginx = try Transport.$current.withValue(.http1) { try Nginx() }
        let world = try World()
        var plan = world.request("GET", "/")
        plan.url = nginx.url("/").replacing("http:", with: "https:")
        let outcome = try world.exchange(plan)
        #expect(outcome.failure?.code == .tlsFailed && !outcome.requestLeft)
        #expect(outcome.failure?.origin == .longhaul && outcome.failure?.summary.contains("does not speak TLS") == true)
    }

    /// With TLS 1.3 the server demands the certificate after the handshake; with TLS 1.2, it ends the handshake.
    @Test(arguments: [
        (["-tls1_3", "-Verify", "1", "-verify_return_error"], FailureCode.certificateRejected, "--cert"),
        (["-tls1_2", "-Verify", "1", "-verify_return_error"], .tlsFailed, "--cert"),
        (["-tls1", "-cipher", "ALL:@SECLEVEL=0"], .tlsFailed, "supports no version of TLS"),
    ])
    func handshakeThatAlwaysFailsIsNotRetried(options: [String], code: FailureCode, words: String) throws {
        let server = try TLSServer.openssl(options)
        let (world, plan) = try world(server, "/")
        let failure = try #require(try world.exchange(plan).failure)
        #expect(failure.code == code && failure.summary.contains(words), "\(failure)")
        #expect(RetryPolicy.decide(failure, headers: []) == .never)
    }
}

/// libcurl's messages with OpenSSL's errors.
@Suite struct TLSRefusalTests {
    @Test(
        arguments: [
            ("0A00045C", .requiresCertificate), ("0A000412", .rejectsCertificate), ("0A000416", .rejectsCertificate),
            ("0A000418", .rejectsCertificate), ("0A000419", .rejectsCertificate), ("0A00042E", .otherVersion),
            ("0A000102", .otherVersion), ("0A00014D", .otherVersion), ("1409442E", .otherVersion),
            ("0A000410", .noSharedParameters), ("0A00010B", .noTLS), ("0A0000C6", .noTLS), ("0A00009C", .noTLS),
            // An internal error of the server, an illegal parameter, and a broken record may not happen again.
            ("0A000438", nil), ("0A000417", nil), ("0A000119", nil),
        ] as [(String, TLSRefusal?)])
    func reasonIsRead(error: String, refusal: TLSRefusal?) {
        #expect(TLSRefusal("OpenSSL SSL_connect: error:\(error):SSL routines::why") == refusal)
    }

    @Test(arguments: [
        "", "error:", "error:xyz", "OpenSSL SSL_connect: Connection reset by peer in connection to h:443",
    ])
    func otherMessageIsNoRefusal(message: String) {
        #expect(TLSRefusal(message) == nil)
    }

    @Test func adviceDependsOnTheCertificate() {
        func advice(_ refusal: TLSRefusal, _ hasCertificate: Bool) -> String {
            refusal.sentence(about: "https://h.test", hasCertificate: hasCertificate)
        }
        #expect(advice(.rejectsCertificate, true).contains("Pass another one with --cert"))
        #expect(advice(.rejectsCertificate, false).contains("If it requires a client certificate, pass one"))
        #expect(advice(.noSharedParameters, true).contains("another client certificate (--cert)"))
        #expect(advice(.noSharedParameters, false).contains("If it requires a client certificate, pass one"))
    }
}
