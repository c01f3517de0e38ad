import TestSupport
import Testing

@testable import LonghaulCore

/// Text that would end a header, an argument, or a line, in every field of a submission that reaches one.
@Suite struct HostileTextTests {
    /// A field of a transfer, set to a text.
    struct Field: Sendable, CustomTestStringConvertible {
        var name: String
        /// The characters that the field must refuse.
        var refused = HostileTextTests.all
        var set: @Sendable (inout TransferSpec, String) -> Void

        var testDescription: String { name }
    }

    private static let all = ["\r", "\n", "\r\n", "\0"]
    /// In a path, line breaks are characters like any others.
    private static let nul = ["\0"]
    private static let file = SourceFile(path: "/a", pin: SourcePin(size: 0, modified: 1, inode: 2, device: 3))

    private static let headers: [Field] = [
        Field(name: "name of a header") { $0.headers = [HeaderField("X-\($1)", "v")] },
        Field(name: "value of a header") { $0.headers = [HeaderField("X-A", "a\($1)b")] },
        Field(name: "authorization") { $0.headers = [HeaderField("Authorization", "Basic a\($1)b")] },
        Field(name: "cookie") { $0.headers = [HeaderField("Cookie", "a=\($1)")] },
        Field(name: "referer") { $0.headers = [HeaderField("Referer", "http://a.example/\($1)")] },
        Field(name: "method") { $0.method = "GET\($1)" },
        Field(name: "user agent") { $0.network.userAgent = "x\($1)y" },
        Field(name: "idempotency key") { $0.options.idempotencyKey = "k\($1)" },
        Field(name: "credential") { $0.options.credential = "name\($1)" },
        Field(name: "URL's path") { $0.url = "http://example.org/a\($1)b" },
        Field(name: "URL's query") { $0.url = "http://example.org/a?b\($1)c" },
        Field(name: "URL's host") { $0.url = "http://exam\($1)ple.org/a" },
        Field(name: "URL's login") { $0.url = "http://us\($1)er:pass@example.org/a" },
        Field(name: "URL's fragment") { $0.url = "http://example.org/a#b\($1)c" },
        Field(name: "mirror") { $0.options.mirrors = ["http://mirror.example/a\($1)b"] },
        Field(name: "form's boundary") {
            $0.work = .upload(.form(boundary: "b\($1)", parts: [FormPart(name: "a", content: .text("v"))]))
        },
        Field(name: "content type of a form's text") {
            let content = FormPart.Content.text("v", fileName: nil, contentType: "text/plain\($1)")
            $0.work = .upload(.form(boundary: "b", parts: [FormPart(name: "a", content: content)]))
        },
        Field(name: "content type of a form's file") {
            let content = FormPart.Content.file(file, fileName: "f", contentType: "text/plain\($1)")
            $0.work = .upload(.form(boundary: "b", parts: [FormPart(name: "a", content: content)]))
        },
        Field(name: "form's field", refused: nul) {
            $0.work = .upload(.form(boundary: "b", parts: [FormPart(name: "a\($1)b", content: .text("v"))]))
        },
        Field(name: "file name of a form", refused: nul) {
            let content = FormPart.Content.file(file, fileName: "f\($1)g", contentType: "")
            $0.work = .upload(.form(boundary: "b", parts: [FormPart(name: "a", content: content)]))
        },
        Field(name: "metadata key of tus") {
            $0.work = .upload(.tus(file, metadata: [MetadataPair(key: "a\($1)b", value: "v")]))
        },
        Field(name: "metadata value of tus", refused: []) {
            $0.work = .upload(.tus(file, metadata: [MetadataPair(key: "a", value: "v\($1)w")]))
        },
    ]

    /// Other programs, libcurl, and the system get these as C strings.
    private static let strings: [Field] = [
        Field(name: "proxy") { $0.network.proxy = "http://pro\($1)xy.example:3128" },
        Field(name: "exceptions from the proxy", refused: nul) { $0.network.noProxy = "a.example\($1)" },
        Field(name: "authorities", refused: nul) { $0.network.caFile = "/a\($1)b" },
        Field(name: "authorities of the proxy", refused: nul) { $0.network.proxyCAFile = "/a\($1)b" },
        Field(name: "cookie file", refused: nul) { $0.network.cookieFile = "/a\($1)b" },
        Field(name: "cookie jar", refused: nul) { $0.network.cookieJar = "/a\($1)b" },
        Field(name: "pinned keys", refused: nul) { $0.network.pinnedPublicKeys = "/a\($1)b" },
        Field(name: "certificate", refused: nul) {
            $0.network.clientCertificate = ClientCertificate(certificate: "/a\($1)b")
        },
        Field(name: "key of the certificate", refused: nul) {
            $0.network.clientCertificate = ClientCertificate(certificate: "/a", key: "/b\($1)c")
        },
        Field(name: "password of the certificate", refused: nul) {
            $0.network.clientCertificate = ClientCertificate(certificate: "/a", password: "p\($1)q")
        },
        Field(name: "directory", refused: nul) { $0.download?.directory = "/tmp/a\($1)b" },
        Field(name: "file name", refused: nul) { $0.download?.fileName = "a\($1)b" },
        Field(name: "keyring", refused: nul) {
            $0.download?.signature = DetachedSignature(bytes: [1], keyring: "/a\($1)b")
        },
        Field(name: "source", refused: nul) {
            var source = file
            source.path = "/a\($1)b"
            $0.work = .upload(.raw(source))
            $0.method = "PUT"
        },
    ]

