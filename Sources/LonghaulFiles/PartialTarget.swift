package import LonghaulCore
package import LonghaulSystem
package import Synchronization

/// The end of a partial file where bytes are appended: written at explicit offsets, and digested on the way.
///
/// It is `@unchecked Sendable` because it has one owner at a time: the network thread, then the thread of a
/// `PieceWriter` or a file worker. A concurrent checkpoint reads only `descriptor`, which does not change between
/// opening and `deinit`.
package final class PartialTarget: @unchecked Sendable {
    /// The alignment that O_DIRECT requires of offsets, lengths, and addresses on all common devices.
    static let alignment = 4_096

    package let path: String
    /// The end of the written bytes.
    package private(set) var length: Int64
    /// `nil` until it is opened.
    package private(set) var descriptor: Descriptor?
    /// Whether whole blocks may bypass the page cache.
    package var mayBeDirect = false
    private var isDirect = false
    private var digest: StreamDigest?
    /// The space for a body of known length; `nil` if space is allocated only by writing.
    private var room: PartialFileSpace?
    private var foreignWrites: ForeignWrites?
    /// Whether other exchanges of this process write to other ranges of the file. The network thread sets it before the first of them
    /// does.
    package let isShared: Atomic<Bool>

    init(path: String, start: Int64, digests: Set<Digest.Algorithm>, isShared: Bool = false) {
        self.isShared = Atomic(isShared)
        self.path = path
        length = start
        digest = start == 0 && !digests.isEmpty && !isShared ? StreamDigest(digests) : nil
    }

    package var isDigested: Bool { digest != nil }

    deinit {
        room?.release()
    }

    /// Opens the file for writing at its end and makes sure that there is space for `missing` bytes. The space is allocated later, as the
    /// bytes arrive: otherwise, many slow downloads would fill a disk with space for bytes that may never come.
    package func open(missing: Int64?) throws(TransferFailure) {
        guard descriptor == nil else { return }
        let keepsAll = isShared.load(ordering: .sequentiallyConsistent)
        let file = try openPartialFile(path: path, start: length, keepsAll: keepsAll)
        descriptor = file
        // The space of a sparse file was promised to its first exchange, up to its end.
        if let missing, missing > PartialFile.pieceSize, !keepsAll {
            try checkLimit(length + missing, file)
            try promise(missing, file)
        }
        foreignWrites = ForeignWrites(file)
        foreignWrites?.recordState(file)
    }

    /// Appends bytes. Bytes that were written count even if the rest could not be written.
    func write(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) {
        guard let descriptor else { preconditionFailure("A file is opened before its bytes.") }
        try checkThatNobodyElseWrote()
        if digest != nil, isShared.load(ordering: .relaxed) { digest = nil }
        defer { foreignWrites?.recordState(descriptor) }
        var rest = bytes
        while !rest.isEmpty {
            let run = UnsafeRawBufferPointer(rebasing: rest.prefix(nextRun(of: rest, descriptor)))
            takeRoom(through: length + Int64(run.count), descriptor)
            do throws(SystemError) {
                let count = try descriptor.write(run, at: length)
                digest?.update(UnsafeRawBufferPointer(rebasing: run.prefix(count)))
                length += Int64(count)
                room?.advance(takenTo: length)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } catch {
                // Some file systems accept O_DIRECT when the file is opened, and refuse it at the first write.
                guard error == .invalid, isDirect else { throw destinationFailure(error, path: path) }
                mayBeDirect = false
            }
        }
    }

    /// Remembers the file and its digests after the last write.
    func remember(in memory: DigestMemory) throws(TransferFailure) {
        // Other exchanges wrote to the file too, so its digests are unknown.
        if isShared.load(ordering: .sequentiallyConsistent) { return memory.forget(path: path) }
        try checkThatNobodyElseWrote()
        let digests = digest?.finish() ?? []
        digest = nil
        // A file that cannot be inspected now is read again for its digests.
        guard let status = try? descriptor?.status() else { return }
        memory.remember(digests, path: path, identity: DigestMemory.Identity(status))
    }

    /// Discards the bytes if another program wrote to the file: they are unreliable, so no download may resume from them.
    private func checkThatNobodyElseWrote() throws(TransferFailure) {
        guard let descriptor, !isShared.load(ordering: .sequentiallyConsistent),
            foreignWrites?.areFound(in: descriptor, length: length) == true,
            // Other exchanges may have started a moment ago.
            !isShared.load(ordering: .sequentiallyConsistent)
        else { return }
        if emptyIfOnlyOurs(descriptor) { length = 0 }
        foreignWrites?.recordState(descriptor)
        throw foreignChange(path)
    }

    /// Returns how many of the next bytes one call writes: whole blocks bypass the page cache, and the bytes before and
    /// after them go through it.
    private func nextRun(of rest: UnsafeRawBufferPointer, _ file: Descriptor) -> Int {
        guard mayBeDirect else {
            setDirect(false, file)
            return rest.count
        }
        let misaligned = Int(length % Int64(Self.alignment))
        let blocks = rest.count - rest.count % Self.alignment
        let isAligned = misaligned == 0 && Int(bitPattern: rest.baseAddress) % Self.alignment == 0
        if isAligned, blocks > 0, setDirect(true, file) { return blocks }
        setDirect(false, file)
        return misaligned == 0 ? rest.count : min(rest.count, Self.alignment - misaligned)
    }

    @discardableResult
    private func setDirect(_ wanted: Bool, _ file: Descriptor) -> Bool {
        guard wanted != isDirect else { return true }
        // If the file system does not support it, the page cache is used.
        guard (try? file.setDirect(wanted)) != nil else {
            mayBeDirect = false
            return false
        }
        isDirect = wanted
        return true
    }

    /// Fails before the first byte if the file system supports no file of that length.
    private func checkLimit(_ whole: Int64, _ file: Descriptor) throws(TransferFailure) {
        do throws(SystemError) {
            try file.checkLimit(whole)
        } catch {
            if length == 0 { Files.discard(path) }
            throw destinationFailure(error, path: path)
        }
    }

    private func promise(_ count: Int64, _ file: Descriptor) throws(TransferFailure) {
        let status = try receiving(path) { () throws(SystemError) in try file.status() }
        let held = max(status.allocated - length, 0)
        // `nil` if the file system does not count its space, or does not report it.
        room = PartialFileSpace(
            .process, device: status.identity.device, start: length, end: length + count, taken: length + held,
            free: { (try? file.freeBytes()) ?? nil })
        guard room != nil else { throw destinationFailure(.noSpace, path: path) }
    }

    /// Allocates space in few long steps, so that the file has few extents on the disk. A refusal (unsupported call,
    /// quota, full disk) is not a failure yet: the write itself shows how much fits.
    private func takeRoom(through offset: Int64, _ file: Descriptor) {
        guard let step = room?.step(before: offset) else { return }
        if (try? file.reserve(step)) != nil {
            room?.advance(takenTo: step.upperBound)
        }
    }
}
