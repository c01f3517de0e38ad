import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Downloads that get their names.
@Suite(.tags(.directPath), .onEachTransport) struct PlacedDownloadTests {
    private static let content = Content(seed: 95, length: 1_500_000)

    private func plan(_ world: World, digests: [Digest] = []) -> FileWork {
        .place(
            PlacePlan(
                id: TransferID(high: 1, low: 2), partialPath: world.partial, directory: world.directory.path,
                fileName: "film.bin",
                collision: .fail, length: nil, digests: digests))
    }

    @Test(arguments: [false, true])
    func aDownloadIsCheckedWhenItIsPlaced(isResumed: Bool) throws {
        let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\""))])
        if isResumed { try world.directory.write(Self.content.bytes(0..<1_000), to: "file.part") }
        _ = try world.exchange(world.download("/f", resume: isResumed ? .at(1_000) : nil, digests: [.sha256]))
        let digests = [try digest(of: Self.content, .sha256)]
        guard case .placed(.success) = try world.run(plan(world, digests: digests)) else { throw Unexpected() }
    }

    @Test func theFinishedFileHasOrdinaryPermissions() throws {
        let world = try World(["/f": Route(.file(Self.content))])
        _ = try world.exchange(world.download("/f"))
        #expect(try mode(world.partial) == 0o600)
        _ = try world.run(plan(world))
        try world.directory.write([], to: "ordinary")
        #expect(try mode(world.directory.path("film.bin")) == mode(world.directory.path("ordinary")))
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Unexpected() }
        return status.st_mode & 0o777
    }
}
