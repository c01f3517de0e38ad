import LonghaulCore
import Testing

@testable import LonghaulCommand

/// A download that continues from a mirror.
struct MirrorNoticeTests {
    private func transfer(_ state: TransferState, done: Int64, mirror: String? = nil) -> TransferSnapshot {
        var transfer = snapshot(1, state, name: "f001.dat", done: done)
        transfer.url = "https://localhost:18443/f001.dat"
        transfer.mirrorURL = mirror
        if mirror != nil { transfer.rejectedURL = transfer.url }
        return transfer
    }

    private let mirror = "http://127.0.0.1:18090/f001.dat"

    @Test func sourceAfterRejectedCertificateIsPrintedOnce() async {
        let watch = ScriptedService.Watch(updates: [
            update(transfer(.running(.receiving), done: 0)),
            update(transfer(.running(.receiving), done: 5, mirror: mirror)),
            update(transfer(.running(.receiving), done: 9, mirror: mirror)),
            update(transfer(.succeeded, done: 9, mirror: mirror)),
        ])
        let test = TestWorld(ScriptedService { $0.watches = [watch] })
        #expect(await test.run("download", "https://localhost:18443/f001.dat", "-d", "/tmp") == 0)
        let line =
            "longhaul: f001.dat: localhost:18443: certificate rejected; continues from 127.0.0.1:18090."
        #expect(test.saidLines.count { $0 == line } == 1, "\(test.saidLines)")
    }

    @Test func plainChecksumListIsNoProofOfPlainMirror() async {
        let test = TestWorld(ScriptedService { _ in })
        let status = await test.run(
            "download", transfer(.paused, done: 0).url, "--mirror", mirror, "--checksum-file",
            "http://localhost:18090/SHA256SUMS", "-d", "/tmp")
        #expect(status == 2 && test.said.contains("plain HTTP proves no mirror"), "\(test.said)")
    }

    @Test func hostIsThatOfTheMirrorInUse() {
        #expect(transfer(.running(.receiving), done: 0).host == "localhost")
        #expect(transfer(.running(.receiving), done: 5, mirror: mirror).host == "127.0.0.1")
    }
}
