import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// The directory of a download that goes to standard output, for as long as its command lives.
///
/// A file beside the directory names the transfer and is locked by the command, so the next command finds what a killed one left.
struct OutputPlace: Sendable {
    /// A transfer that no command reads anymore.
    struct Leftover: Sendable {
        let place: OutputPlace
        let session: SessionID
        let id: TransferID
    }

    let directory: String
    private let note: Descriptor
    private var recordPath: String { directory + Self.recordEnding }

    private static let recordEnding = ".owner"

    private init(directory: String, note: Descriptor) {
        self.directory = directory
        self.note = note
    }

    /// Whether `-o` names standard output.
    static func isStandardOutput(_ name: String) -> Bool {
        ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(name)
    }

    /// Creates a directory, and finds those that other commands left.
    static func make(
        environment: [String: String], random: UInt64
    ) throws(TransferFailure) -> (place: OutputPlace, leftovers: [Leftover]) {
        let base = try LonghaulPaths(environment: environment).stateDirectory + "/standard-output"
        try PrivateDirectory.create(base, mayTighten: true)
        do throws(SystemError) {
            // No other command takes a new directory for an abandoned one before it is locked.
            let gate = try Descriptor(opening: base + "/lock", [.both, .making])
            try gate.lock()
            let leftovers = sweep(base)
            let directory = base + "/\(ThisProcess.id)-\(random)"
            try Directory.make(directory)
            let note = try Descriptor(opening: directory + recordEnding, [.both, .new])
            _ = try note.tryLock()
            return (OutputPlace(directory: directory, note: note), leftovers)
        } catch {
            throw TransferFailure(
                .destinationUnwritable,
                tr("Cannot create a temporary directory in \(base): \(LocalFiles.reason(error))."),
                origin: error.origin)
        }
    }

    private static func sweep(_ base: String) -> [Leftover] {
        var leftovers: [Leftover] = []
        for name in Directory.names(in: base) where name.hasSuffix(recordEnding) {
            // The next command tries again if this fails.
            guard let note = try? Descriptor(opening: base + "/" + name, [.both, .noLink]),
                (try? note.tryLock()) == true
            else { continue }
            let place = OutputPlace(directory: base + "/" + name.dropLast(recordEnding.count), note: note)
            if let (session, id) = place.owned {
                leftovers.append(Leftover(place: place, session: session, id: id))
            } else {
                place.remove()
            }
        }
        return leftovers
    }

    /// Records the transfer. Without the record, an abandoned transfer fails because its directory is missing.
    func record(_ id: TransferID, in session: SessionID) {
        try? note.replaceContent(with: "\(id) \(session)")
    }

    private var owned: (SessionID, TransferID)? {
        guard let content = try? note.readBeginning(limit: 1_024) else { return nil }
        let words = String(decoding: content, as: UTF8.self).split(separator: " ")
        guard words.count == 2, let id = TransferID(String(words[0])), let session = SessionID(String(words[1]))
        else { return nil }
        return (session, id)
    }

    /// Deletes the directory and its contents.
    func remove() {
        Directory.discard(directory)
        Files.discard(recordPath)
    }
}
