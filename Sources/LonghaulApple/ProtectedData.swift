import Foundation

#if os(iOS) || os(Linux)
    import UIKit
#endif

/// Whether files can be read that are closed until the device was unlocked for the first time.
@available(iOSApplicationExtension, unavailable)
enum ProtectedData {
    @MainActor static var isAvailable: Bool {
        #if os(iOS) || os(Linux)
            UIApplication.shared.isProtectedDataAvailable
        #else
            true
        #endif
    }

    /// Returns when they can be read, or at the deadline.
    static func wait(until deadline: ContinuousClock.Instant) async {
        #if os(iOS) || os(Linux)
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    let name = UIApplication.protectedDataDidBecomeAvailableNotification
                    let (news, feed) = AsyncStream<Void>.makeStream()
                    let token = NotificationToken(
                        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                            feed.yield()
                        })
                    defer { token.end() }
                    if await isAvailable { return }
                    for await _ in news { return }
                }
                // Cut short when it was unlocked before.
                group.addTask { try? await Task.sleep(until: deadline, clock: .continuous) }
                await group.next()
                group.cancelAll()
            }
        #endif
    }
}

extension NotificationToken {
    /// Calls back whenever the user has unlocked the device; `nil` on a Mac. App extensions may use it.
    static func whenUnlocked(_ call: @escaping @Sendable () -> Void) -> NotificationToken? {
        #if os(iOS) || os(Linux)
            NotificationToken(
                NotificationCenter.default.addObserver(
                    forName: UIApplication.protectedDataDidBecomeAvailableNotification, object: nil, queue: nil
                ) { _ in call() })
        #else
            nil
        #endif
    }
}
