import LonghaulCore
import Testing

@Suite struct DirectPathsTests {
    @Test(arguments: ["7.88.1", "8.14.1"])
    func testedLibcurlIsBypassedUnlessPlainIsChosen(version: String) {
        let both = DirectPaths(receives: true, sends: true)
        #expect(DirectPaths(libcurl: version, choice: nil) == both)
        #expect(DirectPaths(libcurl: version, choice: "") == both)
        #expect(DirectPaths(libcurl: version, choice: "plain") == .none)
    }

    @Test(arguments: ["", "7.88.0", "7.88.1-DEV", "8.5.0", "8.14.10", "9.0.0"])
    func anyOtherLibcurlMovesAllBodies(version: String) {
        #expect(DirectPaths(libcurl: version, choice: nil) == .none)
    }
}
