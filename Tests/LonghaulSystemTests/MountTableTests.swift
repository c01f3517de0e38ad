import LonghaulSystem
import Testing

@Suite struct MountTableTests {
    private func table(_ lines: String...) -> MountTable { MountTable(Array(lines.joined(separator: "\n").utf8)) }

    private static let root = "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw"

    private func mount(_ point: String, _ type: String = "ext4") -> String {
        "36 21 8:17 / \(point) rw,nosuid shared:7 master:3 - \(type) /dev/sdb1 rw,errors=remount-ro"
    }

    @Test(arguments: [
        ("/media/usb", "/media/usb"), ("/media/usb/films", "/media/usb"), ("/media/usb/deep/x", "/media/usb/deep"),
        ("/media/usb2", "/"), ("/media", "/"), ("/", "/"),
    ])
    func longestMountPointHoldsPath(path: String, point: String) {
        let table = table(mount("/media/usb/deep"), Self.root, mount("/media/usb"), "")
        #expect(table.mountPoint(of: path) == point)
    }

    @Test func octalEscapesAreDecoded() {
        let table = table(Self.root, mount(#"/media/My\040Disk\134\011\0"#), mount("/media/외장"))
        #expect(table.isMounted("/media/My Disk\\\t\\0"))
        #expect(table.mountPoint(of: "/media/My Disk\\\t\\0/a") == "/media/My Disk\\\t\\0")
        #expect(table.mountPoint(of: "/media/외장/a") == "/media/외장")
    }

    @Test func automountIsNotMountedBeforeAccess() {
        let waiting = table(Self.root, mount("/net/disk", "autofs"))
        #expect(!waiting.isMounted("/net/disk") && waiting.mountPoint(of: "/net/disk/a") == nil)
        let mounted = table(Self.root, mount("/net/disk", "autofs"), mount("/net/disk", "nfs4"))
        #expect(mounted.isMounted("/net/disk") && mounted.mountPoint(of: "/net/disk/a") == "/net/disk")
    }

    @Test func unreadableLinesAreSkipped() {
        let table = table("", "1 2 3", "36 21 8:17 / /media/usb rw - ", "36 21 8:17 / /a rw - xfs /dev/sdb1 rw")
        #expect(!table.isMounted("/media/usb") && table.isMounted("/a") && table.mountPoint(of: "/b") == nil)
    }

    @Test func currentTableHasTheRoot() throws {
        #expect(try MountTable.current().mountPoint(of: "/") == "/")
    }
}
