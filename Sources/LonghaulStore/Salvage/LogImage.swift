import LonghaulCore
import LonghaulSystem

/// A store's log (`store.sqlite-wal`), parsed without SQLite: its frames, each with the content of a page, and which of them were
/// committed. <https://www.sqlite.org/fileformat2.html#walformat> describes the format.
///
/// SQLite stops at the first invalid frame, and ignores the commits after it. Each frame contains the checksum from which the next one
/// continues, so the frames after an invalid one can be verified too.
struct LogImage {
    private static let headerSize = 32
    private static let frameHeaderSize = 24
    private static let frameSize = frameHeaderSize + StoreImage.pageSize

    /// The offset in the log of the newest committed content of each page.
    private(set) var places: [UInt32: Int] = [:]
    /// Whether SQLite would miss commits: after an invalid frame, or because of an invalid header.
    private(set) var hidesCommits = false
    /// The number of frames up to the last commit that SQLite reads.
    private(set) var frames = 0
    /// The salt in the header; `nil` if the header is invalid.
    private(set) var salt: [UInt8]?

    /// Reads a log; `nil` if the file has none.
    init?(_ file: Descriptor) {
        guard let status = try? file.status() else { return nil }
        let length = Int(clamping: status.size)
        guard length >= Self.headerSize + Self.frameSize,
            let header = file.bytes(at: 0, count: Self.headerSize)
        else { return nil }
        let magic = BigEndian.number(header, at: 0)
        let isBigEndian = magic == 0x377F_0683
        var sum = Checksum(isBigEndian: isBigEndian)
        sum.add(header[..<24])
        let isHeaderSound = (magic & ~1) == 0x377F_0682 && sum.matches(header, at: 24)

        let count = (length - Self.headerSize) / Self.frameSize
        if isHeaderSound { self.salt = Array(header[16..<24]) }
        guard let salt = Self.salt(of: file, header: isHeaderSound ? header : nil, count: count) else { return nil }
        var before = Array(header[24..<32])
        var hasGap = !isHeaderSound
        var commitsBehindGap = 0
        var pending: [(page: UInt32, place: Int)] = []
        for index in 0..<count {
            let start = Self.headerSize + index * Self.frameSize
            guard let frame = file.bytes(at: Int64(start), count: Self.frameSize) else { break }
            defer { before = Array(frame[16..<24]) }
            var sum = Checksum(isBigEndian: isBigEndian, from: before)
            sum.add(frame[..<8])
            sum.add(frame[24...])
            guard Array(frame[8..<16]) == salt, sum.matches(frame, at: 16) else {
                hasGap = true
                continue
            }
            if commitsBehindGap > 0 { hidesCommits = true }
            pending.append((BigEndian.number(frame, at: 0), start + Self.frameHeaderSize))
            guard BigEndian.number(frame, at: 4) != 0 else { continue }
            if hasGap { commitsBehindGap += 1 } else { frames = index + 1 }
            if !isHeaderSound { hidesCommits = true }
            for (page, place) in pending { places[page] = place }
            pending = []
        }
    }

    /// Returns the number that all frames of the current log contain: the header's. If the header is invalid, it is the number that
    /// two of the first frames share.
    private static func salt(of file: Descriptor, header: [UInt8]?, count: Int) -> [UInt8]? {
        if let header { return Array(header[16..<24]) }
        let salts = (0..<min(count, 3)).compactMap { index in
            file.bytes(at: Int64(headerSize + index * frameSize + 8), count: 8)
        }
        return salts.first { salt in salts.count { $0 == salt } > 1 } ?? salts.first
    }
}

/// The checksum of the log's header and frames.
struct Checksum {
    private let isBigEndian: Bool
    private(set) var first: UInt32 = 0
    private(set) var second: UInt32 = 0

    init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
    }

    /// Continues from eight stored bytes.
    init(isBigEndian: Bool, from stored: [UInt8]) {
        self.isBigEndian = isBigEndian
        first = BigEndian.number(stored, at: 0)
        second = BigEndian.number(stored, at: 4)
    }

    /// Adds a multiple of eight bytes.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count & ~7, by: 8) {
                first = first &+ word(bytes, offset) &+ second
                second = second &+ word(bytes, offset + 4) &+ first
            }
        }
    }

    func matches(_ bytes: [UInt8], at offset: Int) -> Bool {
        BigEndian.number(bytes, at: offset) == first && BigEndian.number(bytes, at: offset + 4) == second
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }
}
