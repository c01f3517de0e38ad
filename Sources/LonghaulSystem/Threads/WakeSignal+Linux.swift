#if os(Linux)
    import CPlatform
    package import LonghaulCore

    /// Wakes a thread that waits for descriptors. Any number of raises wakes it at least once.
    package final class WakeSignal: Sendable {
        package let descriptor: Descriptor

        package init() throws(SystemError) {
            descriptor = Descriptor(try value(longhaul_event_create()))
        }

        /// Creates a signal, or fails with an error for the app.
        package static func required() throws(TransferFailure) -> WakeSignal {
            do throws(SystemError) {
                return try WakeSignal()
            } catch {
                throw systemFailure(error)
            }
        }

        package func raise() {
            longhaul_event_raise(descriptor.number)
        }

        package func clear() {
            longhaul_event_clear(descriptor.number)
        }
    }
#endif
