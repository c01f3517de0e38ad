import LonghaulCore

@testable import LonghaulCommand

/// The transfers of all captures: each direction, each state, and several reasons to wait.
enum CapturedTransfers {
    private static let minute: Int64 = 60
    private static let hour: Int64 = 3_600

    private struct Sample {
        var state: TransferState
        var url: String
        var direction = TransferSnapshot.Direction.download
        var name: String?
        var mebibytes: (done: Int64, total: Int64?) = (0, nil)
        var rate: Int64 = 0
        /// Seconds since the submission, and since the end.
        var age: Int64
        var ended: Int64?
        var change: @Sendable (inout TransferSnapshot) -> Void = { _ in }
    }

    private static func waiting(
        _ reason: Waiting.Reason, until: Int64? = nil, _ failure: TransferFailure? = nil
    ) -> TransferState {
        .waiting(
            Waiting(
                reason, since: start - .seconds(minute), until: until.map { start + .seconds($0) }, failure: failure))
    }

    private static let notFound = TransferFailure(
        .notFound, "The server cdn.example.org has no such file (404)", advice: "check the URL", origin: .status(404))
    private static let refused = TransferFailure(
        .connectionRefused, "mirror.example.net:8443 refused the connection. Check the port, or try again later.",
        origin: .curl(7))
    private static let noCredentials = TransferFailure(
        .credentialsRequired, "The server private.example.org rejected the credentials (401)", origin: .status(401))

    private static let ended: [Sample] = [
        Sample(
            state: .succeeded, url: "https://cdn.example.org/manual.pdf", mebibytes: (3, 3), age: 73 * hour,
            ended: 72 * hour),
        Sample(
            state: .succeeded, url: "https://upload.example.org/files/", direction: .upload, name: "photo.jpg",
            mebibytes: (4, 4), age: 5 * hour, ended: 5 * hour,
            change: {
                $0.status = 201
                $0.resultURL = "https://upload.example.org/files/1ca353"
            }),
        Sample(
            state: .failed(notFound), url: "https://cdn.example.org/images/missing-since-yesterday.iso", age: 2 * hour,
            ended: 2 * hour),
        Sample(
            state: .succeeded, url: "http://127.0.0.1:8080/orders", direction: .request, name: "POST /orders",
            mebibytes: (0, 0), age: 26 * minute, ended: 26 * minute, change: { $0.status = 200 }),
        Sample(
            state: .cancelled, url: "https://upload.example.org/files/", direction: .upload, name: "photo.jpg",
            mebibytes: (1, 4), age: 25 * minute, ended: 24 * minute),
    ]

    private static let active: [Sample] = [
        Sample(
            state: .running(.receiving), url: "https://cdn.example.org/debian-12.5.0-amd64-netinst.iso",
            mebibytes: (300, 659), rate: 12 << 20, age: 45),
        Sample(
            state: .running(.sending), url: "https://upload.example.org/films/", direction: .upload,
            name: "holiday.mp4", mebibytes: (720, 1_000), rate: 900 << 10, age: 14 * minute),
        Sample(
            state: waiting(.retry, until: 42, refused), url: "https://mirror.example.net:8443/data.csv",
            mebibytes: (7, 20), age: 3 * minute, change: { $0.attempts = 3 }),
        Sample(
            state: waiting(.metered), url: "https://cdn.example.org/update.bin", mebibytes: (0, 1_200), age: 7 * hour),
        Sample(
            state: waiting(.turn), url: "https://cdn.example.org/second.iso", age: 44,
            change: { ($0.turnLimit, $0.turnLimitCount) = (.host, 6) }),
        Sample(state: .paused, url: "https://cdn.example.org/paused.iso", mebibytes: (31, 100), age: 49 * hour),
        Sample(state: waiting(.notBefore, until: 5 * hour), url: "https://cdn.example.org/tonight.iso", age: hour),
        Sample(
            state: .awaitingResponse, url: "https://forms.example.org/send", direction: .upload,
            name: "application.pdf and 1 more", mebibytes: (9, 9), age: 40),
        Sample(
            state: .running(.verifying), url: "https://cdn.example.org/a", name: "한국어 발표 자료 최종본.pdf",
            mebibytes: (12, 12), age: 30),
        Sample(
            state: waiting(.credentials, noCredentials), url: "https://private.example.org/report.pdf", age: 20),
        Sample(state: waiting(.predecessor), url: "https://cdn.example.org/checksums.txt", age: 10),
    ]

    static var all: [TransferSnapshot] {
        (ended + active).enumerated().map { index, sample in
            let number = UInt64(index + 1)
            let name = sample.name ?? sample.url.split(separator: "/").last.map(String.init) ?? ""
            var transfer = snapshot(
                number, sample.state, name: name, done: sample.mebibytes.done << 20,
                total: sample.mebibytes.total.map { $0 << 20 }, rate: sample.rate, direction: sample.direction)
            transfer.url = sample.url
            transfer.path = "/home/ada/" + name
            transfer.method = sample.direction == .download ? "GET" : sample.direction == .upload ? "PUT" : "POST"
            transfer.createdAt = start - .seconds(sample.age)
            transfer.startedAt = transfer.createdAt
            transfer.endedAt = sample.ended.map { start - .seconds($0) }
            sample.change(&transfer)
            return transfer
        }
    }

    /// A batch of 200 downloads, of which three failed, and one that is running.
    static var batch: [TransferSnapshot] {
        let ended = (1...200 as ClosedRange<UInt64>).map { number -> TransferSnapshot in
            let isFailed = [23, 111, 164].contains(number)
            let name = "data-\(number).csv"
            var transfer = snapshot(number, isFailed ? .failed(notFound) : .succeeded, name: name, done: 50 << 20)
            transfer.endedAt = start - .seconds(Int64(210 - number))
            return transfer
        }
        let running = snapshot(201, name: "data-201.csv", done: 21 << 20, total: 50 << 20, rate: 4 << 20)
        return (ended + [running]).map { transfer in
            var transfer = transfer
            transfer.url = "https://data.example.org/" + transfer.name
            transfer.createdAt = start - .seconds(240)
            return transfer
        }
    }

    /// The upload with a created resource.
    static var upload: TransferDetail {
        let head = ResponseHead(
            status: 201,
            headers: [HeaderField("Location", "/files/1ca353"), HeaderField("Content-Type", "application/json")],
            effectiveURL: "https://upload.example.org/files/")
        return TransferDetail(
            snapshot: all[1], headers: [HeaderField("Authorization", "(secret)", isSecret: true)],
            response: Response(head, body: Array("{\"id\": \"1ca353\"}".utf8), isTruncated: false), lastFailure: nil,
            restarts: 0)
    }

    /// The download that waits for a retry.
    static var retried: TransferDetail {
        TransferDetail(snapshot: all[7], headers: [], response: nil, lastFailure: refused, restarts: 1)
    }
}
