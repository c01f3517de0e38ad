import LonghaulCore
import LonghaulSystem

/// Compares the pieces of a file with their digests, and copies an existing file whose valid pieces are to be kept.
struct PieceVerifier {
    private let check: PieceCheck
    private let isWanted: () -> Bool

    init(_ check: PieceCheck, isWanted: @escaping () -> Bool) {
        self.check = check
        self.isWanted = isWanted
    }

    func report() throws(TransferFailure) -> PieceReport {
        guard let source = check.source else {
            return PieceReport(good: try good(of: file(check.path), copyingTo: nil))
        }
        let old: Descriptor
        do throws(SystemError) {
            old = try Descriptor(opening: source, [.reading, .atOnce])
        } catch .missing {
            return PieceReport(good: SegmentMap())
        } catch {
            throw destinationFailure(error, path: source)
        }
        let status = try receiving(source) { () throws(SystemError) in try old.status() }
        guard status.kind == .regular else { return PieceReport(good: SegmentMap()) }
        // Most existing files are complete, or nearly: only a damaged file is worth a copy.
        let good = try good(of: old, copyingTo: nil)
        if good.front == check.total, status.size == check.total { return PieceReport(good: good, isSourceWhole: true) }
        guard !good.isEmpty else { return PieceReport(good: good) }
        return PieceReport(good: try copy(old))
    }

    private func file(_ path: String) throws(TransferFailure) -> Descriptor {
        try receiving(path) { () throws(SystemError) in try Descriptor(opening: path, [.reading, .noLink]) }
    }

    private func copy(_ old: Descriptor) throws(TransferFailure) -> SegmentMap {
        let partial = try receiving(check.path) { () throws(SystemError) in
            try Descriptor(opening: check.path, [.writing, .making, .emptied, .noLink])
        }
        // The copied bytes are checked again: another program may be writing to the file.
        let good = try good(of: old, copyingTo: partial)
        try receiving(check.path) { () throws(SystemError) in
            try partial.sync()
            try Directory.sync(Directory.of(check.path))
        }
        return good
    }

    /// Returns the pieces that match their digests. Copies the pieces that start before the file's end, valid or not.
    private func good(of file: Descriptor, copyingTo partial: Descriptor?) throws(TransferFailure) -> SegmentMap {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4_096)
        defer { buffer.deallocate() }
        file.willBeRead()
        var good = SegmentMap()
        for piece in 0..<check.pieces.count {
            let range = check.pieces.range(of: piece, in: check.total)
            guard let digest = StreamDigest([check.pieces.algorithm]) else { throw systemFailure(.outOfMemory) }
            var position = range.lowerBound
            while position < range.upperBound {
                guard isWanted() else {
                    throw TransferFailure(.interrupted, "Verifying \(check.path) was interrupted.")
                }
                let room = UnsafeMutableRawBufferPointer(
                    rebasing: buffer.prefix(Int(min(range.upperBound - position, Int64(buffer.count)))))
                let count = try receiving(check.path) { () throws(SystemError) in
                    try file.read(into: room, at: position)
                }
                if count == 0 { return good }
                let bytes = UnsafeRawBufferPointer(rebasing: room.prefix(count))
                digest.update(bytes)
                let place = position
                try receiving(check.path) { () throws(SystemError) in try partial?.writeAll(bytes, at: place) }
                position += Int64(count)
            }
            if digest.finish()[0].bytes.elementsEqual(check.pieces.digest(of: piece)) { good.insert(range) }
        }
        return good
    }
}
