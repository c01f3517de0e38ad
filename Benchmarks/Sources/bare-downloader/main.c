#define _GNU_SOURCE
// The least that a durable download of many small files costs: libcurl, one thread that places and syncs, and a row for each file.
// No service, no retries, no validators, one directory. Usage: bare-downloader LIST DIRECTORY STORE AT-ONCE
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

void fail(const char *what) {
    fprintf(stderr, "bare-downloader: %s\n", what);
    exit(1);
}

static char **read_list(const char *path, int *count) {
    FILE *file = fopen(path, "re");
    char **urls = NULL, *line = NULL;
    size_t room = 0;
    ssize_t length;
    if (!file) fail(path);
    for (*count = 0; (length = getline(&line, &room, file)) > 1; ++*count) {
        urls = realloc(urls, (*count + 1) * sizeof *urls);
        line[strcspn(line, "\r\n")] = 0;
        if (!urls || !strrchr(line, '/')) fail("a line is no URL");
        urls[*count] = strdup(line);
    }
    free(line);
    fclose(file);
    return urls;
}

int main(int argc, char **argv) {
    if (argc != 5 || atoi(argv[4]) < 1) fail("usage: bare-downloader LIST DIRECTORY STORE AT-ONCE");
    struct work work = {.directory = argv[2]};
    work.urls = read_list(argv[1], &work.count);
    placing_begin(&work, argv[3]);
    fetch_all(&work, atoi(argv[4]));
    placing_end();
    return 0;
}
