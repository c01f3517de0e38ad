import TestSupport
import Testing

@testable import LonghaulCore

/// Downloads to a drive or share that may not be mounted.
@Suite struct MountWaitTests {
    private static let notMounted = EngineEvent.partialMeasured(.failure(TransferFailure(.notMounted, "Not mounted.")))

    private static func world(_ change: (inout TransferSpec) -> Void = { _ in }) -> MachineFixture {
        MachineFixture.download { spec in
            spec.download?.mountPoint = "/tmp"
            change(&spec)
        }
    }

    private func measuring(_ world: MachineFixture) -> [TransferAction] {
        [
            .start(
                .files(
                    .measurePartial(path: world.machine.partialPath, directory: "/tmp/files", mountPoint: "/tmp")))
        ]
    }

    private func wait(_ world: MachineFixture) -> Waiting? {
        if case .waiting(let waiting) = world.state { waiting } else { nil }
    }

    private func reason(_ world: MachineFixture) -> Waiting.Reason? { wait(world)?.reason }

    @Test func downloadRequestsNothingBeforeItsDriveIsMounted() throws {
        var world = Self.world()
        for _ in 0..<20 {
            #expect(world.feed(.turnGranted) == measuring(world))
            #expect(world.engine(Self.notMounted).isEmpty && reason(world) == .mount)
            world.now = try #require(wait(world)?.until)
            world.feed(.due)
        }
        #expect(world.facts.failuresInARow == 0)
        world.feed(.turnGranted)
        #expect(world.engine(.partialMeasured(.success(nil))).exchange != nil)
    }

