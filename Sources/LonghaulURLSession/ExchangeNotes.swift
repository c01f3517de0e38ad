import Foundation
import LonghaulCore
import LonghaulSystem

/// The directory in which the engine writes down what it has handed to the system, and keeps the files that belong to it. Like the
/// session's store it may hold secrets, and is as private.
struct ExchangeNotes: Sendable {
    let directory: String

    init(_ directory: String) throws(TransferFailure) {
        self.directory = directory
        try PrivateDirectory.create(directory, mayTighten: true)
    }

    /// A body that was put together for the system to read.
    func upload(_ id: ExchangeID) -> String { path(id, "upload") }
    /// A file that the system has handed over.
    func arrival(_ id: ExchangeID) -> String { path(id, "arrival") }
    /// The system's own means to go on with a download that was stopped.
    private func token(_ id: TransferID) -> String { "\(directory)/\(id).token" }

    private func path(_ id: ExchangeID, _ kind: String) -> String {
        "\(directory)/\(id.transfer).\(id.attempt).\(kind)"
    }

    /// What must not be repeated, and an end that is heard only once, are on the disk when this returns.
    func write(_ note: ExchangeNote, of id: ExchangeID) throws(TransferFailure) {
        if note.isOnceOnly || note.outcome != nil || note.head != nil {
            return try AtomicFile(path(id, "note")).write(note.wireBytes)
        }
        do {
            try Data(note.wireBytes).write(to: URL(fileURLWithPath: path(id, "note")), options: .atomic)
        } catch {
            throw TransferFailure(.fileFailed, "Could not write to \(directory): \(error.localizedDescription)")
        }
    }

    /// What was noted; one that cannot be read is none.
    func note(of id: ExchangeID) -> ExchangeNote? {
        FileManager.default.contents(atPath: path(id, "note")).flatMap { try? ExchangeNote(wireBytes: Array($0)) }
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

    /// What the exchange left is not needed any more. The note goes last: it names the others.
    func remove(_ id: ExchangeID) {
        for kind in ["upload", "arrival", "note"] { Files.discard(path(id, kind)) }
    }

    /// Keeps resume data for the next attempt that asks the same URL for the whole file, or sends it the same file.
    func keep(token data: Data, url: String, of id: TransferID) {
        // Without it a download begins again from what is here, and an upload from its first byte.
        try? AtomicFile(token(id)).write(Token(url: url, data: [UInt8](data)).wireBytes)
    }

    /// What belongs to partial files that are deleted goes with them.
    func discardTokens(ofPartials paths: [String]) {
        for path in paths {
            if let id = path.baseName.flatMap(PartialName.transfer) { Files.discard(token(id)) }
        }
    }

    /// What nobody has asked for in so long a time nobody does: its transfer has ended, or its server has forgotten it.
    func discardTokens(olderThan date: WallTime) {
        for name in Directory.names(in: directory) where name.hasSuffix(".token") {
            guard let status = try? FileStatus(of: "\(directory)/\(name)"), status.modified / 1_000 < date.microseconds
            else { continue }
            Files.discard("\(directory)/\(name)")
        }
    }

    func hasToken(of id: TransferID) -> Bool { Files.isThere(token(id)) }

    /// Takes it away before it is used: the system takes it once.
    func takeToken(of id: TransferID, url: String) -> Data? {
        guard let content = FileManager.default.contents(atPath: token(id)) else { return nil }
        Files.discard(token(id))
        _ = try? Directory.sync(directory)
        guard let kept = try? Token(wireBytes: Array(content)), kept.url == url, !kept.data.isEmpty else { return nil }
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
