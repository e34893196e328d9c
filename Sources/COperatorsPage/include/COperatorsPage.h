#ifndef C_OPERATORS_PAGE_H
#define C_OPERATORS_PAGE_H

#include <stddef.h>

/// One file of the operators' page.
struct shim_page_file {
    /// Its name, as in the folder.
    const char *name;
    /// What it holds.
    const unsigned char *bytes;
    size_t count;
};

/// How many files there are.
size_t shim_page_count(void);

/// A file; it stays for the life of the process.
struct shim_page_file shim_page_file(size_t index);

#endif
