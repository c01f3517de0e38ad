#define _GNU_SOURCE
#include "parts.h"

#include <sqlite3.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct work *work;
static sqlite3 *store;
static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static struct body *arrived;

static void run(const char *statement) {
    if (sqlite3_exec(store, statement, NULL, NULL, NULL) != SQLITE_OK) fail(sqlite3_errmsg(store));
}

static sqlite3_stmt *prepare(const char *text) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store, text, -1, &statement, NULL) != SQLITE_OK) fail(sqlite3_errmsg(store));
    return statement;
}

static void step(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_errmsg(store));
    sqlite3_reset(statement);
}

static struct body *next_batch(void) {
    pthread_mutex_lock(&lock);
    while (!arrived) pthread_cond_wait(&came, &lock);
    struct body *batch = arrived;
    arrived = NULL;
    pthread_mutex_unlock(&lock);
    return batch;
}

static void path_of(const struct body *body, char *path, size_t room) {
    snprintf(path, room, "%s%s", work->directory, strrchr(work->urls[body->index], '/'));
}

static void give_name(const struct body *body) {
    char path[4096], link[64];
    path_of(body, path, sizeof path);
    snprintf(link, sizeof link, "/proc/self/fd/%d", body->descriptor);
    if (linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) != 0) fail(path);
}

static void *place_all(void *unused) {
    sqlite3_stmt *update = prepare("update files set path = ?2 where id = ?1");
    for (int placed = 0; placed < work->count;) {
        struct body *batch = next_batch();
        for (struct body *body = batch; body; body = body->next) {
            body->descriptor = open(work->directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
            if (body->descriptor < 0) fail("no file can be made");
            if (pwrite(body->descriptor, body->bytes, body->length, 0) != (ssize_t)body->length) fail("no room");
        }
        if (syncfs(batch->descriptor) != 0) fail("syncing failed");
        for (struct body *body = batch; body; body = body->next) give_name(body);
        if (syncfs(batch->descriptor) != 0) fail("syncing failed");
        run("begin immediate");
        while (batch) {
            struct body *body = batch;
            char path[4096];
            batch = body->next;
            path_of(body, path, sizeof path);
            sqlite3_bind_int(update, 1, body->index);
            sqlite3_bind_text(update, 2, path, -1, SQLITE_STATIC);
            step(update);
            close(body->descriptor);
            free(body);
            placed++;
        }
        run("commit");
    }
    sqlite3_finalize(update);
    return unused;
}

void placing_begin(const struct work *all, const char *path) {
    work = all;
    if (sqlite3_open(path, &store) != SQLITE_OK) fail(path);
    run("pragma journal_mode = wal; pragma synchronous = full");
    run("create table files (id integer primary key, url text, path text)");
    sqlite3_stmt *insertion = prepare("insert into files values (?1, ?2, null)");
    run("begin immediate");
    for (int index = 0; index < work->count; index++) {
        sqlite3_bind_int(insertion, 1, index);
        sqlite3_bind_text(insertion, 2, work->urls[index], -1, SQLITE_STATIC);
        step(insertion);
    }
    run("commit");
    sqlite3_finalize(insertion);
    if (pthread_create(&thread, NULL, place_all, NULL) != 0) fail("no thread can be started");
}

void place(struct body *body) {
    pthread_mutex_lock(&lock);
    int is_first = !arrived;
    body->next = arrived;
    arrived = body;
    pthread_mutex_unlock(&lock);
    if (is_first) pthread_cond_signal(&came);
}

void placing_end(void) {
    pthread_join(thread, NULL);
    sqlite3_close(store);
}
