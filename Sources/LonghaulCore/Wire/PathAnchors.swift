/// Directories that the system may move between two launches of an app: its home directory, and the container of its group.
///
/// A stored path has a name in place of such a directory, and gets the directory's present path when it is read. Apple's containers have
/// a new path after an app update or a restored backup, so their absolute paths must not be stored.
package struct PathAnchors: Equatable, Sendable {
    /// No such directories: stored paths are absolute.
    package static let none = PathAnchors()

    private struct Anchor: Equatable {
        var name: UInt8
        var path: [UInt8]
    }

    private struct Directories: Equatable {
        /// The longest path first: one directory may be in another.
        var anchors: [Anchor] = []
        /// The parents of the home directory in both spellings, if the last part of its path is a UUID.
        var homeParents: [Anchor] = []
    }

    /// One reference, and `nil` where there are no such directories, because each reader and writer has a copy.
    private var directories: CopyOnWrite<Directories>?

    private var anchors: [Anchor] { directories?.value.anchors ?? [] }

    private init() {}

    package init(home: String, group: String? = nil) {
        var anchors = Self.anchors(home, as: UInt8(ascii: "h"), UInt8(ascii: "H"))
        let homeParents = anchors.compactMap { anchor -> Anchor? in
            guard let slash = anchor.path.lastIndex(of: Self.slash), Self.isUUID(anchor.path[(slash + 1)...])
            else { return nil }
            return Anchor(name: anchor.name, path: Array(anchor.path[...slash]))
        }
        if let group { anchors += Self.anchors(group, as: UInt8(ascii: "g"), UInt8(ascii: "G")) }
        guard !anchors.isEmpty else { return }
        anchors.sort { $0.path.count > $1.path.count }
        directories = CopyOnWrite(Directories(anchors: anchors, homeParents: homeParents))
    }

    /// `/var` is a link to `/private/var`, and the system uses both paths. Each has a name, so that a path is read as it was written.
    private static func anchors(_ path: String, as name: UInt8, _ otherName: UInt8) -> [Anchor] {
        var path = Substring(path)
        while path.hasSuffix("/") { path.removeLast() }
        guard path.hasPrefix("/") else { return [] }
        let other = path.hasPrefix(link + "/") ? path.dropFirst(link.count) : link + path
        return [Anchor(name: name, path: Array(path.utf8)), Anchor(name: otherName, path: Array(other.utf8))]
    }

    /// Returns the stored form of a path, or of a text that may contain paths.
    package func stored(_ text: String) -> String {
        guard directories != nil else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == Self.mark {
                result += [Self.mark, Self.mark]
                index += 1
            } else if let anchor = anchor(in: bytes, at: index) {
                result += [Self.mark, anchor.name]
                index += anchor.path.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the text with the present paths. A path in an earlier home directory, stored without a name, counts as one in the
    /// present home directory: the app cannot read any other directory there.
    package func current(_ text: String) -> String {
        guard directories != nil else { return text }
        guard text.utf8.contains(Self.mark) else { return inPresentHome(text) }
        var result: [UInt8] = []
        var isMarked = false
        for byte in text.utf8 {
            if isMarked {
                // A text from before there were names may contain the mark.
                result += byte == Self.mark ? [byte] : anchors.first { $0.name == byte }?.path ?? [Self.mark, byte]
            }
            if !isMarked, byte != Self.mark { result.append(byte) }
            isMarked = !isMarked && byte == Self.mark
        }
        if isMarked { result.append(Self.mark) }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the anchor whose path begins there. The path must be a whole one, and not the middle of another.
    private func anchor(in bytes: [UInt8], at index: Int) -> Anchor? {
        guard bytes[index] == Self.slash, index == 0 || !Self.isPartOfName(bytes[index - 1]) else { return nil }
        return anchors.first { anchor in
            let end = index + anchor.path.count
            return bytes[index...].starts(with: anchor.path) && (end == bytes.count || bytes[end] == Self.slash)
        }
    }

    private func inPresentHome(_ text: String) -> String {
        let bytes = Array(text.utf8)
        for parent in directories?.value.homeParents ?? [] where bytes.starts(with: parent.path) {
            let rest = bytes[parent.path.count...]
            guard Self.isUUID(rest.prefix(Self.uuidLength)),
                rest.count == Self.uuidLength
                    || rest.dropFirst(Self.uuidLength).first == Self.slash,
                let home = anchors.first(where: { $0.name == parent.name })
            else { continue }
            return String(decoding: home.path + rest.dropFirst(Self.uuidLength), as: UTF8.self)
        }
        return text
    }

    private static func isUUID(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == uuidLength
            && bytes.enumerated().allSatisfy { place, byte in
                [8, 13, 18, 23].contains(place) ? byte == UInt8(ascii: "-") : byte.hexDigitValue != nil
            }
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte.isASCIIDigit || byte.isASCIILetter || [0x2D, 0x2E, 0x5F].contains(byte)
    }

    /// Begins a name in a stored text. The mark itself is stored twice.
    private static let mark: UInt8 = 1
    private static let slash = UInt8(ascii: "/")
    private static let link = "/private"
    private static let uuidLength = 36
}
