#define _GNU_SOURCE
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// The file is written over from its start when it is full, so that no write has to allocate blocks.
enum { FILE_SIZE = 64 * 1024 * 1024, CHUNK = 1024 * 1024, LARGEST_GROUP = 512 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static struct journal_entry *first, **last = &first;
static int file;
static off_t position;

void journal_submit(struct journal_entry *entry)
{
    entry->next = NULL;
    entry->stored = false;
    pthread_mutex_lock(&lock);
    bool was_empty = first == NULL;
    *last = entry;
    last = &entry->next;
    pthread_mutex_unlock(&lock);
    if (was_empty) {
        pthread_cond_signal(&arrived);
    }
}

static struct journal_entry *take_all(void)
{
    pthread_mutex_lock(&lock);
    while (first == NULL) {
        pthread_cond_wait(&arrived, &lock);
    }
    struct journal_entry *taken = first;
    first = NULL;
    last = &first;
    pthread_mutex_unlock(&lock);
    return taken;
}

static bool store(const struct iovec *parts, int count, size_t total)
{
    if (position + (off_t)total > FILE_SIZE) {
        position = 0;
    }
    if (pwritev(file, parts, count, position) != (ssize_t)total || fdatasync(file) != 0) {
        return false;
    }
    position += (off_t)total;
    return true;
}

// Stores the first entries of a list with one write, resumes them, and returns the rest.
static struct journal_entry *store_group(struct journal_entry *group)
{
    struct iovec parts[LARGEST_GROUP];
    size_t total = 0;
    int count = 0;
    struct journal_entry *rest = group;
    for (; rest != NULL && count < LARGEST_GROUP; rest = rest->next) {
        parts[count++] = (struct iovec){(void *)rest->bytes, rest->length};
        total += rest->length;
    }
    bool stored = store(parts, count, total);
    while (group != rest) {
        // A resumed connection may end, and its entry with it, before this thread goes on.
        struct journal_entry *next = group->next;
        group->stored = stored;
        MHD_resume_connection(group->connection);
        group = next;
    }
    return rest;
}

static void *write_groups(void *context)
{
    (void)context;
    while (true) {
        struct journal_entry *rest = take_all();
        while (rest != NULL) {
            rest = store_group(rest);
        }
    }
    return NULL;
}

static bool fill(void)
{
    char *zeros = calloc(1, CHUNK);
    bool filled = zeros != NULL;
    for (off_t offset = 0; filled && offset < FILE_SIZE; offset += CHUNK) {
        filled = pwrite(file, zeros, CHUNK, offset) == CHUNK;
    }
    free(zeros);
    return filled && fsync(file) == 0;
}

bool journal_start(const char *path)
{
    file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pthread_t thread;
    if (file < 0 || !fill() || pthread_create(&thread, NULL, write_groups, NULL) != 0) {
        fprintf(stderr, "floor: %s: %s\n", path, strerror(errno));
        return false;
    }
    return true;
}
