import LonghaulCore

/// A watch that begins again by itself when the service had to be started again; it tells the whole list anew then.
struct LastingWatch: Sendable {
    /// After so many vain attempts in a row it gives up.
    private static let patience = 8

    private let backend: any SessionBackend
    private let selection: TransferSelection
    private var feed: (any SessionFeed<WatchUpdate>)?
    private var failures = 0

    init(_ selection: TransferSelection, of backend: any SessionBackend) {
        self.selection = selection
        self.backend = backend
    }

    /// What there is to tell; `nil` when the session was closed or the task cancelled.
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

    /// At once the first time, then 50 ms, twice as long each time.
    private func pause() async {
        guard failures > 1 else { return }
        // A pause that is cut short by a cancellation has done its work.
        try? await Task.sleep(for: .milliseconds(25 << failures))
    }
}
