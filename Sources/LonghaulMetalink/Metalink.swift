package import LonghaulCore

/// The content of a Metalink: version 4 (RFC 5854), or version 3, which many servers still use.
package struct Metalink: Equatable, Sendable {
    /// One file, with its sources and its expected properties.
    package struct File: Equatable, Sendable {
        /// The directories below the target directory, the outermost first: safe names, none of which leads elsewhere.
        package var directories: [String] = []
        /// A name without directories, safe to create.
        package var name: String
        package var size: Int64?
        /// The digest of the whole file: the strongest one in the document.
        package var digest: Digest?
        package var pieces: PieceDigests?
        /// The best first. Only `http` and `https` URLs are kept.
        package var urls: [String]
    }

    package var files: [File]

    /// The size limit of a document.
    package static let mostBytes = 16 << 20
    /// The limit of files, and of URLs of one file.
    static let mostFiles = 10_000
    static let mostURLs = 1_000
    /// The limit of a path's parts.
    static let deepestPath = 32

    /// Parses a document; fails with the reason if it is invalid.
    package init(parsing bytes: [UInt8]) throws(TransferFailure) {
        guard bytes.count <= Self.mostBytes else {
            throw TransferFailure(.invalidArgument, "A Metalink must have at most \(Self.mostBytes >> 20) MiB.")
        }
        let builder = MetalinkBuilder()
        let trouble = XMLReading.read(
            bytes, begin: builder.begin, end: builder.end, text: builder.text)
        if let trouble {
            throw TransferFailure(.invalidArgument, "The Metalink is not valid XML: \(trouble).")
        }
        guard builder.isMetalink else {
            throw TransferFailure(.invalidArgument, "The file is not a Metalink: its root element must be metalink.")
        }
        files = builder.files
        guard !files.isEmpty else {
            throw TransferFailure(
                .invalidArgument, "The Metalink has no file with an http or https URL.")
        }
    }
}

/// Builds files from the elements of a document as they arrive.
final class MetalinkBuilder {
    private struct Pieces {
        var algorithm: Digest.Algorithm
        var length: Int64
        var digests: [UInt8] = []
        /// Version 3 numbers them.
        var count: Int64 = 0
        var isBroken = false
    }

    private struct Draft {
        var name = ""
        var size: Int64?
        var digests: [Digest.Algorithm: Digest] = [:]
        var pieces: [Pieces] = []
        var urls: [(url: String, priority: Int64)] = []
    }

    private(set) var isMetalink = false
    private(set) var files: [Metalink.File] = []
    private var path: [String] = []
    private var file: Draft?
    private var pieces: Pieces?
    /// The attributes of the open element.
    private var attributes: [String: String] = [:]
    private var words = ""
    private var names: Set<String> = []

    func begin(_ element: XMLReading.Element) {
        if path.isEmpty { isMetalink = element.name == "metalink" }
        path.append(element.name)
        attributes = element.attributes
        words = ""
        guard isMetalink else { return }
        switch element.name {
        case "file" where file == nil: file = Draft(name: element.attributes["name"] ?? "")
        case "pieces":
            // RFC 5854 uses names like `sha-256`, version 3 like `sha1`.
            let length = element.attributes["length"].flatMap(Self.number)
            if let algorithm = element.attributes["type"].flatMap(Digest.Algorithm.init), let length, length > 0 {
                pieces = Pieces(algorithm: algorithm, length: length)
            }
        default: break
        }
    }

    func text(_ more: String) {
        // All values that are read are shorter; the rest of a long description is not needed.
        if words.utf8.count < 16_384 { words += more }
    }

    func end(_ name: String) {
        defer {
            path.removeLast()
            words = ""
            attributes = [:]
        }
        guard isMetalink else { return }
        let value = String(words.trimming(while: \.isWhitespace))
        switch name {
        case "size": file?.size = Self.number(value)
        case "hash" where pieces != nil: addPiece(value)
        case "hash": addHash(value)
        case "pieces":
            if let pieces, !pieces.isBroken { file?.pieces.append(pieces) }
            pieces = nil
        case "url": addURL(value)
        case "file":
            if let file { add(file) }
            file = nil
        default: break
        }
    }

    private func addPiece(_ hex: String) {
        guard var pieces else { return }
        self.pieces = nil
        let isInOrder = attributes["piece"].map { Self.number($0) == pieces.count } ?? true
        if isInOrder, pieces.digests.count < PieceDigests.mostBytes,
            let digest = Digest(algorithm: pieces.algorithm, hexadecimal: hex)
        {
            pieces.digests += digest.bytes
            pieces.count += 1
        } else {
            pieces.isBroken = true
        }
        self.pieces = pieces
    }

    private func addHash(_ hex: String) {
        guard let algorithm = attributes["type"].flatMap(Digest.Algorithm.init),
            let digest = Digest(algorithm: algorithm, hexadecimal: hex)
        else { return }
        file?.digests[algorithm] = digest
    }

    /// Version 4 counts priorities from 1, the best; version 3 has preferences up to 100, the best.
    private func addURL(_ text: String) {
        guard let file, file.urls.count < Metalink.mostURLs, let url = try? TransferURL(parsing: text) else { return }
        let preference = attributes["preference"].flatMap(Self.number).map { 101 - $0 }
        let priority = attributes["priority"].flatMap(Self.number) ?? preference ?? 999_999
        self.file?.urls.append((url.text, priority))
    }

    private func add(_ draft: Draft) {
        guard !draft.urls.isEmpty, files.count < Metalink.mostFiles else { return }
        let urls = draft.urls.inOrder(of: \.priority).map(\.url)
        let strongest = [Digest.Algorithm.sha512, .sha256, .sha1, .md5].lazy.compactMap { draft.digests[$0] }.first
        let pieces = draft.pieces.map { PieceDigests(algorithm: $0.algorithm, length: $0.length, digests: $0.digests) }
            .filter { pieces in draft.size.map(pieces.fit) ?? false }
            .max { $0.algorithm.byteCount < $1.algorithm.byteCount }
        let directories = Self.directories(of: draft.name)
        files.append(
            Metalink.File(
                directories: directories, name: freeName(draft, in: directories, urls.first ?? ""), size: draft.size,
                digest: strongest, pieces: pieces, urls: urls))
    }

    /// Returns the directories of a relative path (RFC 5854, section 4.1.2.1); none if the path could lead out of the target directory.
    private static func directories(of path: String) -> [String] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let isSafe =
            parts.count <= Metalink.deepestPath
            && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && !$0.contains("\\") && !$0.contains(":") }
        return isSafe ? parts.dropLast().map { SafeFileName.make(from: String($0), url: "") } : []
    }

    /// Returns a name that is unique in its directory.
    private func freeName(_ draft: Draft, in directories: [String], _ url: String) -> String {
        let name = SafeFileName.make(from: draft.name.isEmpty ? nil : draft.name, url: url)
        let place = directories.map { $0 + "/" }.joined()
        var free = name
        var number = 1
        while !names.insert(place + free).inserted {
            free = SafeFileName.numbered(name, number)
            number += 1
        }
        return free
    }

    private static func number(_ text: String) -> Int64? { DecimalField.parse(text) }
}
