import LonghaulCore

/// One row of a page, with its columns as far as they are present. <https://www.sqlite.org/fileformat2.html#record_format> describes
/// it.
struct RawRow {
    enum Kind: Equatable {
        case null, number, real, text, blob
    }

    let rowID: Int64
    /// The type of each column.
    private(set) var kinds: [Kind] = []
    private var places: [Range<Int>] = []
    private let bytes: [UInt8]

    /// Returns `nil` for bytes that do not begin a row.
    init?(rowID: Int64, bytes: [UInt8], isWhole: Bool) {
        self.rowID = rowID
        self.bytes = bytes
        var reader = VarintReader(bytes: bytes, offset: 0)
        guard let headerLength = reader.next(), headerLength > 0, headerLength <= bytes.count, headerLength < 64 else {
            return nil
        }
        var place = Int(headerLength)
        while reader.offset < headerLength {
            guard let type = reader.next(), let (kind, length) = Self.column(type) else { return nil }
            kinds.append(kind)
            places.append(place..<place + length)
            place += length
        }
        guard reader.offset == headerLength, isWhole ? place == bytes.count : place > bytes.count else { return nil }
    }

    private static func column(_ type: Int64) -> (Kind, Int)? {
        switch type {
        case 0: (.null, 0)
        case 1...4: (.number, Int(type))
        case 5: (.number, 6)
        case 6: (.number, 8)
        case 7: (.real, 8)
        case 8, 9: (.number, 0)
        case 12..<(1 << 32): (type.isMultiple(of: 2) ? .blob : .text, Int(type - 12) / 2)
        default: nil
        }
    }

    func number(_ column: Int) -> Int64? {
        guard kinds[column] == .number, let bytes = content(column) else { return nil }
        // Zero and one have no bytes: their type is the value.
        guard let first = bytes.first else { return shortNumber(column) }
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }

    func text(_ column: Int) -> String? {
        guard kinds[column] == .text, let bytes = content(column) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    func blob(_ column: Int) -> ArraySlice<UInt8>? {
        kinds[column] == .blob ? content(column) : nil
    }

    func id(_ column: Int) -> TransferID? {
        guard let bytes = blob(column), bytes.count == 16 else { return nil }
        let halves = [bytes.prefix(8), bytes.suffix(8)].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return TransferID(high: halves[0], low: halves[1])
    }

    /// Returns `nil` for bytes that are missing or cannot be decoded.
    func message<Message: WireMessage>(_ column: Int) -> Message? {
        guard let bytes = blob(column) else { return nil }
        // The reason does not matter: the bytes are unusable.
        return bytes.withUnsafeBytes { try? Message.decoded(wireBytes: $0) }
    }

    private func content(_ column: Int) -> ArraySlice<UInt8>? {
        let place = places[column]
        return place.upperBound <= bytes.count ? bytes[place] : nil
    }

    private func shortNumber(_ column: Int) -> Int64? {
        var reader = VarintReader(bytes: bytes, offset: 0)
        // The first number is the length of the header.
        for _ in 0...column { _ = reader.next() }
        return reader.next().map { $0 == 9 ? 1 : 0 }
    }
}
