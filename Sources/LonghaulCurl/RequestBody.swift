import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem

/// The bytes of a request body, read straight from its segments into the buffer they are sent from.
final class RequestBody {
    /// Up to here a body is read at once. libcurl joins shorter ones to the head (MAX_INITIAL_POST_SIZE).
    static let shortLength: Int64 = 64 << 10

    private let segments: [BodyPlan.Segment]
    let length: Int64
    /// Bytes given so far.
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

    /// Opens the file that comes first, if one does: it must be what was submitted before anything is asked of a server.
    func prepare() throws(TransferFailure) {
        // libcurl never asks for a body without bytes.
        if length == 0 { return try passEmptySegments() }
        if case .file(let source, let offset, let length) = segments.first, index == 0, file == nil {
            _ = try openFile(source, from: offset, length: length)
        }
    }

    /// Fills `buffer` as far as `limit` allows, a position in the body. 0 only when the limit is reached.
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

    /// The bytes from here on that lie in one file, already open: its descriptor, where they begin in it, how many. Its
    /// first bytes are read before, since that is when the file is opened and its pin checked.
    var stretch: (descriptor: Int32, offset: Int64, count: Int64)? {
        guard index < segments.count, let file, case .file(_, let offset, let length) = segments[index] else {
            return nil
        }
        return (file.number, offset + segmentPosition, length - segmentPosition)
    }

    /// Counts bytes of the stretch that were sent without being read, never the file's last ones.
    func skip(_ count: Int64) {
        hasLent = true
        segmentPosition += count
        position += count
    }

    /// The failure of a file that has become shorter.
    var sourceHasChanged: TransferFailure {
        guard index < segments.count, case .file(let source, _, _) = segments[index] else {
            preconditionFailure("Only a file can change.")
        }
        return changed(source)
    }

    /// To be asked when the peer has answered: what was lent may have changed before it was read.
    func checkWhatWasLent() throws(TransferFailure) {
        guard let source = lent.changed else { return }
        throw TransferFailure(
            .sourceChanged,
            "\(source.path) changed while it was being sent, so the server may have received a mix of two versions. "
                + "Submit it again to send the new version.")
    }

    /// Looks at files without bytes too: they may have some by now.
    func passEmptySegments() throws(TransferFailure) {
        while index < segments.count {
            guard segments[index].length == 0 else {
                throw TransferFailure(.internalFault, "The request body is longer than its plan says.")
            }
            _ = try readSegment(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        }
    }

    /// Begins again, for a request that is sent again.
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
        // The last bytes of a file leave only after the file was seen to be unchanged with all of them read.
        if segmentPosition + Int64(count) == length { try checkPin(of: source, file) }
        advance(by: count, of: length)
        return count
    }

    private func openFile(
        _ source: SourceFile, from offset: Int64, length: Int64
    ) throws(TransferFailure) -> Descriptor {
        // A named pipe in the file's place would keep every exchange waiting, unless it is opened at once.
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
        guard SourcePin(status) == source.pin else { throw changed(source) }
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
