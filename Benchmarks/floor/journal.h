// A journal that many requests share: what waits becomes durable with one write and one fdatasync.
#ifndef FLOOR_JOURNAL_H
#define FLOOR_JOURNAL_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

// One request's record. The journal points to it from `journal_submit` until it resumes the connection.
struct journal_entry {
    struct journal_entry *next;
    struct MHD_Connection *connection;
    const char *bytes;
    size_t length;
    bool stored;
};

// Makes a file of zeros and starts the thread that writes over them; false, after a line on standard error, when it cannot.
bool journal_start(const char *path);

// Hands over a record of a suspended connection. When the record is durable, or could not be stored, the connection is resumed.
void journal_submit(struct journal_entry *entry);

#endif
