import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Downloads that get another name or directory after their bytes have arrived.
@Suite(.onEachTransport) struct DestinationTests {
    private static let content = Content(seed: 612, length: 3_000_000)
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer
    /// Another file system than that of the product's home.
    private let memory: TemporaryDirectory

    init() throws {
        product = try Product()
        memory = try TemporaryDirectory(inMemory: true)
        let file = Reply.file(Self.content, etag: "\"v1\"")
        server = try NastyServer(routes: [
            "/f": Route(file.stalled(after: 2_000_000, by: latch)),
            "/half": .first(1, file.stalled(after: 2_000_000, by: latch), then: file),
        ])
    }

    /// Returns a download whose name was taken while its bytes arrived.
    private func failed(_ library: PreloadedLibrary? = nil, killedAt mark: String = "") async throws -> String {
        var call = product.call("longhaul", ["download", "-q", "-b", "--split", "1", "-o", "f", server.url("/f")])
        call.environment.merge(library?.variables ?? [:]) { $1 }
        call.environment["KILLED_AT"] = mark
        let id = try await call.run().output.split(separator: "\n").map(String.init).first ?? ""
        try await server.waitForRequests(1)
        try product.home.write([1], to: "work/f")
        latch.open()
        let facts = try await product.wait(for: id, state: "failed")
        #expect(facts["code"] == "destinationExists")
        return id
    }

    private func directory(_ isApart: Bool) -> String { isApart ? memory.path("made") : product.home.path("work/made") }

    private func place(of directory: String) -> (parent: TemporaryDirectory, name: String) {
        let parent = directory.hasPrefix(memory.path) ? memory : product.home
        return (parent, String(directory.dropFirst(parent.path.count + 1)))
    }

    private func settledNames(in directory: String) async throws -> [String] {
        let (parent, name) = place(of: directory)
        return try await parent.settledNames(name)
    }

    private func expectPlaced(in directory: String) async throws {
        #expect(try await settledNames(in: directory) == ["g"])
        let (parent, name) = place(of: directory)
        #expect(try parent.read(name + "/g") == Self.content.bytes())
        #expect(try await product.workNames.filter { $0 != "made" } == ["f"])
        #expect(try product.home.read("work/f") == [1])
        #expect(server.requests.count == 1, "\(server.summary)")
    }

    @Test(arguments: [false, true], [false, true])
    func failedDownloadKeepsItsBytes(isApart: Bool, inOneStep: Bool) async throws {
        let id = try await failed()
        let place = ["-d", directory(isApart), "-o", "g"]
        if inOneStep {
            let result = try await product.call("longhaul", ["retry", id] + place).run()
            #expect(result.exitStatus == 0, "\(result.errorOutput)")
        } else {
            let result = try await product.call("longhaul", ["set", id] + place).run()
            #expect(result.exitStatus == 0 && result.errorOutput.contains("longhaul retry"), "\(result.errorOutput)")
            #expect(try await product.facts(id)["state"] == "failed")
            try await product.succeed("retry", id)
        }
        try await product.succeed("watch", id)
        try await expectPlaced(in: directory(isApart))
    }

    @Test(arguments: [false, true]) func pausedDownloadResumesElsewhere(isApart: Bool) async throws {
        let id = try await product.succeed(
            "download", "-q", "-b", "--split", "1", "-o", "f", server.url("/half"))
        try await product.wait(for: id, "bytes") { Int64($0["bytesDone"] ?? "0") ?? 0 > 1_000_000 }
        let running = try await product.longhaul("set", id, "-d", directory(isApart))
        #expect(running.exitStatus == 13 && running.errorOutput.contains("Pause it"), "\(running.errorOutput)")
        try await product.succeed("pause", id)
        try await product.succeed("set", id, "-d", directory(isApart), "-o", "g")
        try await product.succeed("resume", id)
        try await product.succeed("watch", id)
        #expect(try await settledNames(in: directory(isApart)) == ["g"])
        #expect(try await product.workNames.filter { $0 != "made" } == [])
        #expect(server.requests.count == 2 && (server.requests.last?.range?.first ?? 0) > 500_000, "\(server.summary)")
    }

