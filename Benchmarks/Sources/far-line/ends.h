#pragma once

/// One end of the line: a separate network with a TUN device for its packets.
struct end {
    /// The network namespace, which can be entered by /proc/PID/fd/NUMBER.
    int network;
    int device;
};

/// Creates a namespace with this address, whose only route leads to the peer's. Prints the reason and returns 0 if that fails.
int end_open(struct end *end, const char *address, const char *peer);
