import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem

/// The bytes of a request body, read directly from its segments into the send buffer.
final class RequestBody {
    /// The maximum length of a body that is read at once. libcurl sends shorter ones together with the headers
    /// (MAX_INITIAL_POST_SIZE).
    static let shortLength: Int64 = 64 << 10

    private let segments: [BodyPlan.Segment]
    let length: Int64
    /// The number of bytes read so far.
    private(set) var position: Int64 = 0
    private var index = 0
    private var segmentPosition: Int64 = 0
    private var file: Descriptor?
    private let lent = LentFiles()
    /// Whether bytes of the open file were lent.
    private var hasLent = false

    init(_ plan: BodyPlan) {
        segments = plan.segments
        length = plan.length
    }

    /// Opens the first segment's file, if it is one: it must be unchanged since its submission before any request is
    /// sent.
    func prepare() throws(TransferFailure) {
        // libcurl never reads an empty body.
        if length == 0 { return try passEmptySegments() }
        if case .file(let source, let offset, let length) = segments.first, index == 0, file == nil {
            _ = try openFile(source, from: offset, length: length)
        }
    }

    /// Fills `buffer` up to `limit`, a position in the body. Returns 0 only if the limit is reached.
    func read(into buffer: UnsafeMutableRawBufferPointer, upTo limit: Int64) throws(TransferFailure) -> Int {
        let wanted = Int(min(Int64(buffer.count), limit - position))
        var filled = 0
        while filled < wanted {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<wanted])
            let count = try readSegment(into: room)
            filled += count
            position += Int64(count)
        }
        if position == length { try passEmptySegments() }
        return filled
    }

    /// The next bytes in the open file: its descriptor, their offset in it, and their number. The file's first bytes
    /// are read before, when the file is opened and its pin is checked.
    var stretch: (descriptor: Int32, offset: Int64, count: Int64)? {
        guard index < segments.count, let file, case .file(_, let offset, let length) = segments[index] else {
            return nil
        }
        return (file.number, offset + segmentPosition, length - segmentPosition)
    }

    /// Counts bytes of the stretch that were sent without being read, but never the file's last bytes.
    func skip(_ count: Int64) {
        hasLent = true
        segmentPosition += count
        position += count
    }

    /// The failure of a file that became shorter.
    var sourceHasChanged: TransferFailure {
        guard index < segments.count, case .file(let source, _, _) = segments[index] else {
            preconditionFailure("Only a file can change.")
        }
        return changed(source)
    }

    /// Fails if a lent file has changed: its pages may have changed before they were sent. Call this after the peer has
    /// responded.
    func checkWhatWasLent() throws(TransferFailure) {
        guard let source = lent.changed else { return }
        throw TransferFailure(
            .sourceChanged,
            "\(source.path) changed while it was being sent, so the server may have received a mix of two versions. "
                + "Submit it again to send the new version.")
    }

    /// Inspects files without bytes too, because they may have some by now.
    func passEmptySegments() throws(TransferFailure) {
        while index < segments.count {
            guard segments[index].length == 0 else {
                throw TransferFailure(.internalFault, "The request body is longer than its plan says.")
            }
            _ = try readSegment(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        }
    }

    /// Rewinds the body, for a request that is sent again.
    func rewind() {
        file = nil
        hasLent = false
        lent.forget()
        position = 0
        index = 0
        segmentPosition = 0
    }

    private func readSegment(into room: UnsafeMutableRawBufferPointer) throws(TransferFailure) -> Int {
        guard index < segments.count else {
            throw TransferFailure(.internalFault, "The request body is shorter than its plan says.")
        }
        switch segments[index] {
        case .bytes(let bytes):
            let count = min(room.count, bytes.count - Int(segmentPosition))
            bytes.withUnsafeBytes { source in
                room.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[Int(segmentPosition)...].prefix(count)))
            }
            advance(by: count, of: Int64(bytes.count))
            return count
        case .file(let source, let offset, let length):
            return try read(source, from: offset, length: length, into: room)
        }
    }

    private func read(
        _ source: SourceFile, from offset: Int64, length: Int64, into room: UnsafeMutableRawBufferPointer
    ) throws(TransferFailure) -> Int {
        let file = if let file { file } else { try openFile(source, from: offset, length: length) }
        let count = min(room.count, Int(clamping: length - segmentPosition))
        var done = 0
        while done < count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[done..<count])
            let at = offset + segmentPosition + Int64(done)
            let got = try sending(source.path) { () throws(SystemError) in try file.read(into: rest, at: at) }
            if got == 0 { break }
            done += got
        }
        guard done == count else { throw changed(source) }
        // The last bytes of a file are sent only after a check that the file is unchanged with all bytes read.
        if segmentPosition + Int64(count) == length { try checkPin(of: source, file) }
        advance(by: count, of: length)
        return count
    }

    private func openFile(
        _ source: SourceFile, from offset: Int64, length: Int64
    ) throws(TransferFailure) -> Descriptor {
        // Opening a named pipe in place of the file would block every exchange, so the open is nonblocking.
        let opened = try sending(source.path) { () throws(SystemError) in
            try Descriptor(opening: source.path, .reading.union(.atOnce))
        }
        file = opened
        try checkPin(of: source, opened)
        if length > Self.shortLength { opened.willBeRead(from: offset, count: length) }
        return opened
    }

    private func advance(by count: Int, of length: Int64) {
        segmentPosition += Int64(count)
        guard segmentPosition == length else { return }
        if hasLent { lendFile() }
        file = nil
        index += 1
        segmentPosition = 0
    }

    private func checkPin(of source: SourceFile, _ file: Descriptor) throws(TransferFailure) {
        let status = try sending(source.path) { () throws(SystemError) in try file.status() }
        guard source.isPinned(as: SourcePin(status)) else { throw changed(source) }
    }

    private func changed(_ source: SourceFile) -> TransferFailure {
        TransferFailure(
            .sourceChanged, "\(source.path) changed after it was submitted. Submit it again to send the new version."
        )
    }

    private func lendFile() {
        hasLent = false
        guard case .file(let source, _, _) = segments[index] else { preconditionFailure("Only a file is lent.") }
        if let file { lent.keep(source, file) }
        file = nil
    }
}

extension BodyPlan.Segment {
    fileprivate var length: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, _, let length): length
        }
    }
}
