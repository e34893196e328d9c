// prctl is variadic, which Swift cannot call, and Glibc's module leaves statfs, signalfd and the resolver's state out. Each wrapper carries the name of the function that it wraps
// behind the prefix shim_.
#ifndef DESKGATE_CPOSIX_SHIM_H
#define DESKGATE_CPOSIX_SHIM_H

#include <linux/magic.h>
#include <netinet/in.h>
#include <resolv.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/statfs.h>
#include <sys/timex.h>

// A descriptor from which the signals of a set are read: each read gives one, or fails at once when there is none.
static inline int shim_signalfd(const sigset_t *set) {
    return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static inline int shim_prctl_set_dumpable(int dumpable) {
    return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
}

// Whether an open file lies on a file system in memory that is mounted read-only: 1 or 0.
static inline int shim_fstatfs_is_read_only_memory(int descriptor) {
    // ST_RDONLY of statvfs(3), whose header would take that function from Glibc's module.
    const long read_only = 1;
    struct statfs kind;
    if (fstatfs(descriptor, &kind) < 0) {
        return 0;
    }
    return (kind.f_type == TMPFS_MAGIC || kind.f_type == RAMFS_MAGIC) && (kind.f_flags & read_only) != 0;
}

// Whether the files at a path are in memory: 1 or 0.
static inline int shim_statfs_is_memory(const char *path) {
    struct statfs kind;
    return statfs(path, &kind) == 0 && (kind.f_type == TMPFS_MAGIC || kind.f_type == RAMFS_MAGIC);
}

// Whether the kernel's clock is synchronised: 1 or 0, or -1 when the kernel does not tell.
static inline int shim_adjtimex_is_synchronised(void) {
    struct timex clock = {0};
    const int state = adjtimex(&clock);
    if (state < 0) {
        return -1;
    }
    return state != TIME_ERROR && (clock.status & STA_UNSYNC) == 0;
}

// Has the names that this thread resolves be asked of one name server, an IPv4 address and port in the host's byte order, whatever
// resolv.conf says (resolver(3)): 1, or 0 when there is no memory.
static inline int shim_res_use_server(uint32_t address, uint16_t port) {
    if (res_ninit(&_res) != 0) {
        return 0;
    }
    // Seconds. The server is on this machine, so it may be late but loses no question; it must not be asked again meanwhile.
    _res.retrans = 60;
    _res.nscount = 1;
    _res.nsaddr_list[0].sin_family = AF_INET;
    _res.nsaddr_list[0].sin_port = htons(port);
    _res.nsaddr_list[0].sin_addr.s_addr = htonl(address);
    return 1;
}

#endif
