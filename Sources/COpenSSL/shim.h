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
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdbool.h>

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

// Whether the last read has failed because no block of PEM is left.
static inline int deskgate_is_end_of_pem(void)
{
    return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
}

// When a certificate expires, in Unix seconds; -1 when that cannot be told. Days and seconds from 1970 spare a time zone.
static inline long long deskgate_not_after(const X509 *certificate)
{
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    int days = 0, seconds = 0;
    int known = epoch != NULL && ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(certificate));
    ASN1_TIME_free(epoch);
    return known ? days * 86400LL + seconds : -1;
}

// Whether a certificate names an address where its issuer's can be loaded (RFC 5280 section 4.2.2.1), as authorities of the web do.
static inline bool deskgate_names_issuer_address(const X509 *certificate)
{
    AUTHORITY_INFO_ACCESS *access = X509_get_ext_d2i(certificate, NID_info_access, NULL, NULL);
    bool names = false;
    for (int index = 0; index < sk_ACCESS_DESCRIPTION_num(access); index++) {
        const ACCESS_DESCRIPTION *description = sk_ACCESS_DESCRIPTION_value(access, index);
        names |= OBJ_obj2nid(description->method) == NID_ad_ca_issuers && description->location->type == GEN_URI;
    }
    AUTHORITY_INFO_ACCESS_free(access);
    return names;
}

// Whether the certificate that has issued this one is among those that the system trusts.
static inline bool deskgate_is_issuer_trusted(X509 *certificate)
{
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    X509 *issuer = NULL;
    bool is_trusted = store != NULL && context != NULL && X509_STORE_set_default_paths(store) == 1
        && X509_STORE_CTX_init(context, store, certificate, NULL) == 1
        && X509_STORE_CTX_get1_issuer(&issuer, context, certificate) == 1;
    X509_free(issuer);
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    return is_trusted;
}

// Writes the name of a certificate's issuer, as RFC 4514 has it: CN=R11,O=Let's Encrypt,C=US. Returns 1 on success.
static inline int deskgate_write_issuer(BIO *text, const X509 *certificate)
{
    return X509_NAME_print_ex(text, X509_get_issuer_name(certificate), 0, XN_FLAG_RFC2253) > 0;
}

// The TLS functions here are macros in OpenSSL, which Swift cannot see.

// Chooses HTTP/2 of what the client offers by ALPN, RFC 7301, and refuses a client that offers only others.
static inline int deskgate_select_http2(
    SSL *ssl, const unsigned char *_Nullable *_Nonnull chosen, unsigned char *chosen_size, const unsigned char *offered,
    unsigned int offered_size, void *_Nullable context)
{
    static const unsigned char http2[] = {2, 'h', '2'};
    (void)ssl, (void)context;
    int result = SSL_select_next_proto((unsigned char **)chosen, chosen_size, http2, sizeof http2, offered, offered_size);
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// A context for servers of TLS 1.2 or later that speak HTTP/2, or negotiate no protocol; null when memory is exhausted.
static inline SSL_CTX *_Nullable deskgate_tls_server_context(bool speaks_http2)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (context == NULL) {
        return NULL;
    }
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (speaks_http2) {
        SSL_CTX_set_alpn_select_cb(context, deskgate_select_http2, NULL);
    }
    return context;
}

// Takes over one certificate behind the server's own. Returns 1 on success.
static inline int deskgate_tls_add_chain_certificate(SSL_CTX *context, X509 *certificate)
{
    return (int)SSL_CTX_add0_chain_cert(context, certificate);
}

// A fresh key pair on the curve P-256; null on failure.
static inline EVP_PKEY *_Nullable deskgate_generate_p256(void)
{
    return EVP_EC_gen("P-256");
}

// A fresh RSA key pair; null on failure.
static inline EVP_PKEY *_Nullable deskgate_generate_rsa(size_t bits)
{
    return EVP_RSA_gen(bits);
}

// Adds one extension, worded as in x509v3_config(5). Returns 1 on success.
static inline int deskgate_add_extension(X509 *certificate, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    int added = extension != NULL && X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

static inline int deskgate_write_private_key(BIO *text, EVP_PKEY *key)
{
    return PEM_write_bio_PrivateKey(text, key, NULL, NULL, 0, NULL, NULL);
}

// The bytes of a memory BIO, which stay its own.
static inline size_t deskgate_bio_bytes(BIO *bio, const unsigned char *_Nullable *_Nonnull bytes)
{
    char *data = NULL;
    long count = BIO_get_mem_data(bio, &data);
    *bytes = (const unsigned char *)data;
    return count > 0 ? (size_t)count : 0;
}

#pragma clang assume_nonnull end

#endif
