#pragma once
#ifdef __linux__

/// Queries the system's resolver for a host's addresses. Blocks while the resolver waits for its name servers.
int longhaul_look_up(const char *host);
#define LONGHAUL_HOST_FOUND 0
/// No host has this name, or it has no address.
#define LONGHAUL_HOST_UNKNOWN 1
/// The name servers failed or did not answer.
#define LONGHAUL_HOST_NOT_TOLD 2

/// Listens for changes of links, addresses, and routes (rtnetlink); the descriptor is non-blocking.
int longhaul_routes_open(void);
/// Reads the pending messages. 0 for none; otherwise LONGHAUL_ROUTES_CHANGED, with LONGHAUL_ROUTES_GAINED if a route or
/// an address is new.
int longhaul_routes_take(int fd);
#define LONGHAUL_ROUTES_CHANGED 1
#define LONGHAUL_ROUTES_GAINED 2
/// Returns whether any table has a route to another machine over a working link: 1 or 0, or -errno.
int longhaul_routes_lead_out(void);

/// Returns whether a connection's local address, or its route to the peer, is gone: 1 or 0. 0 if that is unknown.
int longhaul_is_cut(int fd);
/// Ends a connection at once: its next read and write fail. A normal close or shutdown would look like a complete body.
void longhaul_abort(int fd);
#endif
