import Glibc
import LonghaulCore
import LonghaulIPC
import TestSupport
import Testing

@Suite struct LonghaulPathsTests {
    @Test func theDirectoriesOfTheEnvironmentAreUsed() throws {
        let paths = try LonghaulPaths(environment: ["XDG_RUNTIME_DIR": "/r/", "XDG_STATE_HOME": "/s", "HOME": "/h"])
        #expect(paths.socket == "/r/longhaul/socket")
        #expect(paths.stateDirectory == "/s/longhaul")
    }

    @Test func withoutAStateDirectoryTheHomeHoldsIt() throws {
        let paths = try LonghaulPaths(environment: ["XDG_STATE_HOME": "relative", "HOME": "/h"])
        #expect(paths.stateDirectory == "/h/.local/state/longhaul")
    }

    @Test func withoutARuntimeDirectoryTheUsersOwnIsMadeInTheSharedOne() throws {
        let paths = try LonghaulPaths(environment: ["HOME": "/h"], user: 4_000_000_000)
        #expect(paths.runtimeDirectory == "/tmp/longhaul-4000000000")
        #expect(paths.isRuntimeParentShared)
    }

    @Test func withoutAHomeThereIsNoPlaceForTransfers() {
        let error = #expect(throws: TransferFailure.self) { try LonghaulPaths(environment: [:]) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func aDirectoryIsMadeForItsOwnerAlone() throws {
        let place = try TemporaryDirectory()
        try PrivateDirectory.create(place.path("a/b/c"), mayTighten: false)
        var status = stat()
        #expect(stat(place.path("a/b"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        try PrivateDirectory.create(place.path("a/b/c"), mayTighten: false)
    }

    @Test func aLooseDirectoryIsClosedOrRefused() throws {
        let place = try TemporaryDirectory()
        try place.makeDirectory("loose")
        chmod(place.path("loose"), 0o755)
        let error = #expect(throws: TransferFailure.self) {
            try PrivateDirectory.create(place.path("loose"), mayTighten: false)
        }
        #expect(error?.code == .accessDenied)
        try PrivateDirectory.create(place.path("loose"), mayTighten: true)
        var status = stat()
        #expect(stat(place.path("loose"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test func aLinkIsNotFollowed() throws {
        let place = try TemporaryDirectory()
        try place.makeDirectory("real")
        symlink(place.path("real"), place.path("link"))
        let error = #expect(throws: TransferFailure.self) {
            try PrivateDirectory.create(place.path("link"), mayTighten: true)
        }
        #expect(error?.code == .accessDenied)
    }

    @Test(.enabled(if: getuid() == 0, "only root can give a directory away"))
    func aDirectoryOfAnotherUserIsRefused() throws {
        let place = try TemporaryDirectory()
        try place.makeDirectory("foreign")
        chown(place.path("foreign"), 12_345, 12_345)
        let error = #expect(throws: TransferFailure.self) {
            try PrivateDirectory.create(place.path("foreign"), mayTighten: true)
        }
        #expect(error?.code == .accessDenied)
    }
}
