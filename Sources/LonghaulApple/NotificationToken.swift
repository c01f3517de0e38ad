import Foundation

/// What a notification center knows an observer by.
///
/// `@unchecked Sendable`: the object is only handed back to the center, which takes it from any thread.
struct NotificationToken: @unchecked Sendable {
    private let object: any NSObjectProtocol

    init(_ object: any NSObjectProtocol) { self.object = object }

    func end() { NotificationCenter.default.removeObserver(object) }
}
