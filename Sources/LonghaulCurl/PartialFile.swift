import CLinux
import Glibc
import LonghaulCore

/// A download's partial file: bytes are gathered, written at explicit offsets and digested on the way.
///
/// It is `@unchecked Sendable` because it has one owner at a time: the network thread, until it hands the file to a
/// file worker with a closing job and lets go of it. A checkpoint running meanwhile reads only `descriptor`, which
/// does not change between opening and `deinit`.
final class PartialFile: @unchecked Sendable {
    /// How a partial file was left.
    struct End: Sendable {
        /// The bytes that are in the file; `nil` when it could not be opened.
        var length: Int64?
        var failure: TransferFailure?
    }

    let path: String
    /// Where this body's first byte lands.
    let start: Int64
    /// Bytes of the body still to come; `nil` when its length is not known.
    private(set) var missing: Int64?
    /// The end of what is written.
    private(set) var length: Int64
    private(set) var descriptor: Int32 = -1
    private let piece: UnsafeMutableRawBufferPointer
    private var gathered = 0
    private var digest: StreamDigest?

    init(path: String, start: Int64, bodyLength: Int64?, digests: Set<Digest.Algorithm>) {
        self.path = path
        self.start = start
        missing = bodyLength
        length = start
        digest = start == 0 && !digests.isEmpty ? StreamDigest(digests) : nil
        let size = min(Int64(BodyPath.pieceSize), max(bodyLength ?? .max, 1))
        piece = .allocate(byteCount: Int(size), alignment: 4_096)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        piece.deallocate()
    }

    /// Bytes of this body that were taken, written or not.
    var taken: Int64 { length - start + Int64(gathered) }

    /// Opens the file for writing at `start` and makes sure that there is room for the whole body.
    func open() throws(TransferFailure) {
        guard descriptor < 0 else { return }
        descriptor = try openPartialFile(path: path, start: start)
        if let missing, missing > BodyPath.pieceSize { try reserve(missing) }
    }

    /// Takes the next bytes of the body; at most `missing` of them are used. Returns how many were.
    func append(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) -> Int {
        let wanted = missing.map { Int(min($0, Int64(bytes.count))) } ?? bytes.count
        var rest = UnsafeRawBufferPointer(rebasing: bytes.prefix(wanted))
        while !rest.isEmpty {
            // The last piece is left to `finish`: a small file is made, written and closed off the network thread.
            if gathered == piece.count { try flush() }
            let count = min(rest.count, piece.count - gathered)
            UnsafeMutableRawBufferPointer(rebasing: piece[gathered...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            gathered += count
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        if let left = missing { missing = left - Int64(wanted) }
        return wanted
    }

    /// Writes what is gathered. What could be written of it counts even when the rest could not.
    func flush() throws(TransferFailure) {
        guard gathered > 0 else { return }
        try open()
        var done = 0
        defer { gathered = 0 }
        while done < gathered {
            let rest = UnsafeRawBufferPointer(rebasing: piece[done..<gathered])
            do throws(SystemError) {
                let count = try retrying { pwrite(descriptor, rest.baseAddress, rest.count, off_t(length)) }
                digest?.update(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
                length += Int64(count)
                done += count
            } catch {
                throw destinationFailure(error.number, path: path)
            }
        }
    }

    /// Writes the rest and remembers the digests.
    func finish(memory: DigestMemory) -> End {
        do throws(TransferFailure) {
            try open()
            try flush()
            remember(in: memory)
            return End(length: length, failure: nil)
        } catch {
            return End(length: descriptor >= 0 ? length : nil, failure: error)
        }
    }

    private func remember(in memory: DigestMemory) {
        guard let digest else { return }
        self.digest = nil
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return }
        memory.remember(digest.finish(), path: path, identity: DigestMemory.Identity(status))
    }

    private func reserve(_ count: Int64) throws(TransferFailure) {
        var status = stat()
        var volume = statvfs()
        guard fstat(descriptor, &status) == 0, fstatvfs(descriptor, &volume) == 0 else {
            throw destinationFailure(errno, path: path)
        }
        let held = max(Int64(status.st_blocks) * 512 - start, 0)
        let free = Int64(clamping: UInt64(volume.f_bavail).multipliedReportingOverflow(by: UInt64(volume.f_frsize)).0)
        guard count - held <= free else { throw destinationFailure(ENOSPC, path: path) }
        let code = -longhaul_reserve(descriptor, start, count)
        // Any other answer means that this file system cannot reserve, which is no reason not to write.
        if code == ENOSPC || code == EDQUOT { throw destinationFailure(code, path: path) }
    }
}
