#include "parts.h"

#include <curl/curl.h>

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

static CURLM *multi;
static int sockets;
static long timer;

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    struct body *body = *(struct body **)context;
    count *= size;
    if (count > sizeof body->bytes - body->length) return 0;
    memcpy(body->bytes + body->length, bytes, count);
    body->length += count;
    return count;
}

static int socket_changed(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
    struct epoll_event event = {.data.fd = socket};
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    if (what == CURL_POLL_REMOVE) return epoll_ctl(sockets, EPOLL_CTL_DEL, socket, NULL), 0;
    if (!known) curl_multi_assign(multi, socket, multi);
    return epoll_ctl(sockets, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
}

static int timer_changed(CURLM *handle, long milliseconds, void *context) {
    timer = milliseconds;
    return 0;
}

/// One of those that fetch at once, and what it is fetching.
struct slot {
    CURL *easy;
    struct body *body;
};

static void begin(struct slot *slot, const struct work *work, int index) {
    if (!(slot->body = malloc(sizeof *slot->body))) fail("no memory");
    slot->body->index = index;
    slot->body->length = 0;
    curl_easy_setopt(slot->easy, CURLOPT_URL, work->urls[index]);
    curl_multi_add_handle(multi, slot->easy);
}

static void set_up(struct slot *slot) {
    slot->easy = curl_easy_init();
    curl_easy_setopt(slot->easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(slot->easy, CURLOPT_WRITEDATA, &slot->body);
    curl_easy_setopt(slot->easy, CURLOPT_PRIVATE, slot);
    curl_easy_setopt(slot->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(slot->easy, CURLOPT_FAILONERROR, 1L);
}

static void wait_for_sockets(void) {
    struct epoll_event events[64];
    int running, count = epoll_wait(sockets, events, 64, timer < 0 || timer > 1000 ? 1000 : (int)timer);
    if (count <= 0) {
        timer = -1;
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    for (int index = 0; index < count; index++) {
        int ready = (events[index].events & EPOLLIN ? CURL_CSELECT_IN : 0)
            | (events[index].events & EPOLLOUT ? CURL_CSELECT_OUT : 0)
            | (events[index].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(multi, events[index].data.fd, ready, &running);
    }
}

void fetch_all(const struct work *work, int at_once) {
    struct slot *slots = calloc(at_once, sizeof *slots);
    int begun = 0, left = work->count, queued;
    curl_global_init(CURL_GLOBAL_ALL);
    multi = curl_multi_init();
    sockets = epoll_create1(EPOLL_CLOEXEC);
    if (!slots || !multi || sockets < 0) fail("no memory");
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer_changed);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 4L * at_once);
    for (int index = 0; index < at_once && begun < work->count; index++) {
        set_up(&slots[index]);
        begin(&slots[index], work, begun++);
    }
    while (left > 0) {
        wait_for_sockets();
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &queued));) {
            if (message->msg != CURLMSG_DONE) continue;
            if (message->data.result != CURLE_OK) fail(curl_easy_strerror(message->data.result));
            struct slot *slot;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&slot);
            curl_multi_remove_handle(multi, slot->easy);
            place(slot->body);
            left--;
            if (begun < work->count) begin(slot, work, begun++);
        }
    }
}
