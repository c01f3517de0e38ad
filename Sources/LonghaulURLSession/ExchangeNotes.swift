import Foundation
import LonghaulCore
import LonghaulSystem

/// The directory in which the engine records the exchanges that the system has, and keeps their files. Like the
/// session's store, it may contain secrets and is private.
struct ExchangeNotes: Sendable {
    let directory: String
    private let anchors: PathAnchors

    init(_ directory: String, anchors: PathAnchors = .none) throws(TransferFailure) {
        self.directory = directory
        self.anchors = anchors
        try PrivateDirectory.create(directory, mayTighten: true)
    }

    /// Returns the path of a body that was assembled for the system.
    func upload(_ id: ExchangeID) -> String { path(id, "upload") }
    /// Returns the path of a file that the system has delivered.
    func arrival(_ id: ExchangeID) -> String { path(id, "arrival") }
    /// Returns the path of the system's resume data for a download that was stopped.
    private func token(_ id: TransferID) -> String { "\(directory)/\(id).token" }

    private func path(_ id: ExchangeID, _ kind: String) -> String {
        "\(directory)/\(id.transfer).\(id.attempt).\(kind)"
    }

    /// Writes a note. A note of a request that must not be repeated, or of an end, is synced, because an end is reported only once.
    func write(_ note: ExchangeNote, of id: ExchangeID) throws(TransferFailure) {
        let bytes = note.wireBytes(anchors: anchors)
        if note.isOnceOnly || note.outcome != nil || note.head != nil {
            return try AtomicFile(path(id, "note")).write(bytes)
        }
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path(id, "note")), options: .atomic)
        } catch {
            throw ErrorReading.fileFailure("Could not write to \(directory)", error)
        }
    }

    /// Returns the note; `nil` if it is missing or unreadable.
    func read(of id: ExchangeID) -> ExchangeNote? {
        FileManager.default.contents(atPath: path(id, "note")).flatMap {
            try? ExchangeNote.decoded(wireBytes: Array($0), anchors: anchors)
        }
    }

    var ids: [ExchangeID] {
        Directory.names(in: directory).compactMap { name in
            let parts = name.split(separator: ".")
            guard parts.count == 3, parts[2] == "note", let id = TransferID(parts[0]), let attempt = Int(parts[1])
            else {
                return nil
            }
            return ExchangeID(transfer: id, attempt: attempt)
        }
    }

    /// Deletes the files of an exchange. The note is deleted last, because it refers to the others.
    func remove(_ id: ExchangeID) {
        for kind in ["upload", "arrival", "note"] { Files.discard(path(id, kind)) }
    }

    /// Keeps resume data for the next attempt to request the whole file from the same URL, or to send it the same file.
    func keep(token data: Data, url: String, of id: TransferID) {
        // Without the resume data, a download resumes from the partial file, and an upload restarts.
        try? AtomicFile(token(id)).write(Token(url: url, data: [UInt8](data)).wireBytes)
    }

    /// Deletes the resume data of partial files that are deleted.
    func discardTokens(ofPartials paths: [String]) {
        for path in paths {
            if let id = path.baseName.flatMap(PartialName.transfer) { Files.discard(token(id)) }
        }
    }

    /// Deletes resume data that was not used for a long time: the transfer has ended, or the server has dropped its state.
    func discardTokens(olderThan date: WallTime) {
        for name in Directory.names(in: directory) where name.hasSuffix(".token") {
            guard let status = try? FileStatus(of: "\(directory)/\(name)"), status.modified / 1_000 < date.microseconds
            else { continue }
            Files.discard("\(directory)/\(name)")
        }
    }

    func hasToken(of id: TransferID) -> Bool { Files.isThere(token(id)) }

    /// Returns the resume data and deletes it first: the system accepts it once.
    func takeToken(of id: TransferID, url: String) -> Data? {
        guard let content = FileManager.default.contents(atPath: token(id)) else { return nil }
        Files.discard(token(id))
        _ = try? Directory.sync(directory)
        guard let kept = try? Token.decoded(wireBytes: Array(content)), kept.url == url, !kept.data.isEmpty else {
            return nil
        }
        return Data(kept.data)
    }
}

private struct Token: WireRecord {
    static let blank = Self(url: "", data: [])

    var url: String
    var data: [UInt8]

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&url, 1)
        try wire.data(&data, 2)
    }
}
