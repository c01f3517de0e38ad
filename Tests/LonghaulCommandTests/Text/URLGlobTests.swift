import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

struct URLGlobTests {
    @Test(arguments: [
        ("http://h/a", ["a"]), ("http://h/[1-3]", ["1", "2", "3"]),
        ("http://h/f[08-10].jpg", ["f08.jpg", "f09.jpg", "f10.jpg"]),
        ("http://h/[0-10:5]", ["0", "5", "10"]), ("http://h/[a-c]", ["a", "b", "c"]),
        ("http://h/[A-E:2]", ["A", "C", "E"]),
        ("http://h/{x,yy,}", ["x", "yy", ""]), ("http://h/{a,b}[1-2]", ["a1", "a2", "b1", "b2"]),
        ("http://h/\\[1\\]\\{", ["[1]{"]), ("http://h/{a\\,b,c}", ["a,b", "c"]),
    ])
    func setsAndRangesStandForEachOfTheirOwn(text: String, paths: [String]) throws {
        #expect(try URLGlob.expand(text).map { String($0.url.dropFirst(9)) } == paths)
    }

    @Test func anAddressInBracketsIsAHost() throws {
        let urls = try URLGlob.expand("http://[::1]:80/[1-2]").map(\.url)
        #expect(urls == ["http://[::1]:80/1", "http://[::1]:80/2"])
        #expect(try URLGlob.expand("http://[::1]/").map(\.url) == ["http://[::1]/"])
    }

    @Test(arguments: [
        "http://h/[", "http://h/{a", "http://h/}", "http://h/[1]", "http://h/[3-1]", "http://h/[a-Z]",
        "http://h/[1-2:0]",
        "http://h/{a,{b}}", "http://h/[1-99999999999]", "http://h/[0-999][0-999]", "http://h/[-1]", "http://h/[1-2:x]",
    ])
    func invalidGlobIsRejected(text: String) {
        #expect(throws: TransferFailure.self) { try URLGlob.expand(text) }
    }

    @Test func theNameHasWhatStandsInThePlaces() {
        let match = URLGlob.Match(url: "", values: ["a", "07"])
        #expect(match.fill("x#1_#2.jpg") == "xa_07.jpg" && match.fill("#3#0#") == "#3#0#")
    }

    private func submit(_ words: String...) async -> (Int32, [TransferSpec], TestWorld) {
        let test = TestWorld()
        let status = await Program(world: test.world()).run(["download", "-b"] + words)
        return (status, test.service.state.withLock { $0.submitted }, test)
    }

    @Test func eachURLIsADownload() async throws {
        let (status, specs, _) = await submit("http://h/{a,b}/[1-2].jpg", "-o", "#1-#2.jpg", "-d", "/tmp")
        #expect(status == 0 && specs.map(\.url) == ["a/1", "a/2", "b/1", "b/2"].map { "http://h/\($0).jpg" })
        let names: [String?] = specs.map { spec in
            guard case .download(let download) = spec.work else { return nil }
            return download.fileName
        }
        #expect(names == ["a-1.jpg", "a-2.jpg", "b-1.jpg", "b-2.jpg"])
    }

    @Test func namesThatAreNotApartAreRefused() async {
        #expect(await submit("http://h/[1-2]", "-o", "x", "-d", "/tmp").0 == 2)
        let (status, _, test) = await submit("http://h/[1-2]", "-o", "x#2", "-d", "/tmp")
        #expect(status == 2 && test.said.contains("URL 1 also names /tmp/x#2"))
        #expect(await submit("http://h/[1-2]", "--sha256", String(repeating: "0", count: 64), "-d", "/tmp").0 == 2)
    }

    @Test func globbingCanBeTurnedOff() async throws {
        let (status, specs, _) = await submit("-g", "http://h/?a=1&b[]=2", "-d", "/tmp")
        #expect(status == 0 && specs.count == 1)
        #expect(await submit("http://h/?b[]=2", "-d", "/tmp").0 == 2)
    }
}
