import LonghaulCore
import Testing

@Suite struct EntityTagTests {
    @Test(arguments: [
        ("\"xyzzy\"", false, "xyzzy"), ("W/\"xyzzy\"", true, "xyzzy"), ("\"\"", false, ""), ("W/\"\"", true, ""),
        ("\"5f3-1a,b\\c\"", false, "5f3-1a,b\\c"), ("\"é\"", false, "é"),
    ])
    func tagsAreRead(text: String, isWeak: Bool, opaque: String) throws {
        let tag = try #require(EntityTag(text))
        #expect(tag.isWeak == isWeak)
        #expect(tag.opaque == opaque)
    }

    @Test(arguments: [
        "", "xyzzy", "\"", "\"a", "a\"", "\"a\" ", " \"a\"", "w/\"a\"", "W/a", "W\"a\"", "W/", "\"a\"b\"", "\"a b\"",
        "\"a\", \"b\"", "*", "\"a\u{0}\"", "\"a\u{7F}\"",
    ])
    func invalidEntityTagIsRejected(text: String) {
        #expect(EntityTag(text) == nil)
    }

    @Test(arguments: [
        ("\"1\"", "\"1\"", true), ("W/\"1\"", "W/\"1\"", false), ("W/\"1\"", "\"1\"", false),
        ("\"1\"", "W/\"1\"", false), ("\"1\"", "\"2\"", false), ("\"\u{E9}\"", "\"e\u{301}\"", false),
    ])
    func onlyEqualStrongTagsMatch(left: String, right: String, match: Bool) throws {
        #expect(try #require(EntityTag(left)).matchesStrongly(#require(EntityTag(right))) == match)
    }
}
