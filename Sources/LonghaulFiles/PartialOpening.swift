import LonghaulCore
import LonghaulSystem

/// Opens a partial file so that its next byte is `start`: an empty new one for 0, otherwise one that has at least that many bytes.
///
/// A file with a second hard link was placed already: its bytes belong to the finished file and are not touched. With `keepsAll`, nothing
/// is truncated: a map records the valid ranges.
func openPartialFile(path: String, start: Int64, keepsAll: Bool = false) throws(TransferFailure) -> Descriptor {
    KnownPartials.add(path)
    let isNew = start == 0 && !keepsAll
    var file = try open(path, isNew ? [.both, .noLink, .making] : [.both, .noLink])
    if try status(of: file, path: path).linkCount > 1 {
        guard isNew else {
            throw TransferFailure(
                .fileFailed, "\(path) has another hard link, so Longhaul does not write to it. Remove the extra link.")
        }
        try receiving(path) { () throws(SystemError) in try Files.remove(path) }
        file = try open(path, [.both, .noLink, .new])
    }
    if !keepsAll { try cut(file, to: start, path: path) }
    return file
}

private func open(_ path: String, _ opening: Descriptor.Opening) throws(TransferFailure) -> Descriptor {
    try receiving(path) { () throws(SystemError) in try Descriptor(opening: path, opening) }
}

/// Truncates the file to `length`: bytes beyond it are unreliable.
private func cut(_ file: Descriptor, to length: Int64, path: String) throws(TransferFailure) {
    let size = try status(of: file, path: path).size
    guard size >= length else {
        throw TransferFailure(
            .fileFailed, "The partial file \(path) has \(size) bytes instead of \(length). Restart the download.")
    }
    guard size > length else { return }
    try receiving(path) { () throws(SystemError) in try file.truncate(to: length) }
}

private func status(of file: Descriptor, path: String) throws(TransferFailure) -> FileStatus {
    let status = try receiving(path) { () throws(SystemError) in try file.status() }
    try checkOwner(status, path: path)
    return status
}
