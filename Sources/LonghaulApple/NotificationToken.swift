import Foundation

/// The registration of an observer with a notification center.
///
/// `@unchecked Sendable`: the object is only passed back to the center, which accepts it from any thread.
struct NotificationToken: @unchecked Sendable {
    private let object: any NSObjectProtocol

    init(_ object: any NSObjectProtocol) { self.object = object }

    func end() { NotificationCenter.default.removeObserver(object) }
}
