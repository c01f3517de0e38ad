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
        return specs[0].download.map { [$0.mountPoint] } ?? specs[0].sources.map(\.mountPoint)
    }

    private func download(to name: String) -> TransferSpec {
        TransferSpec(work: .download(DownloadSpec(directory: files.path(name))), method: "GET", url: "http://a.test/")
    }

    private func source(_ name: String) throws -> SourceFile { try SourceFile.inspect(path: files.path(name)) }

    @Test func homeOnItsOwnDriveIsWaitedFor() {
        #expect(pointRecorded(for: download(to: "usb")) == [drive.path])
        #expect(pointRecorded(for: download(to: "usb"), state: "usb") == [nil])
        #expect(pointRecorded(for: download(to: "state")) == pointRecorded(for: download(to: "")))
    }

    @Test func sourcesHaveTheirOwnMountPoints() throws {
        for name in ["usb/a", "usb/b", "here"] { try files.write([1, 2, 3], to: name) }
        try #require(symlink(files.path("usb/b"), files.path("link")) == 0)
        let sources = try ["here", "link", "here", "usb/a", "usb/b"].map(source)
        let parts = sources.map { FormPart(name: "a", content: .file($0, fileName: "a", contentType: "a/b")) }
        let form = TransferSpec(
            work: .upload(.form(boundary: "b", parts: parts)), method: "POST", url: "http://a.test/")
        #expect(pointRecorded(for: form) == [nil, drive.path, nil, drive.path, drive.path])
        #expect(pointRecorded(for: form, state: "usb") == [nil, nil, nil, nil, nil])
    }

    @Test func copiesHaveNoMountPoint() throws {
        try files.write([1], to: "usb/a")
        let file = try source("usb/a")
        var copy = file
        copy.isStaged = true
        // The other file makes the mounts known.
        let parts = [copy, file].map { FormPart(name: "a", content: .file($0, fileName: "a", contentType: "a/b")) }
        let form = TransferSpec(
            work: .upload(.form(boundary: "b", parts: parts)), method: "POST", url: "http://a.test/")
        #expect(pointRecorded(for: form) == [nil, drive.path])
    }
}
