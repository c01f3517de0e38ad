import Foundation

/// Access to files outside an app's container, which Linux does not limit. Tests simulate the limits of Apple's systems.
package struct SecurityScopes: Sendable {
    /// The scopes of the present task; `nil` outside tests.
    @TaskLocal package static var simulated: SecurityScopes?

    let start: @Sendable (URL) -> Bool
    let stop: @Sendable (URL) -> Void

    package init(start: @escaping @Sendable (URL) -> Bool, stop: @escaping @Sendable (URL) -> Void) {
        (self.start, self.stop) = (start, stop)
    }
}

extension URL {
    func startAccessingSecurityScopedResource() -> Bool { SecurityScopes.simulated?.start(self) ?? false }
    func stopAccessingSecurityScopedResource() { SecurityScopes.simulated?.stop(self) }
}
