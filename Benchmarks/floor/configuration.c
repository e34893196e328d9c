#define _GNU_SOURCE
#include "configuration.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENCODED_SECRET_LENGTH = 43 };

static bool read_secret(const char *directory, const char *file, unsigned char secret[SECRET_LENGTH])
{
    char path[PATH_MAX], encoded[ENCODED_SECRET_LENGTH];
    if (snprintf(path, sizeof path, "%s/%s", directory, file) >= (int)sizeof path) {
        return false;
    }
    FILE *stream = fopen(path, "r");
    if (stream == NULL) {
        return false;
    }
    bool complete = fread(encoded, 1, sizeof encoded, stream) == sizeof encoded;
    fclose(stream);
    return complete && base64url_decode(encoded, sizeof encoded, secret);
}

static bool read_address(json_t *root, struct sockaddr_in *address)
{
    const char *host;
    int port;
    if (json_unpack(root, "{s:{s:s,s:i}}", "listen", "host", &host, "port", &port) != 0) {
        return false;
    }
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    return inet_pton(AF_INET, host, &address->sin_addr) == 1;
}

static bool add_credential(struct keyring *keyring, const char *directory, const char *app_id, json_t *key)
{
    json_int_t id;
    const char *file;
    if (json_unpack(key, "{s:I,s:{s:s}}", "id", &id, "secret", "file", &file) != 0) {
        return false;
    }
    struct credential *credential = &keyring->credentials[keyring->count++];
    credential->app_id = (struct text){app_id, strlen(app_id)};
    credential->key_id = (uint32_t)id;
    return read_secret(directory, file, credential->secret);
}

static bool read_keyring(json_t *root, const char *directory, struct keyring *keyring)
{
    json_t *apps = json_object_get(root, "apps"), *app, *key;
    size_t app_index, key_index, keys = 0;
    json_array_foreach(apps, app_index, app) {
        keys += json_array_size(json_object_get(app, "keys"));
    }
    keyring->credentials = calloc(keys + 1, sizeof *keyring->credentials);
    if (keyring->credentials == NULL) {
        return false;
    }
    json_array_foreach(apps, app_index, app) {
        const char *app_id = json_string_value(json_object_get(app, "app_id"));
        json_array_foreach(json_object_get(app, "keys"), key_index, key) {
            if (app_id == NULL || !add_credential(keyring, directory, app_id, key)) {
                return false;
            }
        }
    }
    return RAND_bytes(keyring->credentials[keyring->count].secret, SECRET_LENGTH) == 1;
}

static bool read_journal(json_t *root, const char *directory, const char **journal)
{
    const char *store = NULL;
    json_unpack(root, "{s:{s:s}}", "store", "path", &store);
    char *path = NULL;
    if (store != NULL && asprintf(&path, "%s/%s-journal", directory, store) < 0) {
        return false;
    }
    *journal = path;
    return true;
}

bool configuration_read(const char *path, struct configuration *configuration)
{
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        fprintf(stderr, "floor: %s:%d: %s\n", path, error.line, error.text);
        return false;
    }
    // The document stays loaded as long as the process lives: the keyring points into it.
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    const char *directory = dirname(copy);
    if (!read_address(root, &configuration->address) || !read_keyring(root, directory, &configuration->keyring)
        || !read_journal(root, directory, &configuration->journal)) {
        fprintf(stderr, "floor: %s: listen, an app or a secret is not usable\n", path);
        return false;
    }
    return true;
}
