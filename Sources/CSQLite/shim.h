#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift cannot import.
static inline sqlite3_destructor_type longhaul_sqlite_copies(void) { return SQLITE_TRANSIENT; }

// Sets whether the last connection to close copies the log to the store and deletes it; Swift cannot call variadics.
static inline int longhaul_sqlite_keep_log(sqlite3 *connection, int keeps) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}
