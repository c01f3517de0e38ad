import Glibc
import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import TestSupport
import Testing

@Suite struct LonghaulPathsTests {
    @Test func theDirectoriesOfTheEnvironmentAreUsed() throws {
        let place = try TemporaryDirectory()
        let paths = try LonghaulPaths(
            environment: ["XDG_RUNTIME_DIR": place.path + "/", "XDG_STATE_HOME": "/s", "HOME": "/h"])
        #expect(paths.activationSocket == place.path("longhaul/socket"))
        #expect(paths.stateDirectory == "/s/longhaul")
        #expect(paths.socket == "/s/longhaul/socket")
    }

    @Test func withoutAStateDirectoryTheHomeHoldsIt() throws {
        let paths = try LonghaulPaths(environment: ["XDG_STATE_HOME": "relative", "HOME": "/h"])
        #expect(paths.stateDirectory == "/h/.local/state/longhaul")
    }

    @Test(arguments: ["HOME", "XDG_STATE_HOME"]) func stateDirectoryThatIsNotUTF8IsRefused(_ name: String) throws {
        let environment = ["HOME": "/h"].merging([name: "/a\u{FFFD}"]) { $1 }
        let error = #expect(throws: TransferFailure.self) {
            try LonghaulPaths(environment: environment, repaired: [name: "/a\u{FFFD}"])
        }
        #expect(error?.code == .invalidArgument && error?.message.contains("Set \(name) to a path in UTF-8") == true)
        // The replacement character is a valid one, too.
        #expect(try LonghaulPaths(environment: environment, repaired: [:]).stateDirectory.hasPrefix("/a\u{FFFD}/"))
        // An app may have its own environment.
        #expect(
            try LonghaulPaths(environment: ["HOME": "/h"], repaired: [name: "/a\u{FFFD}"]).stateDirectory.hasPrefix(
                "/h/"))
    }

    @Test func homeThatIsNotUsedMayHaveAnyBytes() throws {
        let paths = try LonghaulPaths(
            environment: ["HOME": "/\u{FFFD}", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/tmp"],
            repaired: ["HOME": "/\u{FFFD}", "XDG_RUNTIME_DIR": "/tmp"])
        #expect(paths.stateDirectory == "/s/longhaul" && paths.runtimeDirectory != "/tmp")
    }

    @Test(arguments: ["/none/at/all", "/proc/1"]) func aRuntimeDirectoryThatIsNotTheUsersIsNotUsed(_ path: String)
        throws
    {
        let paths = try LonghaulPaths(environment: ["HOME": "/h", "XDG_RUNTIME_DIR": path], user: 4_000_000_000)
        #expect(paths.runtimeDirectory == nil && paths.activationSocket == nil)
        #expect(paths.completing(["A": "b"]) == ["A": "b"])
        #expect(paths.socket == "/h/.local/state/longhaul/socket")
    }

    @Test func startedServiceGetsFoundRuntimeDirectory() throws {
        let place = try TemporaryDirectory()
        symlink(place.path, place.path("link"))
        let paths = try LonghaulPaths(environment: ["HOME": "/h", "XDG_RUNTIME_DIR": place.path("link")])
        #expect(paths.completing([:]) == ["XDG_RUNTIME_DIR": place.path("link")])
    }

    @Test func withoutAHomeInTheEnvironmentTheListOfUsersHasIt() throws {
        let home = try #require(getpwuid(getuid())?.pointee.pw_dir.map { String(cString: $0) })
        #expect(try LonghaulPaths(environment: [:]).stateDirectory == home + "/.local/state/longhaul")
    }

    @Test func withoutAHomeThereIsNoPlaceForTransfers() {
        let error = #expect(throws: TransferFailure.self) { try LonghaulPaths(environment: [:], user: 4_000_000_000) }
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
