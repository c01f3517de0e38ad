/// File names that are safe to create, from a server's suggestion.
///
/// The server never chooses a directory, never hides a file, and never creates one that looks like an option.
package enum SafeFileName {
    /// Returns the sanitized suggestion; otherwise the last segment of the URL's path, percent-decoded once; otherwise `download`.
    package static func make(from suggestion: String?, url: String) -> String {
        // An invalid URL has no last segment; its use reports the error.
        suggestion.flatMap(safe) ?? make(from: try? TransferURL(parsing: url))
    }

    /// Returns the name without a suggestion, for a parsed URL.
    package static func make(from url: TransferURL?) -> String {
        guard let segment = url?.lastPathSegment else { return "download" }
        return safe(decoded(segment)) ?? "download"
    }

    /// Returns the name to try if `n` others are taken: `name (1).ext`, `archive (1).tar.gz`.
    package static func numbered(_ name: String, _ n: Int) -> String {
        let (stem, suffix) = split(name)
        let tail = " (\(n))" + suffix
        return cut(stem, to: byteLimit - tail.utf8.count) + tail
    }

    /// Returns names in place of one that a file system rejects, the most similar first.
    ///
    /// The first has no character that FAT, NTFS, or CIFS rejects, and leaves space for a number within the 143 bytes of eCryptfs.
    /// The second is ASCII.
    package static func substitutes(for name: String) -> [String] {
        let (stem, suffix) = split(name)
        let portable = substitute(stem, suffix, limit: 135) { !#""*:<>?|\"#.unicodeScalars.contains($0) }
        let plain = substitute(stem, suffix, limit: 64) { scalar in
            UInt8(exactly: scalar.value).map { $0.isASCIILetter || $0.isASCIIDigit || " -._".utf8.contains($0) }
                ?? false
        }
        var names: [String] = []
        for candidate in [portable, plain, "download"] where candidate != name && !names.contains(candidate) {
            names.append(candidate)
        }
        return names
    }

    private static func substitute(
        _ stem: String, _ suffix: String, limit: Int, isAccepted: (Unicode.Scalar) -> Bool
    ) -> String {
        func accepted(_ text: String) -> String {
            text.unicodeScalars.reduce(into: "") { $0.unicodeScalars.append(isAccepted($1) ? $1 : "_") }
        }
        let suffix = accepted(suffix)
        return safe(cut(accepted(stem), to: limit - suffix.utf8.count) + suffix) ?? "download"
    }

    /// The longest name on Linux file systems, in bytes of UTF-8.
    private static let byteLimit = 255

    private static func decoded(_ segment: String) -> String {
        guard segment.utf8.contains(UInt8(ascii: "%")) else { return segment }
        return PercentCoding.decode(segment.utf8).flatMap { String(validating: $0, as: UTF8.self) } ?? segment
    }

    private static func safe(_ suggestion: String) -> String? {
        if isPlain(suggestion) { return suggestion }
        let separators: Set<Unicode.Scalar> = ["/", "\\"]
        let scalars = suggestion.unicodeScalars
        let base = scalars.lastIndex(where: separators.contains).map { scalars[scalars.index(after: $0)...] }
        let visible = (base ?? scalars[...]).filter { !isInvisible($0) }
        var name = trimmed(visible[...])
        guard let first = name.utf8.first else { return nil }
        if first == UInt8(ascii: ".") || first == UInt8(ascii: "-") || isDeviceName(name) { name = "_" + name }
        guard name.utf8.count > byteLimit else { return name }
        let (stem, suffix) = split(name)
        guard suffix.isEmpty else { return cut(stem, to: byteLimit - suffix.utf8.count) + suffix }
        return trimmed(cut(stem, to: byteLimit).unicodeScalars[...])
    }

    /// Whether the name needs no changes. Lists of many thousands of transfers need names, and most are plain.
    private static func isPlain(_ name: String) -> Bool {
        let bytes = name.utf8
        let edges = [UInt8(ascii: "."), UInt8(ascii: "-")]
        guard let first = bytes.first, let last = bytes.last, !edges.contains(first), last != edges[0],
            bytes.count <= byteLimit,
            bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F })
        else { return false }
        // No device has a longer name, or another first letter.
        return !"CPANLcpanl".utf8.contains(first) || bytes.prefix { $0 != edges[0] }.count > 7 || !isDeviceName(name)
    }

    /// Controls, and characters that make a name look like another one: zero-width, line-breaking, and bidirectional.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// Returns the text without surrounding white space and trailing dots.
    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        var rest = text.drop(while: \.properties.isWhitespace)
        while let last = rest.last, last == "." || last.properties.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    /// Whether the name is a device on Windows, with any suffix.
    private static func isDeviceName(_ name: String) -> Bool {
        let base = name.prefix { $0 != "." }.uppercased()
        let word = base.prefix { $0 != " " }
        switch word {
        case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$": return true
        default:
            guard word.count == 4, word.hasPrefix("COM") || word.hasPrefix("LPT"), let last = word.last else {
                return false
            }
            return "0123456789¹²³".contains(last)
        }
    }

    /// Splits a name before its suffix, including the dot: at most 32 bytes without a space, or a common pair such as `.tar.gz`. A
    /// name whose only dot comes first has no suffix.
    private static func split(_ name: String) -> (stem: String, suffix: String) {
        let bytes = Array(name.utf8)
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0, (2...33).contains(bytes.count - dot),
            !bytes[dot...].contains(UInt8(ascii: " "))
        else { return (name, "") }
        let tar = Array(".tar".utf8)
        let isPair =
            dot > tar.count && bytes[(dot - tar.count)..<dot].lazy.map(\.lowercasedASCII).elementsEqual(tar)
            && compressions.contains(String(decoding: bytes[(dot + 1)...], as: UTF8.self).lowercased())
        let end = isPair ? dot - tar.count : dot
        return (String(decoding: bytes[..<end], as: UTF8.self), String(decoding: bytes[end...], as: UTF8.self))
    }

    private static let compressions: Set<String> = [
        "gz", "bz2", "xz", "zst", "lz", "lz4", "lzma", "lzo", "br", "z", "sz",
    ]

    /// Returns the longest prefix that fits and ends between two characters. A character that exceeds the whole limit (many
    /// combining marks) is cut between its scalars.
    private static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var kept = 0
        var result = ""
        for character in text {
            guard kept + character.utf8.count <= limit else { break }
            kept += character.utf8.count
            result.append(character)
        }
        guard result.isEmpty else { return result }
        for scalar in text.unicodeScalars {
            guard kept + UTF8.width(scalar) <= limit else { break }
            kept += UTF8.width(scalar)
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
