import LonghaulCore
import LonghaulSystem

/// The libraries that a program was built with (`DT_NEEDED`), read from its file; empty if the file is not a 64-bit ELF program.
struct NeededLibraries {
    let names: [String]

    init(of program: String) {
        // Without a readable program there are no names.
        names = (try? Descriptor(opening: program, [.reading, .atOnce])).map(Self.read) ?? []
    }

    private enum Tag {
        static let needed: Int64 = 1
        static let strings: Int64 = 5
    }

    /// A part of the file, and its address when the program runs.
    private struct Segment {
        var kind: Int64
        var offset: Int64
        var address: Int64
        var length: Int64
    }

    private static func read(_ file: Descriptor) -> [String] {
        let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1]
        guard let head = file.bytes(at: 0, count: 64), head.starts(with: magic) else { return [] }
        let (start, size, count) = (number(head, 32, 8), number(head, 54, 2), number(head, 56, 2))
        guard size >= 56 else { return [] }
        let segments = (0..<count).compactMap { index -> Segment? in
            guard let row = file.bytes(at: start + index * size, count: 56) else { return nil }
            return Segment(
                kind: number(row, 0, 4), offset: number(row, 8, 8), address: number(row, 16, 8),
                length: number(row, 32, 8))
        }
        guard let dynamic = segments.first(where: { $0.kind == 2 }), dynamic.length < 1 << 16,
            let table = file.bytes(at: dynamic.offset, count: Int(dynamic.length))
        else { return [] }
        let entries = stride(from: 0, to: table.count - 15, by: 16).map {
            (number(table, $0, 8), number(table, $0 + 8, 8))
        }
        guard let address = entries.first(where: { $0.0 == Tag.strings })?.1,
            let part = segments.first(where: {
                $0.kind == 1 && $0.address <= address && address - $0.address < $0.length
            })
        else { return [] }
        let strings = part.offset + (address - part.address)
        return entries.filter { $0.0 == Tag.needed }.compactMap { text(of: file, at: strings + $0.1) }
    }

    /// Returns a text up to its zero byte; no library has a longer name.
    private static func text(of file: Descriptor, at offset: Int64) -> String? {
        let buffer = [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            // If reading fails, there is no text.
            count = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)) ?? 0
        }
        return buffer.isEmpty ? nil : String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Reads a little-endian number. A number too large for any file becomes negative, which is never a valid offset.
    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int64 {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
}
