// Counts what the calling thread takes from the heap, and who asks: preloaded under the micro-benchmarks, which find the functions by
// their names. It stands before glibc's functions and hands on to them by the names that they have inside the library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// In the thread's static block: found in any other way, they could be allocated themselves.
#define PER_THREAD static _Thread_local __attribute__((tls_model("initial-exec")))
PER_THREAD bool is_counting;
PER_THREAD uint64_t own_count;
PER_THREAD uint64_t library_count;

// Counting looks up every caller, which takes long: it is switched on for counting only, never while time is measured.
void deskgate_allocations_start(void)
{
    own_count = library_count = 0;
    is_counting = true;
}

// Ends counting; `own` is what Swift code asked for, `libraries` what C libraries did.
void deskgate_allocations_stop(uint64_t *own, uint64_t *libraries)
{
    is_counting = false;
    *own = own_count;
    *libraries = library_count;
}

// Whether an address is code of the executable or of the Swift runtime, which may be linked into it.
static bool is_own(const void *caller)
{
    Dl_info module, executable;
    if (dladdr(caller, &module) == 0 || dladdr((const void *)getauxval(AT_ENTRY), &executable) == 0) {
        return true;
    }
    const char *slash = strrchr(module.dli_fname, '/');
    const char *name = slash == NULL ? module.dli_fname : slash + 1;
    return module.dli_fbase == executable.dli_fbase || strncmp(name, "libswift", strlen("libswift")) == 0;
}

static void count(const void *caller)
{
    if (is_counting) {
        *(is_own(caller) ? &own_count : &library_count) += 1;
    }
}

void *malloc(size_t size)
{
    count(__builtin_return_address(0));
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    count(__builtin_return_address(0));
    return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size)
{
    count(__builtin_return_address(0));
    return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count(__builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) {
        return EINVAL;
    }
    count(__builtin_return_address(0));
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL) {
        return ENOMEM;
    }
    *pointer = memory;
    return 0;
}
