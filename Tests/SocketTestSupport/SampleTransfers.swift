package import LonghaulCore

extension TransferSpec {
    /// Returns a download that starts in a hundred years.
    package static func farAway(_ name: String = "file", url: String? = nil) -> TransferSpec {
        var spec = TransferSpec(
            work: .download(DownloadSpec(directory: "/tmp", fileName: name)), method: "GET",
            url: url ?? "http://127.0.0.1:9/\(name)")
        spec.options.earliestBeginDate = WallTime(seconds: 4_900_000_000)
        return spec
    }
}

extension TransferSnapshot {
    package static func sample(_ number: UInt64, url: String = "http://127.0.0.1:9/file", bytesDone: Int64 = 0)
        -> TransferSnapshot
    {
        TransferSnapshot(
            id: TransferID(high: 0x7000, low: number), sequence: Int64(number), key: nil, group: "",
            direction: .download,
            method: "GET", url: url, name: "file", path: nil, state: .running(.receiving), turnLimit: nil, priority: 0,
            bytesDone: bytesDone, bytesTotal: nil, rate: 0, attempts: 1, createdAt: WallTime(seconds: 1),
            startedAt: nil,
            endedAt: nil, status: nil)
    }
}
