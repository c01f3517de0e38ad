import LonghaulCore

/// One page of a B-tree, read by its cells: a page is usable even if its parents are damaged.
/// <https://www.sqlite.org/fileformat2.html#b_tree_pages> describes it.
struct RawPage {
    enum Kind {
        /// Rows of a table, each with its row ID.
        case rows
        /// Entries of an index, or rows of a table without row IDs.
        case entries
    }

    let kind: Kind
    /// The age of the page's content: a page in the log is newer than one in the file.
    let age: Int
    private let bytes: [UInt8]
    private let start: Int
    private let isInterior: Bool
    private let image: StoreImage

    /// Returns `nil` for a page without rows or entries.
    init?(_ number: UInt32, of image: StoreImage) {
        guard let (bytes, age) = image.page(number) else { return nil }
        start = number == 1 ? 100 : 0
        switch bytes[start] {
        case 0x0D: (kind, isInterior) = (.rows, false)
        case 0x0A: (kind, isInterior) = (.entries, false)
        case 0x02: (kind, isInterior) = (.entries, true)
        // Interior pages of table trees begin with 0x05, and overflow pages with a page number.
        case 0x05, 0x00: return nil
        // One bit away from a leaf of a table.
        case let byte where (byte ^ 0x0D).nonzeroBitCount == 1: (kind, isInterior) = (.rows, false)
        default: return nil
        }
        self.bytes = bytes
        self.age = age
        self.image = image
    }

    /// The number of cells according to the page.
    var cellCount: Int { min(BigEndian.short(bytes, at: start + 3), (bytes.count - head) / 2) }

    /// Returns the row of a cell; `nil` if it is invalid.
    func row(_ index: Int) -> RawRow? {
        let cell = BigEndian.short(bytes, at: head + 2 * index)
        return cell >= head ? row(at: cell) : nil
    }

    private var head: Int { start + (isInterior ? 12 : 8) }

    private func row(at cell: Int) -> RawRow? {
        var reader = VarintReader(bytes: bytes, offset: cell + (isInterior ? 4 : 0))
        guard let length = reader.next(), length > 0, length < 1 << 31 else { return nil }
        var rowID: Int64 = 0
        if kind == .rows {
            guard let id = reader.next() else { return nil }
            rowID = id
        }
        guard let payload = payload(at: reader.offset, length: Int(length)) else { return nil }
        return RawRow(rowID: rowID, bytes: payload, isWhole: payload.count == length)
    }

    /// Returns a cell's payload, including overflow pages; a part of it if those are damaged.
    private func payload(at offset: Int, length: Int) -> [UInt8]? {
        let usable = StoreImage.pageSize
        let most = kind == .rows ? usable - 35 : (usable - 12) * 64 / 255 - 23
        guard length > most else {
            return offset + length <= bytes.count ? Array(bytes[offset..<offset + length]) : nil
        }
        let least = (usable - 12) * 32 / 255 - 23
        let fitting = least + (length - least) % (usable - 4)
        let local = fitting <= most ? fitting : least
        guard offset + local + 4 <= bytes.count else { return nil }
        var payload = Array(bytes[offset..<offset + local])
        var next = BigEndian.number(bytes, at: offset + local)
        // A circular chain ends too, because of the length.
        while payload.count < length, let page = image.page(next)?.bytes {
            payload += page[4..<min(page.count, 4 + length - payload.count)]
            next = BigEndian.number(page, at: 0)
        }
        return payload
    }
}

/// Reads SQLite's integers of one to nine bytes.
struct VarintReader {
    let bytes: [UInt8]
    var offset: Int

    mutating func next() -> Int64? {
        var value: UInt64 = 0
        for position in 0..<9 {
            guard offset < bytes.count else { return nil }
            let byte = bytes[offset]
            offset += 1
            if position == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { break }
        }
        return Int64(bitPattern: value)
    }
}
