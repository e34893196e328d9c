#ifndef DESKGATE_CJANSSON_SHIM_H
#define DESKGATE_CJANSSON_SHIM_H

#include <jansson.h>

// jansson uses one name for an enum and for the function that returns it; in Swift the enum hides the function.
static inline enum json_error_code deskgate_json_error_code(const json_error_t *_Nonnull error) {
    return json_error_code(error);
}

#endif
