// The verdict on a security key, in C: what Deskgate's authorizer decides, without anything around it.
#ifndef FLOOR_SECURITY_KEY_H
#define FLOOR_SECURITY_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SECRET_LENGTH = 32 };

// Bytes with a length: JSON strings may hold NUL.
struct text {
    const char *bytes;
    size_t length;
};

struct credential {
    struct text app_id;
    uint32_t key_id;
    unsigned char secret[SECRET_LENGTH];
};

// The credentials, followed by one with a random secret that stands in for an unknown app or key id.
struct keyring {
    struct credential *credentials;
    size_t count;
};

enum verdict {
    AUTHORIZED,
    DENIED,
    MALFORMED_BODY,
    MALFORMED_APP_ID,
    MALFORMED_USER_ID,
    MALFORMED_SECURITY_KEY,
    FAILED,
    VERDICT_COUNT
};

// Fetches the MAC algorithm; called once, before any thread judges.
bool security_key_setup(void);

// Decodes exactly `length` base64url characters without padding; false when one is outside the alphabet.
bool base64url_decode(const char *characters, size_t length, unsigned char *bytes);

enum verdict judge(const struct keyring *keyring, struct text app_id, struct text user_id, struct text security_key, uint64_t now);

#endif
