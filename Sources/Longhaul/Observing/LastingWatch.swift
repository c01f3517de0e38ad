import LonghaulCore

/// A watch that restarts automatically after a restart of the service, and then reports the whole list again.
struct LastingWatch: Sendable {
    /// The number of consecutive failed attempts before it gives up.
    private static let patience = 8

    private let backend: any SessionBackend
    private let selection: TransferSelection
    private var feed: (any SessionFeed<WatchUpdate>)?
    private var failures = 0

    init(_ selection: TransferSelection, of backend: any SessionBackend) {
        self.selection = selection
        self.backend = backend
    }

    /// Returns the next update; `nil` if the session was closed or the task was cancelled.
    mutating func next(
        isolation: isolated (any Actor)? = #isolation
    ) async throws(TransferFailure) -> WatchUpdate? {
        while !Task.isCancelled {
            do throws(TransferFailure) {
                if let feed {
                    guard let update = try await feed.next() else { break }
                    failures = 0
                    return update
                }
                await pause()
                guard let begun = try await backend.watch(selection) else { return nil }
                feed = begun
            } catch {
                feed = nil
                failures += 1
                if Task.isCancelled { return nil }
                guard error.code == .serviceUnavailable, failures < Self.patience else { throw error }
            }
        }
        return nil
    }

    /// Waits before the next attempt: 0 ms, then 50 ms, then twice as long each time.
    private func pause() async {
        guard failures > 1 else { return }
        // A pause cut short by a cancellation needs no handling.
        try? await Task.sleep(for: .milliseconds(25 << failures))
    }
}
