#define _GNU_SOURCE
// The minimum cost of an HTTP upload: one request, its body by sendfile, one response. No service, no record, no
// retries. Usage: bare-uploader FILE PORT
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void fail(const char *what) {
    perror(what);
    exit(1);
}

static int connect_to(const char *port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0 || connect(socket_, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
    return socket_;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fputs("usage: bare-uploader FILE PORT\n", stderr);
        return 2;
    }
    struct stat status;
    int file = open(argv[1], O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) < 0) fail(argv[1]);
    int peer = connect_to(argv[2]);
    dprintf(peer, "PUT /bare HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nContent-Length: %lld\r\n\r\n", argv[2],
        (long long)status.st_size);
    for (off_t sent = 0; sent < status.st_size;) {
        ssize_t count = sendfile(peer, file, &sent, (size_t)(status.st_size - sent));
        if (count < 0) fail("sendfile");
        if (count == 0) {
            fprintf(stderr, "%s became shorter\n", argv[1]);
            return 1;
        }
    }
    char answer[512];
    ssize_t length = recv(peer, answer, sizeof answer - 1, 0);
    if (length < 0) fail("recv");
    answer[length] = 0;
    if (strncmp(answer, "HTTP/1.1 2", 10) != 0) {
        fprintf(stderr, "the server did not take it: %.60s\n", answer);
        return 1;
    }
    return 0;
}
