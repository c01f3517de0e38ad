import Glibc
import LonghaulCore
import LonghaulSystem
import TestSupport
import Testing

/// Which mount points are recorded at submission.
@Suite(.enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")")) struct MountPointsTests {
    private let files: TemporaryDirectory
    private let drive: SmallVolume

    init() throws {
        files = try TemporaryDirectory()
        drive = try SmallVolume(.tmpfs, in: files, "usb", bytes: 1 << 20)
        try files.makeDirectory("state")
    }

    private func environment(state: String = "state") -> [String: String] {
        ["HOME": files.path("usb"), "XDG_STATE_HOME": files.path(state)]
    }

    private func pointRecorded(for spec: TransferSpec, state: String = "state") -> [String?] {
        var specs = [spec, spec]
        MountPoints.record(in: &specs, environment: environment(state: state))
        #expect(specs[0] == specs[1])
        return [specs[0].download?.mountPoint]
    }

    private func download(to name: String) -> TransferSpec {
        TransferSpec(work: .download(DownloadSpec(directory: files.path(name))), method: "GET", url: "http://a.test/")
    }

    @Test func homeOnItsOwnDriveIsWaitedFor() {
        #expect(pointRecorded(for: download(to: "usb")) == [drive.path])
        #expect(pointRecorded(for: download(to: "usb"), state: "usb") == [nil])
        #expect(pointRecorded(for: download(to: "state")) == pointRecorded(for: download(to: "")))
    }
}
