#ifndef DESKGATE_COPENSSL_SHIM_H
#define DESKGATE_COPENSSL_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

#pragma clang assume_nonnull begin

// Keys an HMAC context, EVP_MAC-HMAC(7). Here and not in Swift because an OSSL_PARAM keeps pointers into
// its strings, which Swift's strings do not promise to outlive a call. Returns 1 on success.
static inline int deskgate_hmac_init(EVP_MAC_CTX *context, const char *digest, const unsigned char *key, size_t key_size)
{
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_init(context, key, key_size, parameters);
}

// Without a callback OpenSSL would ask the terminal for the passphrase of an encrypted key.
static inline int deskgate_no_passphrase(char *_Nullable buffer, int size, int writing, void *_Nullable context)
{
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

static inline EVP_PKEY *_Nullable deskgate_read_private_key(BIO *text)
{
    return PEM_read_bio_PrivateKey(text, NULL, deskgate_no_passphrase, NULL);
}

// Sets the flag when a passphrase is asked for, because OpenSSL's errors don't tell an encrypted key from a damaged one.
static inline int deskgate_note_passphrase(char *_Nullable buffer, int size, int writing, void *_Nullable is_encrypted)
{
    (void)buffer, (void)size, (void)writing;
    if (is_encrypted) *(int *)is_encrypted = 1;
    return -1;
}

static inline EVP_PKEY *_Nullable deskgate_read_plain_private_key(BIO *text, int *is_encrypted)
{
    return PEM_read_bio_PrivateKey(text, NULL, deskgate_note_passphrase, is_encrypted);
}

static inline EVP_PKEY *_Nullable deskgate_read_public_key(BIO *text)
{
    return PEM_read_bio_PUBKEY(text, NULL, deskgate_no_passphrase, NULL);
}

static inline X509 *_Nullable deskgate_read_certificate(BIO *text)
{
    return PEM_read_bio_X509(text, NULL, deskgate_no_passphrase, NULL);
}

#pragma clang assume_nonnull end

#endif
