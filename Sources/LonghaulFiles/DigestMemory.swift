import LonghaulCore
import Synchronization

/// Partial files as they were left, with the digests that were computed while their bytes arrived, until they are placed.
final class DigestMemory: Sendable {
    /// What tells that a file is still what was digested.
    typealias Identity = SourcePin

    private struct Entry {
        var identity: Identity
        var digests: [Digest]
    }

    /// Whoever never places what was received must not fill the memory: beyond this, digests are computed again.
    private static let capacity = 4_096
    private let entries = Mutex<[String: Entry]>([:])

    func remember(_ digests: [Digest], path: String, identity: Identity) {
        entries.withLock { entries in
            if entries.count >= Self.capacity { entries.removeAll() }
            entries[path] = Entry(identity: identity, digests: digests)
        }
    }

    /// The digests of a file that has not changed since; empty when there are none.
    func recall(path: String, identity: Identity) -> [Digest] {
        entries.withLock { entries in
            guard let entry = entries[path], entry.identity == identity else { return [] }
            return entry.digests
        }
    }

    /// Whether there are digests to recall, if the file has not changed.
    func knows(path: String) -> Bool {
        entries.withLock { $0[path]?.digests.isEmpty == false }
    }

    /// What the file was when it was left; `nil` when nothing is known of it.
    func identity(path: String) -> Identity? {
        entries.withLock { $0[path]?.identity }
    }

    func forget(path: String) {
        entries.withLock { $0[path] = nil }
    }
}
