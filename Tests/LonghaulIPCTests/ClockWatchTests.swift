import Glibc
import LonghaulIPC
import LonghaulSystem
import TestSupport
import Testing

@Suite struct ClockWatchTests {
    @Test func anotherTimeZoneIsNoticedAndOtherFilesAreNot() throws {
        let directory = try TemporaryDirectory()
        let watch = ClockWatch(zoneDirectory: directory.path)
        #expect(watch.descriptors.count == 2 && !watch.hasChanged())
        try directory.write([], to: "passwd")
        #expect(!watch.hasChanged())
        // As timedatectl(1) does: a new link replaces the old one.
        #expect(symlink("/usr/share/zoneinfo/Asia/Tokyo", directory.path("new")) == 0)
        #expect(!watch.hasChanged())
        #expect(rename(directory.path("new"), directory.path("localtime")) == 0)
        #expect(watch.hasChanged())
        #expect(!watch.hasChanged())
    }
}
