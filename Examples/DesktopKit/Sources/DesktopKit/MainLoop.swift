// Linked for the main queue, which has no name in its Swift interface that GLib could use.
import Dispatch
import Glibc

/// Joins Swift's main actor to GLib's main loop: what is on the main actor runs between GTK's own events, on the main
/// thread, and nothing polls.
enum MainLoop {
    private static var isJoined = false

    static func join() {
        guard !isJoined else { return }
        isJoined = true
        g_unix_fd_add(
            desktop_main_queue_descriptor(), G_IO_IN,
            { descriptor, _, _ in
                // The count is not wanted; reading it makes the descriptor wait for the next work. Nobody else reads it, so
                // the read neither blocks nor fails.
                var count: UInt64 = 0
                _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
                desktop_drain_main_queue()
                return 1
            }, nil)
    }

    /// Runs what is due now; of what makes more of itself, a hundred turns.
    static func runWhatIsDue() {
        for _ in 1...100 {
            guard g_main_context_iteration(nil, 0) != 0 else { return }
        }
    }

    /// Runs what is due until `isDone`, or until the deadline: for the end of the process, when GTK's loop has returned.
    static func run(until deadline: ContinuousClock.Instant, _ isDone: () -> Bool) {
        while !isDone(), ContinuousClock.now < deadline {
            let left = ContinuousClock.now.duration(to: deadline).components
            let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000 + 1
            let timer = g_timeout_source_new(guint(milliseconds))
            g_source_set_callback(timer, { _ in 0 }, nil, nil)
            g_source_attach(timer, nil)
            g_main_context_iteration(nil, 1)
            g_source_destroy(timer)
            g_source_unref(timer)
        }
    }
}
