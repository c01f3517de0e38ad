import CLinux

/// Changes of routes and addresses (rtnetlink(7)).
package struct RouteWatch: Sendable {
    /// Readable when something has changed.
    package let descriptor: Descriptor

    package init() throws(SystemError) {
        descriptor = Descriptor(try value(longhaul_routes_open()))
    }

    /// What has changed since the last call; a gain is a route or an address that is new.
    package func take() -> (changed: Bool, gained: Bool) {
        let changes = longhaul_routes_take(descriptor.number)
        return (changes != 0, changes & LONGHAUL_ROUTES_GAINED != 0)
    }

    /// Whether the main table has a default route; `nil` where the kernel does not tell.
    package static var hasDefaultRoute: Bool? {
        let answer = longhaul_routes_have_default()
        return answer < 0 ? nil : answer > 0
    }
}
