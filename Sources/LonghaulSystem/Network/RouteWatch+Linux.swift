#if os(Linux)
    import CPlatform

    /// Changes of links, addresses, and routes (rtnetlink(7)).
    package struct RouteWatch: Sendable {
        /// Readable after a change.
        package let descriptor: Descriptor

        package init() throws(SystemError) {
            descriptor = Descriptor(try value(longhaul_routes_open()))
        }

        /// Returns whether anything changed since the last call, and whether a route or an address was added.
        package func readEvents() -> (changed: Bool, gained: Bool) {
            let changes = longhaul_routes_take(descriptor.number)
            return (changes != 0, changes & LONGHAUL_ROUTES_GAINED != 0)
        }

        /// Whether a route leads out of this machine over a working link, in any routing table: a default route, a route
        /// that a VPN's rules choose, or that of a local link. `nil` if the kernel does not report it.
        package static var leadsOut: Bool? {
            let answer = longhaul_routes_lead_out()
            return answer < 0 ? nil : answer > 0
        }
    }

    extension Machine {
        /// Whether there is a network, as the conditions show it; `true` if the kernel does not report it.
        package static var hasNetwork: Bool { RouteWatch.leadsOut ?? true }
    }

    extension OpenFile {
        /// Whether the connection's local address, or its route to the peer, is gone.
        package var isCut: Bool { longhaul_is_cut(number) != 0 }

        /// Ends a connection at once, so that reading fails instead of showing the end of a body.
        package func abort() { longhaul_abort(number) }
    }

    /// The result of the system resolver for a host.
    package enum NameLookup: Equatable, Sendable {
        case found
        /// No host has this name, or it has no address.
        case unknown
        /// The name servers failed or did not answer.
        case unanswered

        /// Looks up a host. Blocks for as long as the resolver waits for its name servers.
        package static func query(_ host: String) -> NameLookup {
            // Name servers must never receive such a name (RFC 7686, section 2).
            if host == "onion" || host.hasSuffix(".onion") || host.hasSuffix(".onion.") { return .unknown }
            return switch longhaul_look_up(host) {
            case LONGHAUL_HOST_FOUND: .found
            case LONGHAUL_HOST_UNKNOWN: .unknown
            default: .unanswered
            }
        }
    }
#endif
