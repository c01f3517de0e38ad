// For linking libdispatch. Its Swift interface does not have the functions of the main queue that GLib's loop needs.
import Dispatch
import Glibc

/// Runs Swift's main actor in GLib's main loop: jobs of the main actor run on the main thread, between GTK's events. Nothing polls.
enum MainLoop {
    private static var isJoined = false

    static func join() {
        guard !isJoined else { return }
        isJoined = true
        desktop_use_own_pool()
        g_unix_fd_add(
            desktop_main_queue_descriptor(), G_IO_IN,
            { descriptor, _, _ in
                // Reading the counter resets it, so that the descriptor becomes readable with the next work. There is no other
                // reader, so the read neither blocks nor fails.
                var count: UInt64 = 0
                _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
                desktop_drain_main_queue()
                return 1
            }, nil)
    }

    /// Runs the pending work, in at most 100 iterations, because work may add more work.
    static func runWhatIsDue() {
        for _ in 1...100 {
            guard g_main_context_iteration(nil, 0) != 0 else { return }
        }
    }

    /// Runs the loop until `isDone` or the deadline, after GTK's loop has returned at the end of the process.
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
