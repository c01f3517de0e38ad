#pragma once

/// Asks the system's resolver for a host's addresses. Blocks, for as long as the resolver waits for
/// its name servers.
int longhaul_look_up(const char *host);
#define LONGHAUL_HOST_FOUND 0
/// No host has this name, or it has no address.
#define LONGHAUL_HOST_UNKNOWN 1
/// The name servers failed or did not answer.
#define LONGHAUL_HOST_NOT_TOLD 2

/// Listens for changes of links, addresses, and routes (rtnetlink); the descriptor is non-blocking.
int longhaul_routes_open(void);
/// Reads what has come. 0: nothing; else LONGHAUL_ROUTES_CHANGED, with LONGHAUL_ROUTES_GAINED when
/// a route or an address is new.
int longhaul_routes_take(int fd);
#define LONGHAUL_ROUTES_CHANGED 1
#define LONGHAUL_ROUTES_GAINED 2
/// Whether any table has a route to another machine over a link that works: 1 or 0, or -errno.
int longhaul_routes_lead_out(void);

/// Whether a connection's local address, or its route to the peer, is gone: 1 or 0. 0 if that
/// cannot be told.
int longhaul_is_cut(int fd);
/// Ends a connection at once: its next read and write fail. A closed or shut-down one would look
/// like a complete body.
void longhaul_abort(int fd);