    @Test(.enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
    func downloadLeavesTheDiskThatFilledUp() async throws {
        let disk = try SmallVolume(.image, in: product.home, "work/disk", bytes: 8 << 20)
        let id = try await product.succeed(
            "download", "-q", "-b", "--split", "1", "-d", "disk", "-o", "f", server.url("/half"))
        try await product.wait(for: id, "bytes") { Int64($0["bytesDone"] ?? "0") ?? 0 > 1_900_000 }
        try disk.fillUp()
        latch.open()
        try await product.wait(for: id, "no room") { $0["reason"] == "diskSpace" }
        try await product.succeed("retry", id, "-d", directory(false), "-o", "g")
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/made/g") == Self.content.bytes())
        #expect(try await product.home.settledNames("work/disk") == ["lost+found", "other"])
        let start = server.requests.last?.range?.first ?? 0
        #expect(server.requests.count == 2 && start > 1_000_000, "\(server.summary)")
    }

    @Test(arguments: [false, true]) func removalLeavesNothingInEitherDirectory(isApart: Bool) async throws {
        let id = try await failed()
        try await product.succeed("set", id, "-d", directory(isApart))
        try await product.succeed("remove", id)
        #expect(try await product.workNames.filter { $0 != "made" } == ["f"])
        #expect(TemporaryDirectory.names(in: directory(isApart)).isEmpty)
    }

    @Test func takenOrImpossiblePlaceIsRefused() async throws {
        let id = try await failed()
        let before = try await product.facts(id)["path"]
        try product.home.write([2], to: "work/taken")
        for (place, sentence) in [
            (["-o", "taken"], "already exists"), (["-o", "no/g"], "no directory"),
            (["-d", "taken"], "not a directory"),
            (["-o", "made/"], "is not a file name"),
        ] {
            for command in ["set", "retry"] {
                let result = try await product.call("longhaul", [command, id] + place).run()
                #expect(result.exitStatus != 0 && result.errorOutput.contains(sentence), "\(result.errorOutput)")
            }
        }
        let mixed = try await product.longhaul("retry", id, "-o", "g", "-H", "A: b")
        #expect(mixed.exitStatus == 2)
        let facts = try await product.facts(id)
        #expect(facts["path"] == before && facts["state"] == "failed")
    }

    /// Between file systems, the service dies in the middle of the first copy.
    private static let death = """
        #define _GNU_SOURCE
        #include <errno.h>
        #include <signal.h>
        #include <stdlib.h>
        #include <sys/sendfile.h>
        #include <sys/syscall.h>
        #include <unistd.h>

        ssize_t copy_file_range(int in, off_t *at, int out, off_t *to, size_t count, unsigned flags) {
            errno = EXDEV;
            return -1;
        }

        ssize_t sendfile(int out, int in, off_t *at, size_t count) {
            const char *mark = getenv("KILLED_AT");
            int dies = mark && unlink(mark) == 0;
            ssize_t sent = syscall(SYS_sendfile, out, in, at, dies ? 100000 : count);
            if (dies) kill(getpid(), SIGKILL);
            return sent;
        }
        """

    @Test(.enabled(if: PreloadedLibrary.missing == nil, "\(PreloadedLibrary.missing ?? "")"))
    func killedCopyIsRepeated() async throws {
        let library = try await PreloadedLibrary(Self.death, named: "death", in: product.home)
        let id = try await failed(library, killedAt: product.home.path("mark"))
        let service = try #require(product.serviceID)
        try product.home.write([], to: "mark")
        // Its answer may be lost.
        _ = try await product.longhaul("retry", id, "-d", directory(true), "-o", "g")
        try await product.waitForEnd(of: service)
        #expect(!product.home.exists("mark"))
        #expect(TemporaryDirectory.names(in: directory(true)).contains { $0.hasSuffix(".copy") })
        try await product.succeed("watch", id)
        try await expectPlaced(in: directory(true))
    }
}