    private func spec(_ field: Field, _ text: String) -> TransferSpec {
        var spec = TransferSpec(
            work: .download(DownloadSpec(directory: "/tmp", fileName: "a")), method: "GET", url: "http://example.org/a")
        field.set(&spec, text)
        if case .upload = spec.work, spec.method == "GET" { spec.method = "POST" }
        return spec
    }

    private func code(_ spec: TransferSpec) -> FailureCode? {
        do throws(TransferFailure) {
            _ = try TransferRecord.accept(spec, id: TransferID(high: 1, low: 2), at: WallTime(seconds: 1_800_000_000))
            return nil
        } catch {
            return error.code
        }
    }

    /// As an app in the service's process submits them, and as the service receives them from its socket.
    @Test(arguments: headers + strings) func submissionRefuses(field: Field) throws {
        #expect(code(spec(field, "")) == nil, "the field itself is valid")
        for text in Self.all {
            let spec = spec(field, text)
            for submitted in [spec, try TransferSpec.decoded(wireBytes: spec.wireBytes)] {
                let code = code(submitted)
                if field.refused.contains(text) {
                    #expect(code == .invalidArgument || code == .invalidURL, "\(field.name): \(text.debugDescription)")
                } else {
                    #expect(code == nil, "\(field.name): \(text.debugDescription)")
                }
            }
        }
    }

    @Test(arguments: ["\r", "\n", "\r\n"]) func acceptedFormTextEndsNoHeader(text: String) throws {
        let part = FormPart(
            name: "a\(text)b", content: .text("v", fileName: "f\(text)g", contentType: "text/plain"))
        guard case .bytes(let bytes) = FormLayout.segments(boundary: "B", parts: [part]).segments.first else {
            throw Unexpected()
        }
        let lines = String(decoding: bytes, as: UTF8.self).unicodeScalars.split(separator: "\n")
        #expect(lines.count == 6 && lines.dropLast().allSatisfy { $0.last == "\r" && $0.count { $0 == "\r" } == 1 })
    }

    @Test(arguments: all) func replacedHeadersAndCredentialsAreRefused(text: String) throws {
        let credentials: [(Credential, CredentialKind)] = [
            (.bearer("t\(text)"), .authorization), (.header(HeaderField("X-Key", "t\(text)")), .authorization),
            (.header(HeaderField("X\(text)", "t")), .authorization),
            (.url("http://a.example/\(text)b", headers: nil), .url),
            (.url("http://a.example/", headers: [HeaderField("X", "t\(text)")]), .url),
        ]
        for (credential, kind) in credentials {
            #expect(credential.check(as: kind) != nil, "\(text.debugDescription): \(credential)")
        }
        // Base64 hides what a password contains.
        #expect(Credential.basic(userName: "u", password: "p\(text)").check(as: .authorization) == nil)
    }

    /// A user name and a password may have any character in HTTP, but no line of a helper's input.
    @Test(arguments: ["\n", "\r\n", "\0"]) func helperGetsNoAdditionalLine(text: String) throws {
        let request = CredentialRequest(
            name: try #require(CredentialName("name")), kind: .authorization, url: "http://a.example/",
            userName: "u\(text)host=evil.example")
        for credential in [nil, Credential.basic(userName: "u\(text)host=evil.example", password: "p\(text)path=x")] {
            let lines = String(decoding: HelperProtocol.input(request, credential), as: UTF8.self)
            #expect(!lines.contains("evil") && !lines.contains("path=x") && lines.contains("host=a.example"))
        }
        #expect(HelperProtocol.flaw(of: ["helper", "a\(text)"]) != nil || text != "\0")
    }

    @Test func startedAppGetsWholeArguments() {
        func refusal(_ method: WakeMethod) -> TransferFailure? { WakeRegistration(method).refusal }
        #expect(refusal(.command(["/bin/app", "a\nb"])) == nil)
        #expect(refusal(.command(["/bin/app", "a\0b"])) != nil)
        for text in Self.all {
            #expect(refusal(.systemdUnit("app\(text).service")) != nil)
            #expect(refusal(.dbus(appID: "org.example\(text).App", action: "a")) != nil)
            #expect(refusal(.dbus(appID: "org.example.App", action: "a\(text)")) != nil)
            #expect(BackgroundTaskRequest.refusal(ofIdentifier: "task\(text)") != nil)
        }
    }
}
