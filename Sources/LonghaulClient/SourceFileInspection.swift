package import LonghaulCore
import LonghaulIPC
import LonghaulSystem

extension SourceFile {
    /// Looks at a file and pins it. Fails with `sourceMissing` or `sourceUnreadable`, directories included.
    package static func inspect(path: String) throws(TransferFailure) -> SourceFile {
        let absolute = try absolutePath(path)
        let file: Descriptor
        do throws(SystemError) {
            // Opened and not only looked at: that shows whether it can be read. A named pipe would wait for its other end.
            file = try Descriptor(opening: absolute, [.reading, .atOnce])
        } catch {
            throw error.isMissing
                ? TransferFailure(
                    .sourceMissing,
                    "There is no file \(absolute). \(LocalPaths.tildeAdvice(absolute) ?? "Check its path.")",
                    origin: error.origin)
                : TransferFailure(.sourceUnreadable, "\(absolute) cannot be read.", error: error)
        }
        return SourceFile(path: absolute, pin: try pin(of: file, path: absolute))
    }

    static func pin(of file: Descriptor, path: String) throws(TransferFailure) -> SourcePin {
        let status: FileStatus
        do throws(SystemError) {
            status = try file.status()
        } catch {
            throw TransferFailure(.sourceUnreadable, "\(path) cannot be looked at.", error: error)
        }
        guard status.kind == .regular else {
            throw TransferFailure(.sourceUnreadable, "\(path) is not a regular file: only those can be uploaded.")
        }
        return SourcePin(status)
    }

    private static func absolutePath(_ path: String) throws(TransferFailure) -> String {
        guard !path.isEmpty, let absolute = ThisProcess.absolute(path) else {
            throw TransferFailure(.sourceMissing, "A file without a name cannot be uploaded.")
        }
        return absolute
    }
}
