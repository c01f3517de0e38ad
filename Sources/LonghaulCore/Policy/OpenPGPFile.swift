/// The formats of OpenPGP files (RFC 9580), by their first bytes.
package enum OpenPGPFile {
    /// A keyring that gpgv reads.
    package enum Keyring: Equatable, Sendable {
        /// Packets, or a keybox of GnuPG.
        case binary
        /// The packets of a text.
        case decoded([UInt8])
    }

    private static let keyMark = Array("-----BEGIN PGP PUBLIC KEY BLOCK-----".utf8)
    private static let signatureMark = Array("-----BEGIN PGP SIGNATURE-----".utf8)
    private static let clearMark = Array("-----BEGIN PGP SIGNED MESSAGE-----".utf8)

    /// Returns whether the beginning of a file is that of a keyring without encoding.
    package static func isBinaryKeyring(_ beginning: [UInt8]) -> Bool {
        hasTag(6, beginning) || beginning.dropFirst(8).starts(with: Array("KBXf".utf8))
    }

    /// Returns the content of a keyring; `nil` if it has another format. gpgv itself ignores a text, and would report that it has no key.
    package static func keyring(_ bytes: [UInt8]) -> Keyring? {
        if isBinaryKeyring(bytes) { return .binary }
        var packets: [UInt8] = []
        var isInside = false
        var digits: [UInt8]?
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let line = line.trimming { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            if line.starts(with: keyMark) {
                isInside = true
            } else if isInside, line.first == UInt8(ascii: "-") || line.first == UInt8(ascii: "=") {
                // The checksum is optional, and must not be relied on (section 6.1).
                guard let found = digits, let block = Base64.decode(bytes: found[...]), hasTag(6, block) else {
                    return nil
                }
                packets += block
                (isInside, digits) = (false, nil)
            } else if isInside {
                // Headers end with an empty line.
                if digits == nil { digits = line.isEmpty ? [] : nil } else { digits? += line }
            }
        }
        return packets.isEmpty || isInside ? nil : .decoded(packets)
    }

    /// Returns whether the file is a detached signature, in either format.
    package static func isSignature(_ bytes: [UInt8]) -> Bool {
        hasTag(2, bytes) || has(signatureMark, bytes) && !has(clearMark, bytes)
    }

    private static func has(_ mark: [UInt8], _ bytes: [UInt8]) -> Bool {
        bytes.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: mark) }
    }

    /// Returns whether the first packet has this type, in the new or the old format (section 4.2).
    private static func hasTag(_ tag: UInt8, _ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first else { return false }
        return first == 0xC0 | tag || first & 0xFC == 0x80 | tag << 2
    }
}
