import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Downloads to file systems that refuse what Linux's own ones do.
@Suite(.onEachTransport) struct FileSystemTests {
    /// One is held in memory until it is complete, the other is written to a partial file.
    private static let lengths: [Int64] = [300, 600_000]
    private static let operations = ["chmod", "utime", "fsync", "fsyncdir", "link", "rename"]
    private static let codes = ["EPERM", "EACCES", "EINVAL", "EOPNOTSUPP", "EXDEV", "EEXIST", "EROFS"]

    private let product: Product
    private let fileSystem: RefusingFileSystem
    private let server: NastyServer
    private let contents = lengths.map { Content(seed: 360 + UInt64($0), length: $0) }

    init() throws {
        product = try Product()
        fileSystem = try RefusingFileSystem(in: product.home, "work/mount")
        server = try NastyServer(routes: [
            "/300": Route(.file(contents[0], lastModified: WallTime(seconds: 1_577_836_800))),
            "/600000": Route(.file(contents[1], lastModified: WallTime(seconds: 1_577_836_800))),
        ])
    }

    /// One operation with each error, and two together. A kernel that got ENOSYS does not repeat the call, so that error has a separate
    /// mount.
    private static func refusals(_ codes: [String]) -> [String] {
        codes.flatMap { code in
            operations.indices.flatMap { first in
                operations[first...].map { second in
                    second == operations[first]
                        ? "\(second)=\(code)" : "\(operations[first])=\(code),\(second)=\(code)"
                }
            }
        }
    }

    @Test(arguments: [false, true]) func refusedOperationsLoseNothing(overwrites: Bool) async throws {
        let other = try RefusingFileSystem(in: product.home, "work/other")
        var list = ""
        var expected: [(directory: String, content: Content)] = []
        for (mount, codes) in [(fileSystem, Self.codes), (other, ["ENOSYS"])] {
            for rules in Self.refusals(codes) + (codes.count > 1 ? ["rename=noreplace,link=EPERM", ""] : []) {
                for (length, content) in zip(Self.lengths, contents) {
                    let directory = try mount.makeDirectory("length=\(length)," + rules)
                    let name = String(directory.dropFirst(product.home.path("work/").count))
                    if overwrites { try product.home.write([1, 2, 3], to: "work/\(name)/f") }
                    list += "\(server.url("/\(length)"))\n dir=\(name)\n out=f\n"
                    expected.append((directory: name, content: content))
                }
            }
        }
        try product.home.write(list.utf8, to: "work/list")
        let options = overwrites ? ["--overwrite"] : []
        let call = product.call("longhaul", ["download", "-q", "-R", "-i", "list"] + options)
        let result = try await call.run(limit: .seconds(600))
        #expect(result.ending == .exited(0), "\(result.errorOutput.prefix(2_000))")
        for (directory, content) in expected {
            #expect(try await product.home.settledNames("work/\(directory)") == ["f"], "\(directory)")
            #expect(try product.home.read("work/\(directory)/f") == content.bytes(), "\(directory)")
        }
    }

    @Test func refusalsAreInTheHistory() async throws {
        for (rules, remark) in [
            ("chmod=EPERM", "permissions (Operation not permitted)"),
            ("utime=EACCES", "modification time (Permission denied)"), ("fsync=EINVAL", "sync (Invalid argument)"),
            ("fsyncdir=EOPNOTSUPP", "sync of the directory (Operation not supported)"),
        ] {
            let directory = try fileSystem.makeDirectory(rules)
            let id = try await product.succeed("download", "-b", "-R", "-d", directory, server.url("/600000"))
            try await product.succeed("watch", id)
            let history = try await product.succeed("history", id)
            #expect(history.contains("the file system refused: \(remark))"), "\(history)")
        }
    }

