// A slow or failing disk, or one that another user changes, to be preloaded into a program. Three files, which are read again at each call,
// steer it while the program runs; without them nothing changes.
//
// SLOW_DISK_FILE names a file with the number of milliseconds that each fsync and fdatasync waits first.
//
// FAILING_DISK_FILE names a file of rules, one a line: CALL SUFFIX ERRNO EACH. The call fails with the number ERRNO if the path ends with
// SUFFIX, each EACH-th time that the rules are met. A CALL is sync (fsync, fdatasync), write (write, pwrite), truncate (ftruncate), open, link,
// rename or unlink; a link or a rename has the path of its new name.
//
// SWAPPED_FILE names a file with a rule: PART TARGET. A file that is created exclusively (O_EXCL), and whose path contains PART, is at once
// replaced by a symbolic link to TARGET, as the owner of its directory could do. The program's standard error then says so.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Reads the file that a variable of the environment names, as a text; 0 without one.
static int read_control(const char *variable, char *text, size_t room)
{
    const char *path = getenv(variable);
    int file = path == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t count = read(file, text, room - 1);
    syscall(SYS_close, file);
    text[count > 0 ? count : 0] = 0;
    return count > 0;
}

static int ends_with(const char *path, const char *suffix)
{
    size_t length = strlen(path), end = strlen(suffix);
    return length >= end && strcmp(path + length - end, suffix) == 0;
}

// Whether a call fails now; errno says why.
static int fails(const char *call, const char *path)
{
    static atomic_ulong met;
    char text[1024];
    int before = errno;
    if (!read_control("FAILING_DISK_FILE", text, sizeof text))
        return errno = before, 0;
    errno = before;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char name[16], suffix[64];
        int error;
        unsigned long each;
        if (sscanf(line, "%15s %63s %d %lu", name, suffix, &error, &each) != 4 || each == 0)
            continue;
        if (strcmp(name, call) != 0 || !ends_with(path, suffix))
            continue;
        if (++met % each == 0)
            return errno = error, 1;
    }
    return 0;
}

// Whether a call on an open file fails now.
static int fails_on(const char *call, int file)
{
    if (getenv("FAILING_DISK_FILE") == NULL)
        return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    int before = errno;
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = before;
    path[length > 0 ? length : 0] = 0;
    return length > 0 && fails(call, path);
}

static void wait_for_disk(void)
{
    char text[32];
    long milliseconds = read_control("SLOW_DISK_FILE", text, sizeof text) ? strtol(text, NULL, 10) : 0;
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (milliseconds > 0 && nanosleep(&left, &left) != 0) {
    }
}

int fsync(int file)
{
    wait_for_disk();
    return fails_on("sync", file) ? -1 : (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    wait_for_disk();
    return fails_on("sync", file) ? -1 : (int)syscall(SYS_fdatasync, file);
}

ssize_t write(int file, const void *bytes, size_t count)
{
    return fails_on("write", file) ? -1 : syscall(SYS_write, file, bytes, count);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset)
{
    return fails_on("write", file) ? -1 : syscall(SYS_pwrite64, file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset)
{
    return pwrite64(file, bytes, count, offset);
}

int ftruncate64(int file, off64_t length)
{
    return fails_on("truncate", file) ? -1 : (int)syscall(SYS_ftruncate, file, length);
}

int ftruncate(int file, off_t length)
{
    return ftruncate64(file, length);
}

// Replaces a file that was just created.
static int swap(int file, const char *path, int flags)
{
    char text[1024], part[128], target[512];
    int before = errno;
    if (file >= 0 && flags & O_EXCL && read_control("SWAPPED_FILE", text, sizeof text)
        && sscanf(text, "%127s %511s", part, target) == 2 && strstr(path, part) != NULL) {
        static const char mark[] = "slow-disk: replaced a new file\n";
        if (syscall(SYS_unlinkat, AT_FDCWD, path, 0) == 0 && syscall(SYS_symlinkat, target, AT_FDCWD, path) == 0)
            syscall(SYS_write, 2, mark, sizeof mark - 1);
    }
    errno = before;
    return file;
}

int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0;
    va_end(rest);
    return fails("open", path) ? -1 : swap((int)syscall(SYS_openat, AT_FDCWD, path, flags, mode), path, flags);
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0;
    va_end(rest);
    return open64(path, flags, mode);
}

int link(const char *path, const char *name)
{
    return fails("link", name) ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, name, 0);
}

int rename(const char *path, const char *name)
{
    return fails("rename", name) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, name, 0);
}

int unlink(const char *path)
{
    return fails("unlink", path) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
