/// Seeded random text that resembles header values and URLs (SplitMix64).
struct HeaderNoise: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Fragments of the grammars joined in any order.
    mutating func text() -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &self) {
            text += Self.fragments.randomElement(using: &self) ?? ""
        }
        return text
    }

    /// A valid text with one scalar replaced, inserted or removed.
    mutating func damaged(_ text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        let position = Int.random(in: 0..<max(scalars.count, 1), using: &self)
        let stranger = Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &self)) ?? "?"
        switch Int.random(in: 0...2, using: &self) {
        case 0 where !scalars.isEmpty: scalars[position] = stranger
        case 1 where !scalars.isEmpty: scalars.remove(at: position)
        default: scalars.insert(stranger, at: position)
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private static let fragments = [
        "", " ", "\t", "\"", "\\", ";", ",", "=", ":", "/", "//", "?", "#", "%", "%41", "%zz", "%c3", "'", "*", "[",
        "]", "(", ")", "@", ".", "..", "-", "0", "9223372036854775807", "9223372036854775808", "99999999999999999999",
        "bytes", "bytes ", "W/", "Sun, ", "Sunday, ", "06 Nov 1994", " 08:49:37", " GMT", "http:", "https://", "host",
        "[::1]", ":80", "filename", "filename*", "UTF-8''", "iso-8859-1''", "attachment", "sha-256=:", "sha-256=",
        "\u{0}", "\r\n", "\r", "\n", "é", "e\u{301}", "€", "😀", "\u{202E}", "\u{FEFF}", "a", "Z", "~", "|",
    ]
}
