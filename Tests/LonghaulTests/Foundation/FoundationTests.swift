import Foundation
import FoundationNetworking
import LonghaulFoundation
import LonghaulCore
import TestSupport
import Testing

/// An app that has Foundation uses its types.
@Suite struct FoundationTests {
    @Test func theLocalizedDescriptionIsTheSentence() {
        let failure: any Error = TransferFailure(.hostNotFound, "example.invalid was not found.")
        #expect(failure.localizedDescription == "example.invalid was not found.")
    }

    @Test(arguments: [0, 1_700_000_000.25, -1.5, 253_402_300_799])
    func datesAreTheSameThereAndBack(seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(Date(WallTime(date)) == date)
        #expect(WallTime(date).microseconds == Int64(seconds * 1_000_000))
    }

    @Test func theFarEndsOfTheCalendarSaturate() {
        #expect(WallTime(Date.distantFuture) > .now && WallTime(Date.distantPast) < .now)
        #expect(WallTime(Date(timeIntervalSince1970: .infinity)).microseconds == .max)
    }

    @Test func aFormTakesTheURLOfAFile() throws {
        let field = try FormField.file(name: "photo", url: URL(fileURLWithPath: "/home/me/a b.jpg"))
        #expect(field == .file(name: "photo", path: "/home/me/a b.jpg"))
        let failure = #expect(throws: TransferFailure.self) {
            try FormField.file(name: "photo", url: #require(URL(string: "https://example.org/a.jpg")))
        }
        #expect(failure?.code == .invalidArgument)
    }

    @Test func progressIsThatOfTheSnapshot() {
        let progress = Progress(totalUnitCount: 0)
        progress.update(with: .sample(1, bytesDone: 5, bytesTotal: 20))
        #expect(progress.fractionCompleted == 0.25)
        progress.update(with: .sample(1, bytesDone: 5))
        #expect(progress.isIndeterminate)
    }
}

extension SessionConformance {
    @Suite(.onEachTransport) struct FoundationTransferTests {
        private let server: NastyServer

        init() throws {
            server = try NastyServer(routes: [
                "/file": Route(.file(Content(seed: 3, length: 5_000), etag: "\"v1\"")),
                "/put": Route(.status(201, body: "stored")),
            ])
        }

        private func url(_ path: String) throws -> URL { try #require(URL(string: server.url(path))) }

        @Test func filesAndDataGoByURL() async throws {
            let world = try SessionWorld(.inProcess())
            try await world.launch { session in
                let directory = URL(fileURLWithPath: world.work, isDirectory: true)
                let file = try #require(
                    try await session.download(from: url("/file"), to: directory).value.fileURL)
                #expect(file.path == world.work + "/file")
                let upload = try await session.upload(file: file, to: url("/put")).response()
                #expect(upload.data == Data("stored".utf8))
                #expect(try await session.upload(data: Data([1, 2, 3]), to: url("/put")).response().status == 201)
                await #expect(throws: TransferFailure.self) {
                    try await session.upload(file: url("/file"), to: url("/put"))
                }
                #expect(server.requests.map(\.method) == ["GET", "PUT", "PUT"])
            }
        }

        @Test func aURLRequestIsSentAsItIs() async throws {
            let world = try SessionWorld(.inProcess())
            try await world.launch { session in
                var request = URLRequest(url: try url("/put"))
                request.httpMethod = "POST"
                request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
                request.httpBody = Data("words".utf8)
                #expect(try await session.request(request).response().status == 201)
                let sent = try #require(server.requests.first)
                #expect(sent.method == "POST" && sent.headers.single("Content-Type") == "text/plain")
                await #expect(throws: TransferFailure.self) {
                    try await session.download(for: request, to: URL(fileURLWithPath: world.work))
                }
                let plain = URLRequest(url: try url("/put"))
                await #expect(throws: TransferFailure.self) {
                    try await session.upload(for: plain, data: Data([1]))
                }
            }
        }
    }
}
