#pragma once

/// One end of the line: a network of its own with a TUN device, through which its packets come and go.
struct end {
    /// The network namespace, to be entered by /proc/PID/fd/NUMBER.
    int network;
    int device;
};

/// Makes a namespace with this address, whose only way out leads to the peer's. Says why not and returns 0 when it cannot.
int end_open(struct end *end, const char *address, const char *peer);
