import LonghaulCore
import Testing

@Suite struct PathAnchorsTests {
    private static let parent = "/var/mobile/Containers/Data/Application/"
    private static let old = parent + "11111111-1111-1111-1111-1111AAAABBBB"
    private static let new = parent + "22222222-2222-2222-2222-222222222222"
    private static let groups = ["/private/var/mobile/Containers/Shared/AppGroup/3", "/private/var/group"]
    private static let before = PathAnchors(home: old, group: groups[0])
    private static let after = PathAnchors(home: new, group: groups[1])

    @Test(arguments: [
        (old + "/Documents/a.jpg", new + "/Documents/a.jpg"), (old, new),
        ("/private\(old)/tmp/b", "/private\(new)/tmp/b"),
        (groups[0] + "/c", groups[1] + "/c"), ("/var/mobile/Containers/Shared/AppGroup/3/c", "/var/group/c"),
        ("\(old)/a and /private\(old)/b.", "\(new)/a and /private\(new)/b."),
        ("Could not read \(old)/a\u{1}h.", "Could not read \(new)/a\u{1}h."),
    ])
    func storedPathFollowsItsDirectory(_ text: String, _ moved: String) {
        let stored = Self.before.stored(text)
        #expect(!stored.contains(Self.old) && !stored.contains(Self.groups[0]))
        #expect(Self.before.current(stored) == text)
        #expect(Self.after.current(stored) == moved)
    }

    @Test(arguments: ["", "/", "/elsewhere/a", old + "2/a", "/Volumes/Copy" + old + "/a", "\u{1}", "a\u{1}x/b", "h/a"])
    func otherTextStays(_ text: String) {
        #expect(Self.after.current(Self.before.stored(text)) == text)
    }

    @Test func withoutAnchorsTextIsStoredAsItIs() {
        for text in ["\(Self.old)/a", "\u{1}h/a", "\u{1}"] {
            #expect(PathAnchors.none.stored(text) == text && PathAnchors.none.current(text) == text)
        }
    }

    @Test(arguments: [("", ""), ("/private", "/private")])
    func pathInFormerHomeIsInPresentHome(_ prefix: String, _ expected: String) {
        #expect(Self.after.current(prefix + Self.old + "/Documents/a") == expected + Self.new + "/Documents/a")
        #expect(Self.after.current(prefix + Self.old) == expected + Self.new)
    }

    @Test(arguments: [
        old.dropLast() + "/a", "/elsewhere" + old.dropFirst(parent.count - 1) + "/a", old + "x/a", parent + "b/a",
    ])
    func otherDirectoriesAreNoFormerHome(_ path: String) {
        #expect(Self.after.current(path) == path)
    }

    /// A home directory that the user chose has neighbors of other users.
    @Test func namedHomeHasNoFormerOnes() {
        #expect(PathAnchors(home: "/Users/me").current("/Users/you/a") == "/Users/you/a")
    }

    @Test func recordsNameAnchorsInPlaceOfPaths() throws {
        let pin = SourcePin(size: 1, modified: 2, inode: 3, device: 4)
        let specs = [
            TransferSpec(
                work: .upload(.raw(SourceFile(path: Self.old + "/a", pin: pin))), method: "PUT", url: "http://a.test/"),
            TransferSpec(
                work: .download(DownloadSpec(directory: Self.old + "/b", fileName: "c")), method: "GET",
                url: "http://a.test/"),
        ]
        for spec in specs {
            var facts = TransferFacts(createdAt: WallTime(seconds: 1), deadline: WallTime(seconds: 2))
            facts.download.finalPath = Self.old + "/b/c"
            facts.download.files.formerDirectories = [Self.old + "/d", "/e"]
            facts.lastFailure = TransferFailure(.sourceMissing, "No \(Self.old)/a.", advice: "restore \(Self.old)/a")
            let stored = (spec.wireBytes(anchors: Self.before), facts.wireBytes(anchors: Self.before))
            #expect(!String(decoding: stored.0 + stored.1, as: UTF8.self).contains(Self.old))
            #expect(try TransferSpec.decoded(wireBytes: stored.0, anchors: Self.before) == spec)
            #expect(try TransferFacts.decoded(wireBytes: stored.1, anchors: Self.before) == facts)
            let moved = try TransferSpec.decoded(wireBytes: stored.0, anchors: Self.after)
            #expect(
                moved.sources.map(\.path) + [moved.download?.directory].compactMap(\.self) == [
                    spec.download == nil ? Self.new + "/a" : Self.new + "/b"
                ])
            let found = try TransferFacts.decoded(wireBytes: stored.1, anchors: Self.after)
            #expect(found.download.finalPath == Self.new + "/b/c")
            #expect(found.download.files.formerDirectories == [Self.new + "/d", "/e"])
            #expect(found.lastFailure?.summary == "No \(Self.new)/a.")
            #expect(found.lastFailure?.advice == "restore \(Self.new)/a")
        }
    }
}
