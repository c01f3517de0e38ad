import Testing

@testable import LonghaulCore

/// Mirrors without TLS after a certificate failure.
@Suite struct PlainMirrorTests {
    private static let own = "https://a.example/f"
    private static let plain = "http://b.example/f"
    private static let other = "https://c.example/f"
    private static let rejection = TransferFailure(.certificateRejected, "It was rejected.", origin: .curl(60))

    private func world(_ mirrors: [String], hasDigest: Bool = false) -> MachineFixture {
        MachineFixture.download { spec in
            spec.url = Self.own
            spec.options.mirrors = mirrors
            guard hasDigest, case .download(var download) = spec.work else { return }
            download.expectedDigest = Digest(algorithm: .sha256, bytes: Array(repeating: 7, count: 32))
            spec.work = .download(download)
        }
    }

    private func failure(of world: MachineFixture) throws -> TransferFailure {
        guard case .failed(let failure) = world.state else { throw NotFailed(state: world.state) }
        return failure
    }

    private struct NotFailed: Error { var state: TransferState }

    @Test func rejectedCertificateEndsPlainMirrors() throws {
        var world = world([Self.plain])
        world.feed(.turnGranted)
        world.engine(.broke(.certificateRejected))
        let failure = try failure(of: world)
        #expect(failure.code == .certificateRejected && failure.message.hasPrefix("\(Self.own): It broke."))
        #expect(failure.message.contains("plain HTTP were not used") && failure.message.contains("--sha256"))
        let reports = try #require(world.facts.download.mirrors?.reports)
        #expect(reports.map(\.standing) == [.refused, .refused])
        #expect(reports[1].failure?.message.contains("no digest") == true)
    }

    @Test func digestAllowsPlainMirrors() throws {
        var world = world([Self.plain], hasDigest: true)
        world.feed(.turnGranted)
        world.engine(.broke(.certificateRejected))
        #expect(try #require(world.feed(.turnGranted).exchange).url == Self.plain)
    }

    /// A certificate that is not valid yet makes the transfer wait for the clock, and bans plain mirrors too.
    @Test func certificateOfTheFutureEndsPlainMirrors() {
        var world = world([Self.plain])
        world.feed(.turnGranted)
        world.engine(.broke(.notYetValid))
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.reason == .clock && world.facts.download.mirrors?.isBanned(1) == true)
    }

    @Test func encryptedMirrorContinuesWithoutPlainHelpers() throws {
        var world = world([Self.plain, Self.other])
        world.feed(.turnGranted)
        let before = world.machine.record
        world.engine(.broke(.certificateRejected))
        let line = world.machine.record.history(since: before)
        #expect(line?.event == "mirror")
        #expect(line?.detail == "continues from \(Self.other) after certificateRejected: It broke.")
        let snapshot = TransferSnapshot(world.machine.record)
        #expect(snapshot.mirrorURL == Self.other && snapshot.rejectedURL == Self.own)
        let plan = try #require(world.feed(.turnGranted).exchange)
        guard case .partial(let partial) = plan.sink else { throw NotFailed(state: world.state) }
        #expect(plan.url == Self.other && partial.mirrors.places.isEmpty && partial.mirrors.plain == .banned)
    }

    @Test func banOutlivesCrashesAndRetries() throws {
        var world = world([Self.plain, Self.other])
        world.feed(.turnGranted)
        world.engine(.broke(.certificateRejected))
        world.feed(.turnGranted)
        _ = world.crash()
        world.engine(.refused(.status, .ok(404)))
        let failure = try failure(of: world)
        #expect(failure.code == .certificateRejected && failure.message.hasPrefix(Self.own))
        world.feed(.command(.retry))
        var urls: [String] = []
        while !world.state.isEnded, urls.count < 9 {
            let plan = try #require(world.feed(.turnGranted).exchange)
            urls.append(plan.url)
            world.engine(.refused(.status, .ok(404)))
        }
        #expect(Set(urls) == [Self.own, Self.other])
        #expect(try self.failure(of: world).message.contains("plain HTTP were not used"))
    }

    /// Another connection of a download that already uses the mirror finds the certificate invalid.
    @Test func plainMirrorInUseIsLeft() throws {
        var world = world([Self.plain, Self.other])
        world.feed(.turnGranted)
        world.engine(.broke(.connectionRefused))
        #expect(try #require(world.feed(.turnGranted).exchange).url == Self.plain)
        world.engine(.receiving(.file()))
        let actions = world.engine(
            .places([
                MirrorSelector.Statistics(
                    url: Self.other, bytes: 0, rate: nil, isOfOtherVersion: false, rejection: Self.rejection)
            ]))
        #expect(actions == [.stop])
        #expect(world.facts.download.mirrors?.url == Self.own)
        #expect(TransferSnapshot(world.machine.record).rejectedURL == Self.other)
    }

    /// The submitted URL has no TLS, so its responses may name plain mirrors.
    @Test func mirrorsLearntLaterAreBannedToo() {
        var world = world([Self.other])
        world.machine.record.spec.url = "http://example.org/film.mp4"
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(
            .places([
                MirrorSelector.Statistics(
                    url: Self.other, bytes: 0, rate: nil, isOfOtherVersion: false, rejection: Self.rejection)
            ]))
        var head = ResponseHead.file()
        head.headers.append(HeaderField("Link", "<\(Self.plain)>; rel=duplicate"))
        world.machine.record.learnMirrors(from: head)
        let table = world.facts.download.mirrors
        #expect(table?.places.map(\.url).last == Self.plain && table?.isBanned(2) == true)
        #expect(table?.places[0].standing == .good, "the user chose it")
    }
}