    @Test func unmountedDriveKeepsProgress() throws {
        var world = Self.world()
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(nil)))
        world.engine(.receiving(.file()))
        world.engine(.checkpoint(400))
        #expect(world.crash() == measuring(world))
        world.engine(Self.notMounted)
        #expect(reason(world) == .mount && world.facts.bytesDone == 400)
        #expect(world.crash().isEmpty)
        world.feed(.command(.retry))
        #expect(world.feed(.turnGranted) == measuring(world))
        let plan = try #require(world.engine(.partialMeasured(.success(400))).exchange)
        #expect(plan.headers.single("Range") != nil)
    }

    @Test func bytesOfUnknownVersionAreNotResumed() throws {
        var world = Self.world { $0.download?.expectedDigest = Digest(algorithm: .md5, bytes: []) }
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(nil)))
        world.engine(.receiving(.file()))
        world.engine(.checkpoint(400))
        _ = world.crash()
        world.engine(.partialMeasured(.success(400)))
        // The file has the bytes of the old version until the new one arrives.
        #expect(world.engine(.refused(.changed, .file(tag: "\"two\""))).exchange != nil)
        _ = world.crash()
        let plan = try #require(world.engine(.partialMeasured(.success(400))).exchange)
        #expect(plan.headers.single("Range") == nil)
    }

    @Test func existingFileIsCheckedOnceMounted() {
        var world = Self.world { spec in
            spec.download?.expectedDigest = Digest(algorithm: .md5, bytes: [])
            spec.download?.existing = ExistingFile(size: 1_000, test: .digest)
        }
        #expect(world.feed(.turnGranted) == measuring(world))
        world.engine(Self.notMounted)
        #expect(!world.facts.download.hasLookedAtOldFile)
        world.feed(.command(.retry))
        world.feed(.turnGranted)
        guard case .start(.files(.checkPieces))? = world.engine(.partialMeasured(.success(nil))).first else {
            return #expect(Bool(false), "the file is not checked")
        }
        world.engine(.piecesChecked(.success(PieceReport(good: SegmentMap(), isSourceWhole: true))))
        #expect(world.state == .succeeded)
    }

    @Test func deviceErrorIsRetriedOnce() {
        let gone = TransferFailure(.fileFailed, "I/O error", origin: .system(5))
        var world = Self.world()
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(nil)))
        world.engine(.receiving(.file()))
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .broke(gone), head: .file())))
        #expect(reason(world) == .retry)
        world.feed(.command(.retry))
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(nil)))
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .broke(gone))))
        #expect(world.state == .failed(gone))
        var plain = MachineFixture.download()
        plain.feed(.turnGranted)
        plain.engine(.exchangeEnded(ExchangeOutcome(ending: .broke(gone))))
        #expect(plain.state == .failed(gone))
    }

    /// The bytes that were written and not synced may be lost, even if the file is as long as it should be.
    @Test func unsyncedBytesAreFetchedAgainAfterDeviceError() throws {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.checkpoint(400))
        world.engine(.written(1_000, complete: true))
        world.engine(.placed(.failure(TransferFailure(.fileFailed, "I/O error", origin: .system(5)))))
        world.feed(.command(.retry))
        world.feed(.turnGranted)
        let actions = world.engine(.partialMeasured(.success(1_000)))
        guard case .partial(let partial)? = actions.exchange?.sink else { throw Unexpected() }
        #expect(partial.resume?.length == 400)
    }

    @Test func deviceErrorWhilePlacingKeepsFile() {
        var world = Self.world()
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(nil)))
        world.engine(.receiving(.file()))
        world.engine(.written(1_000, complete: true))
        world.engine(.placed(.failure(TransferFailure(.destinationUnwritable, "missing", origin: .system(2)))))
        #expect(reason(world) == .retry)
        world.feed(.command(.retry))
        world.feed(.turnGranted)
        world.engine(Self.notMounted)
        world.feed(.command(.retry))
        world.feed(.turnGranted)
        #expect(world.engine(.partialMeasured(.success(1_000))).placement != nil)
    }

    @Test func missingDirectoryOnMountedDriveFails() {
        let missing = TransferFailure(.destinationUnwritable, "missing", origin: .system(2))
        var world = Self.world()
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.failure(missing)))
        #expect(reason(world) == .retry)
        world.feed(.command(.retry))
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.failure(missing)))
        #expect(world.state == .failed(missing))
    }

    @Test func foreignWriteFailsOnAnyDrive() {
        let changed = TransferFailure(.fileFailed, "Another program wrote to it.")
        var world = Self.world()
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(nil)))
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .broke(changed))))
        #expect(world.state == .failed(changed))
    }

    @Test func zeroRetriesFailAtOnce() {
        var world = Self.world { $0.options.retryLimit = 0 }
        world.feed(.turnGranted)
        world.engine(Self.notMounted)
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .notMounted)
    }

    @Test func removalDoesNotWaitForDrive() {
        var world = Self.world()
        world.feed(.turnGranted)
        world.engine(Self.notMounted)
        #expect(world.feed(.command(.cancel)) == [.clean(.partialFile)])
        world.feed(.cleaned(.partialFile, isDone: false))
        #expect(world.facts.cleanup == [.partialFile])
        world.feed(.command(.remove))
        world.feed(.cleaned(.partialFile, isDone: false))
        #expect(world.machine.isReadyToForget)
    }

    private static func upload(
        _ pin: SourcePin = MachineFixture.pin, mountPoint: String? = "/tmp", tus: Bool = false
    ) -> MachineFixture {
        var source = SourceFile(path: "/tmp/source", pin: pin)
        source.mountPoint = mountPoint
        let work: UploadSpec = tus ? .tus(source, metadata: []) : .raw(source)
        return MachineFixture(TransferSpec(work: .upload(work), method: "POST", url: "http://example.org/in"))
    }

    private static let unmountedSource = EngineEvent.sourcesInspected([
        .failure(TransferFailure(.notMounted, "Not mounted."))
    ])

    @Test(arguments: [false, true]) func uploadSendsNothingBeforeItsDriveIsMounted(tus: Bool) throws {
        let inspection = FileWork.inspectSources(["/tmp/source"], mountPoints: ["/tmp/source": "/tmp"])
        var world = Self.upload(tus: tus)
        for _ in 0..<20 {
            #expect(world.feed(.turnGranted) == [.start(.files(inspection))])
            #expect(world.engine(Self.unmountedSource).isEmpty && reason(world) == .mount)
            world.now = try #require(wait(world)?.until)
            world.feed(.due)
        }
        #expect(world.facts.failuresInARow == 0)
        world.feed(.turnGranted)
        #expect(world.engine(.sourcesInspected([.success(MachineFixture.pin)])).exchange != nil)
    }

    @Test func deviceErrorOfSourceIsRetriedOnce() {
        let gone = TransferFailure(.sourceUnreadable, "I/O error", origin: .system(5))
        for mountPoint in ["/tmp", nil] {
            var world = Self.upload(mountPoint: mountPoint)
            world.feed(.turnGranted)
            if mountPoint != nil { world.engine(.sourcesInspected([.success(MachineFixture.pin)])) }
            world.engine(.exchangeEnded(ExchangeOutcome(ending: .broke(gone))))
            guard mountPoint != nil else {
                #expect(world.state == .failed(gone))
                continue
            }
            #expect(reason(world) == .retry)
            world.feed(.command(.retry))
            world.feed(.turnGranted)
            let missing = TransferFailure(.sourceMissing, "missing", origin: .system(2))
            world.engine(.sourcesInspected([.failure(missing)]))
            #expect(world.state == .failed(missing))
        }
    }

    /// FAT renumbers its files at each mount, and the drive may get another device number.
    @Test func sourceIsKnownAgainOnItsDrive() {
        let pin = MachineFixture.pin
        let moved = SourcePin(size: pin.size, modified: pin.modified, inode: pin.inode + 1, device: pin.device + 1)
        let longer = SourcePin(size: pin.size + 1, modified: pin.modified, inode: pin.inode, device: pin.device)
        let later = SourcePin(size: pin.size, modified: pin.modified + 1, inode: pin.inode, device: pin.device)
        for (found, mountPoint, isSent) in [
            (moved, "/tmp", true), (moved, nil, false), (longer, "/tmp", false), (later, "/tmp", false),
        ] as [(SourcePin, String?, Bool)] {
            var world = Self.upload(mountPoint: mountPoint, tus: true)
            world.feed(.turnGranted)
            #expect((world.engine(.sourcesInspected([.success(found)])).exchange != nil) == isSent)
            #expect(world.state.isEnded != isSent)
        }
    }

    @Test func newDirectoryHasItsOwnMountPoint() {
        var world = Self.world()
        var change = TransferAdjustment()
        change.destination = .init(directory: "/home/files", fileName: nil)
        world.feed(.adjusted(change))
        #expect(world.machine.record.spec.download?.mountPoint == nil)
        change.destination?.directory = "/media/usb"
        change.destination?.mountPoint = "/media/usb"
        world.feed(.adjusted(change))
        #expect(world.machine.record.spec.download?.mountPoint == "/media/usb")
        change.destination = .init(directory: "/media/usb", fileName: "b")
        world.feed(.adjusted(change))
        #expect(world.machine.record.spec.download?.mountPoint == "/media/usb")
    }
}
