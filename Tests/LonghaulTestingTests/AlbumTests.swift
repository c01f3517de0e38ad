import LonghaulTesting
import Testing

/// Uploads photos to an album, over unmetered networks only.
struct Album {
    let session: TransferSession

    func send(_ photo: [UInt8], named name: String) async throws -> Transfer {
        var options = TransferOptions()
        options.conditions.allowsExpensiveNetworkAccess = false
        return try await session.upload(
            data: photo, to: "https://example.org/album/\(name)", key: name, options: options)
    }
}

@Suite struct AlbumTests {
    @Test func photoWaitsForUnmeteredNetwork() async throws {
        let world = try TestWorld()
        world.server.answer("https://example.org/album/beach", with: .status(503), .status(201))
        await world.setConditions(Conditions(isReachable: true, isExpensive: true))
        let album = Album(session: try await world.open("org.example.album"))
        let upload = try await album.send([1, 2, 3], named: "beach")
        await world.advance(by: .seconds(3_600))
        #expect(world.server.requests.isEmpty)

        await world.setConditions(Conditions(isReachable: true, isExpensive: false))
        #expect(world.server.requests.count == 1, "the server was busy, and Longhaul retries later")
        await world.advance(by: .seconds(600))
        #expect(try await upload.snapshot().state == .succeeded)
        #expect(world.server.requests.map(\.body) == [[1, 2, 3], [1, 2, 3]])
    }
}
