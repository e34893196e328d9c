#include "security_key.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

enum {
    PREFIX_LENGTH = 5,
    ENCODED_LENGTH = 84,
    HEAD_LENGTH = 31,
    MAC_LENGTH = 32,
    DECODED_LENGTH = HEAD_LENGTH + MAC_LENGTH,
    APP_ID_UNITS = 255,
    USER_ID_UNITS = 100,
    // A UTF-16 code unit is at most three bytes of UTF-8.
    LARGEST_MESSAGE = 14 + HEAD_LENGTH + 4 + 3 * APP_ID_UNITS + 4 + 3 * USER_ID_UNITS,
    CLOCK_SKEW = 60
};

static const char domain[14] = {'d', 'e', 's', 'k', 'g', 'a', 't', 'e', '/', 's', 'k', '/', 'v', '1'};

static EVP_MAC *hmac;
static signed char sextets[256];

bool security_key_setup(void)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    memset(sextets, -1, sizeof sextets);
    for (int i = 0; i < 64; i++) {
        sextets[(unsigned char)alphabet[i]] = (signed char)i;
    }
    hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    return hmac != NULL;
}

bool base64url_decode(const char *characters, size_t length, unsigned char *bytes)
{
    unsigned accumulator = 0, bits = 0;
    int invalid = 0;
    for (size_t i = 0; i < length; i++) {
        int sextet = sextets[(unsigned char)characters[i]];
        invalid |= sextet;
        accumulator = accumulator << 6 | (unsigned)(sextet & 63);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            *bytes++ = (unsigned char)(accumulator >> bits);
        }
    }
    return invalid >= 0;
}

// The text is valid UTF-8 already: jansson refuses anything else.
static bool is_identifier(struct text text, size_t largest)
{
    size_t units = 0;
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if (byte < 0x20 || byte == 0x7f) {
            return false;
        }
        units += (byte & 0xc0) != 0x80;
        units += byte >= 0xf0;
    }
    return units > 0 && units <= largest;
}

static bool decode_key(struct text key, unsigned char decoded[DECODED_LENGTH])
{
    return key.length == PREFIX_LENGTH + ENCODED_LENGTH && memcmp(key.bytes, "dgk1.", PREFIX_LENGTH) == 0
        && base64url_decode(key.bytes + PREFIX_LENGTH, ENCODED_LENGTH, decoded) && decoded[0] == 0;
}

static uint64_t big_endian(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++) {
        value = value << 8 | bytes[i];
    }
    return value;
}

// The index of the stand-in, which is `count`, when there is no such credential.
static size_t find(const struct keyring *keyring, struct text app_id, uint32_t key_id)
{
    for (size_t i = 0; i < keyring->count; i++) {
        const struct credential *credential = &keyring->credentials[i];
        if (credential->key_id == key_id && credential->app_id.length == app_id.length
            && memcmp(credential->app_id.bytes, app_id.bytes, app_id.length) == 0) {
            return i;
        }
    }
    return keyring->count;
}

// Each thread keys a context once a secret and afterwards only rewinds it: two SHA-256 blocks less a request than
// keying anew, and no allocation, unlike duplicating a shared context.
static EVP_MAC_CTX *keyed_context(const struct keyring *keyring, size_t index)
{
    static _Thread_local EVP_MAC_CTX **contexts;
    if (contexts == NULL && (contexts = calloc(keyring->count + 1, sizeof *contexts)) == NULL) {
        return NULL;
    }
    if (contexts[index] != NULL) {
        return EVP_MAC_init(contexts[index], NULL, 0, NULL) ? contexts[index] : NULL;
    }
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0), OSSL_PARAM_construct_end()};
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
    if (context == NULL || !EVP_MAC_init(context, keyring->credentials[index].secret, SECRET_LENGTH, parameters)) {
        EVP_MAC_CTX_free(context);
        return NULL;
    }
    return contexts[index] = context;
}

static unsigned char *append_field(unsigned char *end, struct text field)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        *end++ = (unsigned char)(field.length >> shift);
    }
    memcpy(end, field.bytes, field.length);
    return end + field.length;
}

static bool compute_mac(EVP_MAC_CTX *context, const unsigned char *head, struct text app_id, struct text user_id, unsigned char *mac)
{
    unsigned char message[LARGEST_MESSAGE];
    memcpy(message, domain, sizeof domain);
    memcpy(message + sizeof domain, head, HEAD_LENGTH);
    unsigned char *end = append_field(message + sizeof domain + HEAD_LENGTH, app_id);
    end = append_field(end, user_id);
    size_t length = 0;
    return EVP_MAC_update(context, message, (size_t)(end - message)) && EVP_MAC_final(context, mac, &length, MAC_LENGTH)
        && length == MAC_LENGTH;
}

enum verdict judge(const struct keyring *keyring, struct text app_id, struct text user_id, struct text security_key, uint64_t now)
{
    unsigned char decoded[DECODED_LENGTH], mac[MAC_LENGTH];
    if (!is_identifier(app_id, APP_ID_UNITS)) {
        return MALFORMED_APP_ID;
    }
    if (!is_identifier(user_id, USER_ID_UNITS)) {
        return MALFORMED_USER_ID;
    }
    if (!decode_key(security_key, decoded)) {
        return MALFORMED_SECURITY_KEY;
    }
    size_t index = find(keyring, app_id, (uint32_t)big_endian(decoded + 1, 4));
    EVP_MAC_CTX *context = keyed_context(keyring, index);
    if (context == NULL || !compute_mac(context, decoded, app_id, user_id, mac)) {
        return FAILED;
    }
    bool authentic = CRYPTO_memcmp(mac, decoded + HEAD_LENGTH, MAC_LENGTH) == 0;
    if (!authentic || index == keyring->count) {
        return DENIED;
    }
    uint64_t issued_at = big_endian(decoded + 5, 5), expires_at = big_endian(decoded + 10, 5);
    bool timely = issued_at <= now + CLOCK_SKEW && (expires_at == 0 || now <= expires_at + CLOCK_SKEW);
    return timely ? AUTHORIZED : DENIED;
}
