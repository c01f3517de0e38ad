import CLinux

/// Changes of links, addresses, and routes (rtnetlink(7)).
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

    /// Whether a route leads out of this machine over a link that works, in any routing table: a
    /// default route, one that a VPN's rules choose, or that of a local link. `nil` where the
    /// kernel does not tell.
    package static var leadsOut: Bool? {
        let answer = longhaul_routes_lead_out()
        return answer < 0 ? nil : answer > 0
    }
}

extension Machine {
    /// Whether there is a network: the same answer that conditions show. When the kernel cannot
    /// tell, there is one.
    package static var hasNetwork: Bool { RouteWatch.leadsOut ?? true }
}

extension OpenFile {
    /// Whether the connection's local address, or its route to the peer, is gone.
    package var isCut: Bool { longhaul_is_cut(number) != 0 }

    /// Ends a connection at once, so that reading from it fails and does not look like the end of a
    /// body.
    package func abort() { longhaul_abort(number) }
}

/// What the system's resolver knows of a host.
package enum NameLookup: Equatable, Sendable {
    case found
    /// No host has this name, or it has no address.
    case unknown
    /// The name servers failed or did not answer.
    case unanswered

    /// Asks, and blocks for as long as the resolver waits for its name servers.
    package static func ask(_ host: String) -> NameLookup {
        // Name servers must never see such a name (RFC 7686, section 2).
        if host == "onion" || host.hasSuffix(".onion") || host.hasSuffix(".onion.") { return .unknown }
        return switch longhaul_look_up(host) {
        case LONGHAUL_HOST_FOUND: .found
        case LONGHAUL_HOST_UNKNOWN: .unknown
        default: .unanswered
        }
    }
}
