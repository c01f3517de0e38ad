import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

struct NetrcTests {
    private func field(_ text: String, _ host: String = "h.test") -> String? {
        Netrc(text).authorization(for: host)?.value
    }

    private func basic(_ text: String) -> String { "Basic " + Base64.encode(text.utf8) }

    @Test func theEntryOfTheHostIsFound() {
        let text = """
            # mine
            machine other.test login bob password b
            machine H.test
                login ada
                password "s3 \\"cret" account x
            macdef init
            machine h.test login eve

            default login anybody password
            """
        #expect(field(text) == basic("ada:s3 \"cret"))
        #expect(field(text, "other.test") == basic("bob:b"))
        #expect(field(text, "else.test") == basic("anybody:"))
        #expect(field("machine h.test login ada password x", "g.test") == nil)
    }

    @Test func keywordsIgnoreCase() {
        #expect(field("MACHINE h.test Login ada PASSWORD x MACDEF init") == basic("ada:x"))
        #expect(field("Default LOGIN ada password x") == basic("ada:x"))
        let macro = "MacDef init\nmachine h.test login eve password y\n\n"
        #expect(field(macro + "machine h.test login ada password x") == basic("ada:x"))
    }

    @Test(arguments: ["", "machine", "machine h.test", "login a password b", "machine h.test login", "\"", "macdef x"])
    func incompleteNetrcYieldsNothing(text: String) {
        #expect(field(text) == nil)
    }

    @Test func netrcIsReadOnRequest() async throws {
        let scratch = Scratch()
        try scratch.write("machine h.test login ada password x", to: ".netrc")
        let test = TestWorld()
        var world = test.world()
        world.environment["HOME"] = scratch.path
        for words in [
            ["-n", "http://h.test/"], ["http://h.test/"], ["-n", "http://g.test/"],
            ["-n", "-H", "Authorization: B", "http://h.test/"],
        ] {
            #expect(await Program(world: world).run(["download", "-b", "-d", "/tmp"] + words) == 0)
        }
        let sent = test.service.state.withLock { $0.submitted }.map { $0.headers.map(\.value) }
        #expect(sent == [[basic("ada:x")], [], [], ["B"]])
        #expect(!(test.said + test.printed).contains(basic("ada:x")))
    }
}
