import Glibc
import LonghaulCore
import TestSupport
import Testing

/// A machine whose clock starts in the past, and a server whose certificate is not valid at that time.
@Suite(
    .onEachTransport, .timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
    .enabled(if: SetClock.missing == nil, "\(SetClock.missing ?? "")"))
struct ClockCertificateTests {
    private static let start = WallTime(seconds: 1_577_836_800)  // 2020-01-01

    private let product: Product
    private let clock: SetClock
    private let content = Content(seed: 38, length: 100_000)
    private let server: NastyServer

    init() async throws {
        product = try Product()
        clock = try await SetClock(in: product.home, at: Self.start)
        server = try NastyServer(routes: ["/f": Route(.file(content, etag: "\"v1\""))], over: .secureHTTP1)
    }

    @discardableResult
    private func run(_ arguments: String...) async throws -> ProgramCall.Result {
        var call = product.call("longhaul", arguments)
        call.environment.merge(clock.variables) { $1 }
        return try await call.run()
    }

    private func wait(for id: String, _ text: String) async throws {
        var call = product.call("longhaul", ["watch", "--json", id])
        call.environment.merge(clock.variables) { $1 }
        try await ChildProcess(call).waitForOutput(containing: text)
    }

    /// The clock is set further than the transfer's time limit, while the service runs or while it does not.
    @Test(arguments: [false, true]) func transferContinuesWhenClockIsSet(isKilled: Bool) async throws {
        var service = try await RunningService(in: product, variables: clock.variables)
        let download = try await run(
            "download", "--detach", "--cacert", server.caFile, "--max-time", "1h", "-o", "f", server.url("/f"))
        let id = String(download.output.prefix(36))
        try await wait(for: id, "\"reason\":\"clock\"")
        let words = try await run("show", id).output
        #expect(words.contains("waiting: the clock of this machine shows 2020-01-01T"), "\(words)")
        #expect(words.contains("and the certificate of 127.0.0.1 is valid from 20"), "\(words)")
        let advice = try await run("doctor", id).output
        #expect(advice.contains("Set the clock"), "\(advice)")
        #expect(server.requests.isEmpty)
        if isKilled {
            service.process.signal(SIGKILL)
            try await service.process.waitForEnd()
        }
        try clock.set(to: WallTime(seconds: Int64(time(nil))))
        if isKilled { service = try await RunningService(in: product, variables: clock.variables) }
        try await wait(for: id, "\"state\":\"succeeded\"")
        #expect(try product.home.read("work/f") == content.bytes())
        _ = service
    }

    @Test(.enabled(if: Signer.missing == nil, "\(Signer.missing ?? "")"))
    func signatureFromFutureWaitsForClock() async throws {
        let server = try NastyServer(over: .http1)
        let signer = try Signer(in: product.home)
        server.setRoute("/f", Route(.file(content, etag: "\"v1\"")))
        let signature = try signer.sign(content.bytes())
        server.setRoute("/f.sig", Reply(status: 200).with { $0.body = signature })
        let service = try await RunningService(in: product, variables: clock.variables)
        let download = try await run(
            "download", "--detach", "-o", "f", "--keyring", product.home.path("keyring.gpg"), "--signature",
            server.url("/f.sig"), server.url("/f"))
        let id = String(download.output.prefix(36))
        try await wait(for: id, "\"reason\":\"clock\"")
        try clock.set(to: WallTime(seconds: Int64(time(nil)) + 2))
        try await run("retry", id)
        try await wait(for: id, "\"state\":\"succeeded\"")
        #expect(try product.home.read("work/f") == content.bytes())
        _ = service
    }

    @Test func noRetryMeansNoWait() async throws {
        let service = try await RunningService(in: product, variables: clock.variables)
        let result = try await run("download", "-q", "--retry", "0", "--cacert", server.caFile, server.url("/f"))
        #expect(result.ending == .exited(5) && result.errorOutput.contains("not valid yet"), "\(result.errorOutput)")
        _ = service
    }
}