    /// That is no refusal: bytes may be lost.
    @Test func aSyncThatFailsIsAFailure() async throws {
        for rules in ["fsync=EIO", "fsyncdir=EIO"] {
            let directory = try fileSystem.makeDirectory(rules)
            let result = try await product.longhaul("download", "-d", directory, server.url("/300"))
            #expect(
                result.exitStatus != 0 && result.errorOutput.contains("Input/output error"), "\(result.errorOutput)")
        }
    }

    @Test func aTakenNameGivesWay() async throws {
        for rules in ["link=EPERM,rename=noreplace", "link=EEXIST,rename=EXDEV", "link=EPERM,rename=EPERM"] {
            let directory = try fileSystem.makeDirectory(rules)
            for (number, name) in ["600000", "600000 (1)", "600000 (2)"].enumerated() {
                try await product.succeed("download", "-d", directory, server.url("/600000?\(number)"))
                #expect(try product.home.read("work/mount/\(rules)/\(name)") == contents[1].bytes())
            }
            #expect(
                try await product.home.settledNames("work/mount/\(rules)") == ["600000", "600000 (1)", "600000 (2)"])
            let result = try await product.longhaul("download", "-o", "\(directory)/600000", server.url("/300"))
            #expect(result.exitStatus != 0 && result.errorOutput.contains("already exists"), "\(result.errorOutput)")
        }
    }

    private func settledNames(_ directory: String) async throws -> [String] {
        try await product.home.settledNames(String(directory.dropFirst(product.home.path("").count)))
    }

    private static let rejected: [(rules: String, name: String)] = [
        ("rules=vfat", "a:b.mp4"), ("rules=vfat", "Who?.mp4"), ("maxname=143", String(repeating: "n", count: 144)),
    ]

    @Test func aTypedNameIsRefusedBeforeTheFirstRequest() async throws {
        for (rules, name) in Self.rejected {
            let directory = try fileSystem.makeDirectory(rules + ",\(name.utf8.count)")
            for words in [["download"], ["request", "GET"]] {
                let path = "\(directory)/\(name)"
                let result = try await product.call("longhaul", words + ["-o", path, server.url("/300")]).run()
                #expect(result.exitStatus == 3, "\(result.errorOutput)")
                #expect(result.errorOutput.contains("does not accept the name"), "\(result.errorOutput)")
            }
            try product.home.write("\(server.url("/300"))\n dir=\(directory)\n out=\(name)\n".utf8, to: "work/list")
            #expect(try await product.longhaul("download", "-i", "list").exitStatus != 0)
            #expect(TemporaryDirectory.names(in: directory).isEmpty)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func aSuggestedNameIsReplaced() async throws {
        let names = ["a_b.mp4", "Who_.mp4", String(repeating: "n", count: 135)]
        for (offered, accepted) in zip(Self.rejected, names) {
            let directory = try fileSystem.makeDirectory(offered.rules + ",\(accepted.utf8.count),suggested")
            let header = HeaderField("Content-Disposition", "attachment; filename=\"\(offered.name)\"")
            server.setRoute("/named", .file(contents[1]).with { $0.headers.append(header) })
            try await product.succeed("download", "-d", directory, server.url("/named"))
            try await product.succeed("download", "-d", directory, server.url("/named?2"))
            let second = SafeFileName.numbered(accepted, 1)
            #expect(try await settledNames(directory) == [second, accepted].sorted())
            let metalink = """
                <?xml version="1.0" encoding="UTF-8"?>
                <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="\(offered.name)"><size>300</size>
                <url>\(server.url("/300"))</url></file></metalink>
                """
            try product.home.write(metalink.utf8, to: "work/f.meta4")
            let place = try fileSystem.makeDirectory(offered.rules + ",\(accepted.utf8.count),metalink")
            try await product.succeed("download", "-d", place, "-i", "f.meta4")
            #expect(try await settledNames(place) == [accepted])
        }
    }

    @Test(.enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
    func aReadOnlyFileSystemIsRefusedBeforeTheFirstRequest() async throws {
        let volume = try SmallVolume(.tmpfs, in: product.home, "work/fixed", bytes: 4 << 20)
        try volume.makeReadOnly()
        for words in [["-d", "fixed"], ["-d", "fixed/new"], ["-o", "fixed/f"]] {
            let result = try await product.call("longhaul", ["download"] + words + [server.url("/300")]).run()
            #expect(result.exitStatus == 3, "\(words)")
            #expect(result.errorOutput.contains("read-only file system"), "\(result.errorOutput)")
        }
        #expect(server.requests.isEmpty)
    }

    /// A FAT of the kernel's, or one in FUSE with its rules. The second value holds it.
    private func makeFAT() throws -> (directory: String, volume: SmallVolume?) {
        guard SmallVolume.knowsFAT else { return (try fileSystem.makeDirectory("rules=vfat,fat"), nil) }
        let volume = try SmallVolume(.fat, in: product.home, "work/fat", bytes: 8 << 30)
        return (volume.path, volume)
    }

    @Test func aFileBeyondTheLimitIsRefusedBeforeItsFirstByte() async throws {
        let (directory, volume) = try makeFAT()
        server.setRoute("/big", .file(Content(seed: 1, length: 5 << 30)))
        let result = try await product.longhaul("download", "-d", directory, server.url("/big"))
        #expect(
            result.exitStatus == 3 && result.errorOutput.contains("larger than its file system"),
            "\(result.errorOutput)")
        #expect(TemporaryDirectory.names(in: directory).isEmpty)
        #expect(server.requests.count == 1 && server.requests[0].responseBytes < 64 << 20)
        let metalink = """
            <?xml version="1.0" encoding="UTF-8"?>
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="big"><size>\(5 << 30)</size>
            <url>\(server.url("/big"))</url></file></metalink>
            """
        try product.home.write(metalink.utf8, to: "work/f.meta4")
        let refused = try await product.longhaul("download", "-d", directory, "-i", "f.meta4")
        #expect(
            refused.exitStatus == 3 && refused.errorOutput.contains("does not support files of"),
            "\(refused.errorOutput)")
        #expect(server.requests.count == 1 && TemporaryDirectory.names(in: directory).isEmpty)
        withExtendedLifetime(volume) {}
    }

    /// All files of a FAT belong to one user, have the same permissions, and one name.
    @Test func oddNamesArriveOnFATAndAPartialFileIsResumed() async throws {
        let (directory, volume) = try makeFAT()
        for (name, accepted) in [
            ("a:b*c.mp4", "a_b_c.mp4"), ("<x>|\"y\".txt", "_x___y_.txt"), ("naïve €.txt", "naïve €.txt"),
        ] {
            let encoded = name.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            let field = HeaderField("Content-Disposition", "attachment; filename*=UTF-8''\(encoded)")
            server.setRoute("/named", .file(contents[1]).with { $0.headers.append(field) })
            try await product.succeed("download", "-d", directory, server.url("/named?\(accepted.utf8.count)"))
            let path = String(directory.dropFirst(product.home.path("").count)) + "/" + accepted
            #expect(try product.home.read(path) == contents[1].bytes(), "\(accepted)")
        }
        let content = Content(seed: 361, length: 5 << 20)
        let cut = Reply.file(content, etag: "\"v1\"")
        let latch = Latch()
        server.setRoute("/cut", .first(1, cut.stalled(after: 3 << 20, by: latch), then: cut))
        let id = try await product.succeed("download", "-b", "--split", "1", "-d", directory, server.url("/cut"))
        let place = String(directory.dropFirst(product.home.path("").count))
        try await product.waitUntilResumable(id, in: place)
        try await product.killService()
        latch.open()
        try await product.succeed("watch", id)
        #expect(server.requests.last?.range != nil, "\(server.summary)")
        #expect(try product.home.read("\(place)/cut") == content.bytes())
        withExtendedLifetime(volume) {}
    }
}
