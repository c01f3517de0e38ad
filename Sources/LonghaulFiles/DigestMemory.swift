import LonghaulCore
import Synchronization

/// The digests of closed partial files, computed while their bytes arrived, until the final rename.
final class DigestMemory: Sendable {
    /// Identifies the file that was digested; a changed file has another identity.
    typealias Identity = SourcePin

    private struct Entry {
        var identity: Identity
        var digests: [Digest]
    }

    /// Bounds the memory for files that are never finished: digests beyond this number are computed again.
    private static let capacity = 4_096
    private let entries = Mutex<[String: Entry]>([:])

    func remember(_ digests: [Digest], path: String, identity: Identity) {
        entries.withLock { entries in
            if entries.count >= Self.capacity { entries.removeAll() }
            entries[path] = Entry(identity: identity, digests: digests)
        }
    }

    /// Returns the digests of a file that has not changed since; empty if there are none.
    func recall(path: String, identity: Identity) -> [Digest] {
        entries.withLock { entries in
            guard let entry = entries[path], entry.identity == identity else { return [] }
            return entry.digests
        }
    }

    /// Returns whether there are digests to recall, provided that the file has not changed.
    func knows(path: String) -> Bool {
        entries.withLock { $0[path]?.digests.isEmpty == false }
    }

    /// Returns the identity of the file when it was closed; `nil` if it is not known.
    func identity(path: String) -> Identity? {
        entries.withLock { $0[path]?.identity }
    }

    func forget(path: String) {
        entries.withLock { $0[path] = nil }
    }
}
