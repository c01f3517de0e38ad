// A simulated far network on this machine: two separate networks, and a line between them with delay, loss, and a rate.
// Usage: far-line [--fair] FILE DELAY-MS [LOSS-PERCENT [MBIT-PER-SECOND [SEED]]]. DELAY-MS applies to one direction.
// With --fair, connections that wait for the line are served in turn; this requires a rate.
//
// The program writes two paths to FILE, with which `nsenter --net=PATH` enters the near end (10.77.0.1) and the far end
// (10.77.0.2). Both end with this program, and this program ends with its parent.
#define _GNU_SOURCE
#include "ends.h"
#include "line.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static const char near_address[] = "10.77.0.1", far_address[] = "10.77.0.2";

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static int announce(const char *path, const struct end ends[2]) {
    FILE *file = fopen(path, "we");
    if (!file) {
        perror(path);
        return 0;
    }
    fprintf(file, "/proc/%d/fd/%d /proc/%d/fd/%d\n", getpid(), ends[0].network, getpid(), ends[1].network);
    return fclose(file) == 0;
}

static void move(const struct end ends[2], struct line lines[2]) {
    static unsigned char bytes[packet_room];
    for (;;) {
        uint64_t now = now_ns(), next = UINT64_MAX;
        for (int from = 0; from < 2; from++) {
            ssize_t length;
            while ((length = read(ends[from].device, bytes, sizeof bytes)) > 0)
                line_enter(&lines[from], bytes, (size_t)length, now);
            uint64_t arrival = line_deliver(&lines[from], ends[1 - from].device, now);
            if (arrival < next) next = arrival;
        }
        now = now_ns();
        uint64_t wait = next > now ? next - now : 0;
        struct timespec until = {(time_t)(wait / UINT64_C(1000000000)), (long)(wait % UINT64_C(1000000000))};
        struct pollfd devices[2] = {{ends[0].device, POLLIN, 0}, {ends[1].device, POLLIN, 0}};
        ppoll(devices, 2, next == UINT64_MAX ? NULL : &until, NULL);
    }
}

int main(int count, char **words) {
    int is_fair = count > 1 && strcmp(words[1], "--fair") == 0;
    count -= is_fair;
    words += is_fair;
    if (count < 3 || count > 6 || (is_fair && (count < 5 || atof(words[4]) <= 0))) {
        fprintf(stderr, "usage: far-line [--fair] FILE DELAY-MS [LOSS-PERCENT [MBIT-PER-SECOND [SEED]]]\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The kernel otherwise wakes it up to 50 microseconds late.
    prctl(PR_SET_TIMERSLACK, 1);
    struct end ends[2];
    if (!end_open(&ends[0], near_address, far_address) || !end_open(&ends[1], far_address, near_address)) return 1;
    uint64_t seed = count > 5 ? strtoull(words[5], NULL, 10) : 1;
    struct line lines[2];
    static struct fair buffers[2];
    for (int direction = 0; direction < 2; direction++) {
        fair_open(&buffers[direction]);
        lines[direction] = (struct line){
            .delay_ns = (uint64_t)(atof(words[2]) * 1e6),
            .loss = (uint64_t)((count > 3 ? atof(words[3]) : 0) / 100 * 4294967296.0),
            .rate = (uint64_t)((count > 4 ? atof(words[4]) : 0) * 1e6 / 8),
            // A state of zero would always stay zero.
            .chance = (2 * seed + 1) * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)direction,
            .waiting = is_fair ? &buffers[direction] : NULL,
        };
    }
    if (!announce(words[1], ends)) return 1;
    move(ends, lines);
}
