import Glibc
import LonghaulCore

/// A mounted file system whose directories refuse the operations in their names (`refusing-fs.py`). It is unmounted
/// when its last reference is released.
package final class RefusingFileSystem {
    package let path: String
    /// It must outlive the mount inside it.
    private let home: TemporaryDirectory
    private let program: ChildProcess

    /// Fails without `/dev/fuse`, or without Debian's python3-pyfuse3.
    package init(in home: TemporaryDirectory, _ name: String) throws {
        self.home = home
        path = home.path(name)
        try home.makeDirectory(name)
        let here = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let script = here.joined(separator: "/") + "/refusing-fs.py"
        program = try ChildProcess(ProgramCall("/usr/bin/python3", [script, path]))
        do {
            try program.waitForOutput(containing: "mounted")
        } catch {
            let trouble = try? program.waitForEnd(limit: .seconds(1))
            throw TransferFailure(
                .internalFault,
                "FUSE cannot be used here (\(error), \(trouble.map { "\($0)" } ?? "runs")): \(program.errorOutput)")
        }
    }

    deinit {
        if umount2(path, Int32(MNT_DETACH)) != 0 {
            _ = try? ProgramCall("/usr/bin/fusermount3", ["-uz", path]).run() as ProgramCall.Result
        }
        // Open files of a service would hold a detached mount, and so its program.
        program.signal(SIGKILL)
        _ = try? program.waitForEnd()
    }

    /// A directory with rules, such as `chmod=EPERM,link=EXDEV`. Returns its path.
    package func makeDirectory(_ rules: String) throws -> String {
        let directory = path + "/" + rules
        guard mkdir(directory, 0o777) == 0 else {
            throw TransferFailure(.fileFailed, "cannot make \(rules)", origin: .system(Int(errno)))
        }
        return directory
    }
}
