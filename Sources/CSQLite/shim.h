#ifndef DESKGATE_CSQLITE_SHIM_H
#define DESKGATE_CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT, which has the value copied, is a cast that Swift does not see. A pointer of NULL would bind NULL instead of an
// empty value, and Swift may have none for what is empty.
static inline int deskgate_sqlite_bind_text(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int deskgate_sqlite_bind_blob(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// Swift sees no macro that computes.
enum { DESKGATE_SQLITE_ABORT_ROLLBACK = SQLITE_ABORT_ROLLBACK };

// Writes to the disk what the system still keeps of the database file, without its log. Closing a descriptor of our own would drop SQLite's
// locks (<https://www.sqlite.org/howtocorrupt.html> section 2.2), so SQLite's is used.
static inline int deskgate_sqlite_sync_database(sqlite3 *_Nonnull connection) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK) return code;
    return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

// The size of the write-ahead log's file; 0 for a database without one.
static inline int deskgate_sqlite_log_size(sqlite3 *_Nonnull connection, sqlite3_int64 *_Nonnull size) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (code != SQLITE_OK) return code;
    if (file->pMethods) return file->pMethods->xFileSize(file, size);
    *size = 0;
    return SQLITE_OK;
}

// Swift sees no variadic function.
static inline int deskgate_sqlite_configure(sqlite3 *_Nonnull connection, int option, int is_on) {
    return sqlite3_db_config(connection, option, is_on, (int *)0);
}

#endif
