import Testing

@testable import LonghaulCore

/// Lengths that are known before the first attempt.
@Suite struct KnownLengthTests {
    private static let file = SourceFile(path: "/a", pin: SourcePin(size: 1_000, modified: 1, inode: 2, device: 3))
    private static let parts = [
        FormPart(name: "title", content: .text("Dunes")),
        FormPart(name: "photo", content: .file(file, fileName: "a.jpg", contentType: "image/jpeg")),
    ]

    private static func download(_ length: Int64?, range: FilePart? = nil) -> TransferSpec.Work {
        var download = DownloadSpec(directory: "/d")
        (download.expectedLength, download.range) = (length, range)
        return .download(download)
    }

    private static var works: [(TransferSpec.Work, length: Int64?)] {
        [
            (.upload(.raw(file)), 1_000), (.upload(.tus(file, metadata: [])), 1_000),
            (.upload(.form(boundary: "b", parts: parts)), FormLayout.segments(boundary: "b", parts: parts).length),
            (.request(body: [1, 2]), 2), (.request(body: []), 0), (download(500), 500), (download(nil), nil),
            (download(500, range: FilePart(first: 5, last: nil)), nil),
        ]
    }

    @Test func waitingTransferHasTotal() throws {
        for (work, length) in Self.works {
            let spec = TransferSpec(work: work, method: work.isUpload ? "PUT" : "GET", url: "http://a.test/")
            let now = WallTime(seconds: 1_800_000_000)
            let record = try TransferRecord.accept(spec, id: TransferID(high: 1, low: 2), at: now).record
            #expect(TransferSnapshot(record).bytesTotal == length, "\(work)")
        }
    }

    @Test func restartedUploadHasTotal() {
        var world = MachineFixture.upload("PUT")
        world.feed(.command(.cancel))
        world.feed(.command(.retry))
        #expect(world.facts.bytesTotal == MachineFixture.pin.size)
    }
}

extension TransferSpec.Work {
    fileprivate var isUpload: Bool { if case .upload = self { true } else { false } }
}
