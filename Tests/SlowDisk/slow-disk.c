// A slow disk: preloaded, it makes a program wait before each fsync and fdatasync. How many milliseconds is read, each time, from the file
// that SLOW_DISK_FILE names, so that a disk can begin to hang while the program runs; without that file there is no wait.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wait_for_disk(void)
{
    const char *path = getenv("SLOW_DISK_FILE");
    char text[32] = {0};
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    long milliseconds = count > 0 ? strtol(text, NULL, 10) : 0;
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (milliseconds > 0 && nanosleep(&left, &left) != 0) {
    }
}

int fsync(int file)
{
    wait_for_disk();
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    wait_for_disk();
    return (int)syscall(SYS_fdatasync, file);
}
