import LonghaulCore
import TestSupport
import Testing

/// File systems that cannot write past the page cache: some report that at once, some only at the first write.
@Suite(.onEachTransport, .enabled(if: PreloadedLibrary.missing == nil, "\(PreloadedLibrary.missing ?? "")"))
struct IndirectDiskTests {
    private static let refusedOpening = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdarg.h>
        #include <stdlib.h>
        #include <unistd.h>

        static int pass(const char *name, int file, int command, void *argument) {
            if (command == F_SETFL && ((long)argument & O_DIRECT)) {
                close(creat(getenv("REFUSED"), 0600));
                errno = EINVAL;
                return -1;
            }
            int (*real)(int, int, ...) = dlsym(RTLD_NEXT, name);
            return real(file, command, argument);
        }
        """

    private static let refusedWrite = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <unistd.h>

        static ssize_t pass(const char *name, int file, const void *bytes, size_t count, off_t offset) {
            if (fcntl(file, F_GETFL) & O_DIRECT) {
                close(creat(getenv("REFUSED"), 0600));
                errno = EINVAL;
                return -1;
            }
            ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, name);
            return real(file, bytes, count, offset);
        }
        """

    private static let fcntls = ["fcntl", "fcntl64"].map { name in
        """

        int \(name)(int file, int command, ...) {
            va_list list;
            va_start(list, command);
            void *argument = va_arg(list, void *);
            va_end(list);
            return pass("\(name)", file, command, argument);
        }
        """
    }

    private static let writes = ["pwrite", "pwrite64"].map { name in
        """

        ssize_t \(name)(int file, const void *bytes, size_t count, off_t offset) {
            return pass("\(name)", file, bytes, count, offset);
        }
        """
    }

    @Test(arguments: [
        refusedOpening + fcntls.joined(), refusedWrite + writes.joined(),
    ])
    func theFileArrivesThroughThePageCache(source: String) async throws {
        let product = try Product()
        let content = Content(seed: 18, length: 10 << 20)
        let server = try NastyServer(routes: ["/a": Route(.file(content, etag: "\"v1\""))])
        let library = try await PreloadedLibrary(source, named: "indirect", in: product.home)
        var call = product.call("longhaul", ["download", "-q", server.url("/a")])
        call.environment.merge(library.variables) { $1 }
        call.environment["REFUSED"] = product.home.path("refused")
        let result = try await call.run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        #expect(try product.home.read("work/a") == content.bytes())
        #expect(product.home.exists("refused"), "it was tried")
        #expect(server.requests.count == 1)
    }
}
