import Glibc
import LonghaulTesting
import Testing

/// Sessions in a world that only the test moves.
@Suite(.timeLimit(.minutes(5))) struct WorldTests {
    private static let url = "https://example.org/film.mp4"
    private static let film = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

    private let world: TestWorld

    init() throws {
        world = try TestWorld()
    }

    private func content(_ path: String?) throws -> [UInt8] {
        let path: String = try #require(path)
        let file = try #require(fopen(path, "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
    }

    @Test func aDownloadArrivesWithoutANetwork() async throws {
        world.server.answer(Self.url, with: .file(Self.film))
        let session = try await world.open("org.example.films")
        let download = try await session.download(from: Self.url, to: world.directory)
        let result = try await download.value
        #expect(try content(result.path) == Self.film)
        #expect(world.server.requests.map(\.url) == [Self.url])
        await session.close()
    }

    @Test func brokenDownloadResumesAtRetryTime() async throws {
        world.server.answer(Self.url, with: .file(Self.film).breaking(after: 100_000), .file(Self.film))
        let session = try await world.open("org.example.films")
        let download = try await session.download(from: Self.url, to: world.directory)
        await world.settle()
        let waiting = try await download.snapshot()
        #expect(waiting.bytesDone == 100_000 && !waiting.state.isEnded)
        #expect(world.server.requests.count == 1, "no retry before the clock advances")
        await world.advance(by: .seconds(600))
        let result = try await download.value
        #expect(try content(result.path) == Self.film)
        #expect(world.server.requests.last?.header("Range") != nil)
        await session.close()
    }

    @Test func anotherVersionIsNeverJoined() async throws {
        let other = Self.film.reversed().map { $0 }
        world.server.answer(Self.url, with: .file(Self.film).breaking(after: 100_000), .file(other, version: "2"))
        let session = try await world.open("org.example.films")
        let download = try await session.download(from: Self.url, to: world.directory)
        await world.advance(by: .seconds(600))
        #expect(try content(try await download.value.path) == other)
        await session.close()
    }

    @Test func heldAnswerReportsProgress() async throws {
        world.server.answer(Self.url, with: .file(Self.film).held(after: 150_000))
        let session = try await world.open("org.example.films")
        let download = try await session.download(from: Self.url, to: world.directory)
        await world.settle()
        #expect(try await download.snapshot().fractionCompleted == 0.5)
        world.server.release()
        await world.settle()
        #expect(try await download.snapshot().state == .succeeded)
        await session.close()
    }

    @Test func anUploadThatIsOutWaitsForItsAnswer() async throws {
        let url = "https://example.org/photos"
        world.server.answer(url, method: "POST", with: .status(201, body: Array("thanks".utf8)).held())
        let session = try await world.open("org.example.photos")
        let upload = try await session.upload(data: Self.film, to: url, method: "POST")
        await world.settle()
        #expect(try await upload.snapshot().state == .awaitingResponse)
        #expect(world.server.requests(for: url).map(\.body) == [Self.film])
        world.server.release()
        #expect(try await upload.response().body == Array("thanks".utf8))
        await session.close()
    }

    @Test func withoutANetworkEverythingWaits() async throws {
        world.server.answer(Self.url, with: .file(Self.film).held(after: 100_000), .file(Self.film))
        let session = try await world.open("org.example.films")
        let download = try await session.download(from: Self.url, to: world.directory)
        await world.settle()
        await world.setConditions(Conditions(isReachable: false))
        await world.advance(by: .seconds(3_600))
        guard case .waiting(let waiting) = try await download.snapshot().state else {
            Issue.record("it does not wait")
            return
        }
        #expect(waiting.reason == .network)
        #expect(world.server.requests.count == 1, "no request without a network")
        await world.setConditions(Conditions(isReachable: true))
        await world.advance(by: .seconds(60))
        #expect(try await download.snapshot().state == .succeeded)
        await session.close()
    }

    @Test func aDearNetworkIsNotUsedByWhoeverWishesSo() async throws {
        world.server.answer(Self.url, with: .file(Self.film))
        await world.setConditions(Conditions(isReachable: true, isExpensive: true))
        let session = try await world.open("org.example.films")
        var options = TransferOptions()
        options.conditions.allowsExpensiveNetworkAccess = false
        let download = try await session.download(from: Self.url, to: world.directory, options: options)
        await world.advance(by: .seconds(86_400))
        #expect(world.server.requests.isEmpty)
        await world.setConditions(Conditions(isReachable: true, isExpensive: false))
        #expect(try await download.snapshot().state == .succeeded)
        await session.close()
    }

    @Test func aDateIsWaitedForByTheWorldsClock() async throws {
        world.server.answer(Self.url, with: .file(Self.film))
        let session = try await world.open("org.example.films")
        var options = TransferOptions()
        options.earliestBeginDate = world.now + .seconds(8 * 3_600)
        let download = try await session.download(from: Self.url, to: world.directory, options: options)
        await world.advance(by: .seconds(8 * 3_600 - 1))
        #expect(world.server.requests.isEmpty)
        await world.advance(by: .seconds(1))
        #expect(try await download.snapshot().state == .succeeded)
        #expect(world.server.requests.first?.date == world.now)
        await session.close()
    }

    @Test func theNextLaunchFindsEverything() async throws {
        world.server.answer(Self.url, with: .failure(.connectionRefused), .file(Self.film))
        let first = try await world.open("org.example.films")
        _ = try await first.download(from: Self.url, to: world.directory, key: "film")
        await world.settle()
        await first.close()
        let second = try await world.open("org.example.films")
        let download = try #require(try await second.transfer(key: "film"))
        await world.advance(by: .seconds(600))
        #expect(try await download.snapshot().state == .succeeded)
        await second.close()
    }

    @Test func unansweredRequestFailsWithItsURL() async throws {
        let session = try await world.open("org.example.films")
        let request = try await session.request("https://example.org/forgotten")
        let failure = await #expect(throws: TransferFailure.self) { try await request.value }
        #expect(failure?.message.contains("GET https://example.org/forgotten") == true)
        await session.close()
    }

    @Test func manySessionsAndTransfersSettle() async throws {
        let sessions = [try await world.open("org.example.a"), try await world.open("org.example.b")]
        for number in 0..<40 {
            world.server.answer("https://example.org/\(number)", with: .failure(.timedOut), .file([UInt8(number)]))
            _ = try await sessions[number % 2].download(from: "https://example.org/\(number)", to: world.directory)
        }
        await world.advance(by: .seconds(3_600))
        for session in sessions {
            let all = try await session.snapshots()
            #expect(all.count == 20 && all.allSatisfy { $0.state == .succeeded })
            await session.close()
        }
    }
}
