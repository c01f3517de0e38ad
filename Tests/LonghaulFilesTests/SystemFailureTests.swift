import Glibc
import LonghaulCore
import LonghaulFiles
import LonghaulSystem
import TestSupport
import Testing

/// The sentences for errors of a destination's file system.
@Suite struct SystemFailureTests {
    @Test func fileSystemWithoutInodesIsNotCalledFull() {
        for error in [SystemError(ENOSPC), SystemError(EDQUOT)] {
            var examined: [String] = []
            let failure = destinationFailure(error, path: "/films/f.mp4") { directory in
                examined.append(directory)
                return true
            }
            #expect(examined == ["/films"] && failure.code == .diskFull && failure.origin == error.origin)
            #expect(
                failure.message
                    == "The file system has no inode left for /films/f.mp4. Delete some files there.")
            let full = destinationFailure(error, path: "/films/f.mp4") { _ in false }
            #expect(full.code == .diskFull && full.message.contains("Free some space"))
        }
    }

    @Test func otherErrorsExamineNoInodes() {
        for number in [EACCES, EIO, EMFILE, EFBIG, ENAMETOOLONG] {
            let failure = destinationFailure(SystemError(number), path: "/films/f.mp4") { _ in
                Issue.record("\(number) says nothing about inodes")
                return true
            }
            #expect(failure.code != .diskFull)
        }
    }

    @Test func onlyAFixedNumberOfInodesRunsOut() {
        #expect(!Files.lacksInodes(total: 0, available: 0), "Btrfs reports no inodes at all")
        #expect(Files.lacksInodes(total: 1_000, available: 0))
        #expect(!Files.lacksInodes(total: 1_000, available: 1))
    }

    @Test(.enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
    func lackOfInodesIsReadFromTheFileSystem() throws {
        let home = try TemporaryDirectory()
        let volume = try SmallVolume(.tmpfs, in: home, "volume", bytes: 1 << 20)
        #expect(!Files.lacksInodes(at: volume.path))
        try volume.limitInodes(to: 2)
        #expect(!Files.lacksInodes(at: volume.path))
        try home.write([1], to: "volume/last")
        #expect(Files.lacksInodes(at: volume.path))
    }
}
