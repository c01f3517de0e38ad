import CLinux
import Glibc
import LonghaulCore

/// The end of a partial file where bytes are added: written at explicit offsets and digested on the way.
///
/// It is `@unchecked Sendable` because it has one owner at a time: the network thread, then the thread of a
/// `PieceWriter` or a file worker. A checkpoint running meanwhile reads only `descriptor`, which does not change
/// between opening and `deinit`.
final class PartialTarget: @unchecked Sendable {
    /// What O_DIRECT asks of offsets, lengths and addresses, on all common devices.
    static let alignment = 4_096

    let path: String
    /// The end of what is written.
    private(set) var length: Int64
    private(set) var descriptor: Int32 = -1
    /// Whether whole blocks may pass by the page cache.
    var mayBeDirect = false
    private var isDirect = false
    private var digest: StreamDigest?
    /// The room for a body of known length; `nil` where room is taken by writing alone.
    private var room: PartialRoom?
    private var foreignWrites: ForeignWrites?

    init(path: String, start: Int64, digests: Set<Digest.Algorithm>) {
        self.path = path
        length = start
        digest = start == 0 && !digests.isEmpty ? StreamDigest(digests) : nil
    }

    var isDigested: Bool { digest != nil }

    deinit {
        room?.letGo()
        if descriptor >= 0 { close(descriptor) }
    }

    /// Opens the file for writing at its end and makes sure that there is room for `missing` bytes. The room is taken later,
    /// as the bytes come: many slow downloads would otherwise fill a disk with what they may bring one day.
    func open(missing: Int64?) throws(TransferFailure) {
        guard descriptor < 0 else { return }
        descriptor = try openPartialFile(path: path, start: length)
        if let missing, missing > BodyPath.pieceSize { try promise(missing) }
        foreignWrites = ForeignWrites(descriptor)
        foreignWrites?.note(descriptor)
    }

    /// Adds bytes. What could be written of them counts even when the rest could not.
    func write(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) {
        try checkThatNobodyElseWrote()
        defer { foreignWrites?.note(descriptor) }
        var rest = bytes
        while !rest.isEmpty {
            let run = UnsafeRawBufferPointer(rebasing: rest.prefix(nextRun(of: rest)))
            takeRoom(through: length + Int64(run.count))
            do throws(SystemError) {
                let count = try retrying { pwrite(descriptor, run.baseAddress, run.count, off_t(length)) }
                digest?.update(UnsafeRawBufferPointer(rebasing: run.prefix(count)))
                length += Int64(count)
                room?.note(takenTo: length)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } catch {
                // Opened, and refused at the first write: some file systems tell only then.
                guard error.number == EINVAL, isDirect else { throw destinationFailure(error.number, path: path) }
                mayBeDirect = false
            }
        }
    }

    /// Remembers the file and its digests, once all is written.
    func remember(in memory: DigestMemory) throws(TransferFailure) {
        try checkThatNobodyElseWrote()
        let digests = digest?.finish() ?? []
        digest = nil
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return }
        memory.remember(digests, path: path, identity: DigestMemory.Identity(status))
    }

    /// Nobody vouches for the bytes of a file that somebody else has written to: they go, so that none of them is built on.
    private func checkThatNobodyElseWrote() throws(TransferFailure) {
        guard foreignWrites?.areFound(in: descriptor, length: length) == true else { return }
        if emptyIfOnlyOurs(descriptor) { length = 0 }
        foreignWrites?.note(descriptor)
        throw foreignChange(path)
    }

    /// How many of the next bytes go in one call: whole blocks past the page cache, and what is left before and after
    /// them through it.
    private func nextRun(of rest: UnsafeRawBufferPointer) -> Int {
        guard mayBeDirect else {
            setDirect(false)
            return rest.count
        }
        let misaligned = Int(length % Int64(Self.alignment))
        let blocks = rest.count - rest.count % Self.alignment
        let isAligned = misaligned == 0 && Int(bitPattern: rest.baseAddress) % Self.alignment == 0
        if isAligned, blocks > 0, setDirect(true) { return blocks }
        setDirect(false)
        return misaligned == 0 ? rest.count : min(rest.count, Self.alignment - misaligned)
    }

    @discardableResult
    private func setDirect(_ wanted: Bool) -> Bool {
        guard wanted != isDirect else { return true }
        // A file system that cannot is written through the page cache.
        guard longhaul_set_direct(descriptor, wanted ? 1 : 0) == 0 else {
            mayBeDirect = false
            return false
        }
        isDirect = wanted
        return true
    }

    private func promise(_ count: Int64) throws(TransferFailure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw destinationFailure(errno, path: path) }
        let held = max(Int64(status.st_blocks) * 512 - length, 0)
        room = PartialRoom(
            .process, device: UInt64(status.st_dev), start: length, end: length + count, taken: length + held,
            free: freeRoom)
        guard room != nil else { throw destinationFailure(ENOSPC, path: path) }
    }

    /// `nil` where the file system does not count its room (a size of 0, such as ramfs), or does not tell it.
    private func freeRoom() -> Int64? {
        var volume = statvfs()
        guard fstatvfs(descriptor, &volume) == 0, volume.f_blocks > 0 else { return nil }
        let (bytes, isHuge) = UInt64(volume.f_bavail).multipliedReportingOverflow(by: UInt64(volume.f_frsize))
        return isHuge ? .max : Int64(clamping: bytes)
    }

    /// Takes room in few long steps, so that the file lies in few places of the disk. A refusal (no such call here, a
    /// quota, a disk that others have filled) is no failure yet: writing itself tells what still fits.
    private func takeRoom(through offset: Int64) {
        guard let step = room?.step(before: offset) else { return }
        if longhaul_reserve(descriptor, step.lowerBound, step.upperBound - step.lowerBound) == 0 {
            room?.note(takenTo: step.upperBound)
        }
    }
}
