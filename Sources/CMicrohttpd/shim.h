// MHD_start_daemon and MHD_get_connection_info are variadic, which Swift cannot call. Each wrapper carries the name of
// the function that it wraps behind the prefix shim_, and says which pointers may be null.
#ifndef DESKGATE_CMICROHTTPD_SHIM_H
#define DESKGATE_CMICROHTTPD_SHIM_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#pragma clang assume_nonnull begin

typedef enum MHD_Result (*shim_AccessHandler)(void *_Nullable context, struct MHD_Connection *connection, const char *url,
                                              const char *method, const char *version, const char *_Nullable upload,
                                              size_t *upload_size, void *_Nullable *_Nonnull request);
typedef void (*shim_RequestCompleted)(void *_Nullable context, struct MHD_Connection *connection,
                                      void *_Nullable *_Nonnull request, enum MHD_RequestTerminationCode code);
typedef void (*shim_NotifyConnection)(void *_Nullable context, struct MHD_Connection *connection,
                                      void *_Nullable *_Nonnull socket_context, enum MHD_ConnectionNotificationCode code);
typedef void *_Nullable (*shim_RequestLine)(void *_Nullable context, const char *uri, struct MHD_Connection *connection);
typedef void (*shim_Log)(void *_Nullable context, const char *_Nullable format, va_list arguments);
typedef size_t (*shim_Unescape)(void *_Nullable context, struct MHD_Connection *_Nullable connection, char *text);

// What gnutls_certificate_retrieve_function2 is, with its pointers untyped.
typedef int (*shim_PresentIdentity)(void *session, const void *_Nullable authorities, int authority_count,
                                    const void *_Nullable algorithms, int algorithm_count, void *_Nullable *_Nonnull chain,
                                    unsigned int *chain_count, void *_Nullable *_Nonnull key);

// A certificate chain with its private key as GnuTLS wants them, and those that it has replaced.
struct shim_Identity {
    gnutls_pcert_st chain[16];
    unsigned int count;
    gnutls_privkey_t _Nullable key;
    struct shim_Identity *_Nullable previous;
};

static inline void shim_identity_free(struct shim_Identity *_Nullable identity) {
    while (identity) {
        struct shim_Identity *_Nullable previous = identity->previous;
        for (unsigned int index = 0; index < identity->count; index++) {
            gnutls_pcert_deinit(&identity->chain[index]);
        }
        if (identity->key) {
            gnutls_privkey_deinit(identity->key);
        }
        free(identity);
        identity = previous;
    }
}

// Whether a private key is the one that the first certificate of a chain is for.
static inline int shim_identity_matches(struct shim_Identity *identity) {
    unsigned char of_certificate[64], of_key[64];
    size_t certificate_size = sizeof of_certificate, key_size = sizeof of_key;
    gnutls_pubkey_t key = NULL;
    if (gnutls_pubkey_init(&key) != GNUTLS_E_SUCCESS) {
        return 0;
    }
    int matches = gnutls_pubkey_import_privkey(key, identity->key, 0, 0) == GNUTLS_E_SUCCESS &&
                  gnutls_pubkey_get_key_id(key, GNUTLS_KEYID_USE_SHA256, of_key, &key_size) == GNUTLS_E_SUCCESS &&
                  gnutls_pubkey_get_key_id(identity->chain[0].pubkey, GNUTLS_KEYID_USE_SHA256, of_certificate,
                                           &certificate_size) == GNUTLS_E_SUCCESS &&
                  key_size == certificate_size && memcmp(of_key, of_certificate, key_size) == 0;
    gnutls_pubkey_deinit(key);
    return matches;
}

// From a PEM chain and a PEM key; NULL when GnuTLS cannot use them.
static inline struct shim_Identity *_Nullable shim_identity_load(const char *certificate, const char *key) {
    struct shim_Identity *identity = (struct shim_Identity *)calloc(1, sizeof *identity);
    if (!identity) {
        return NULL;
    }
    gnutls_datum_t chain = {(unsigned char *)certificate, (unsigned int)strlen(certificate)};
    gnutls_datum_t secret = {(unsigned char *)key, (unsigned int)strlen(key)};
    unsigned int count = sizeof identity->chain / sizeof identity->chain[0];
    if (gnutls_pcert_list_import_x509_raw(identity->chain, &count, &chain, GNUTLS_X509_FMT_PEM, 0) == GNUTLS_E_SUCCESS) {
        identity->count = count;
    }
    if (identity->count == 0 || gnutls_privkey_init(&identity->key) != GNUTLS_E_SUCCESS ||
        gnutls_privkey_import_x509_raw(identity->key, &secret, GNUTLS_X509_FMT_PEM, NULL, 0) != GNUTLS_E_SUCCESS ||
        !shim_identity_matches(identity)) {
        shim_identity_free(identity);
        return NULL;
    }
    return identity;
}

static inline void *shim_identity_chain(struct shim_Identity *identity) {
    return identity->chain;
}

static inline void *_Nullable shim_identity_key(struct shim_Identity *identity) {
    return identity->key;
}

// From PEM certificates; NULL when GnuTLS cannot read one, or there is none.
static inline gnutls_x509_trust_list_t _Nullable shim_authorities_load(const char *certificates) {
    gnutls_x509_trust_list_t list = NULL;
    gnutls_datum_t text = {(unsigned char *)certificates, (unsigned int)strlen(certificates)};
    if (gnutls_x509_trust_list_init(&list, 0) != GNUTLS_E_SUCCESS) {
        return NULL;
    }
    if (gnutls_x509_trust_list_add_trust_mem(list, &text, NULL, GNUTLS_X509_FMT_PEM, 0, 0) <= 0) {
        gnutls_x509_trust_list_deinit(list, 1);
        return NULL;
    }
    return list;
}

static inline void shim_authorities_free(gnutls_x509_trust_list_t list) {
    gnutls_x509_trust_list_deinit(list, 1);
}

// Has a handshake ask for a client certificate, which the client may leave out. The list of authorities that it accepts stays empty.
static inline void shim_request_certificate(void *session) {
    gnutls_certificate_server_set_request((gnutls_session_t)session, GNUTLS_CERT_REQUEST);
}

enum shim_PeerCertificate {
    SHIM_PEER_TRUSTED,
    SHIM_PEER_MISSING,
    SHIM_PEER_EXPIRED,
    SHIM_PEER_UNTRUSTED,
    // Nobody can tell.
    SHIM_PEER_UNKNOWN,
};

// What the chain that a client has shown in its handshake proves. GnuTLS has checked there that the client has the key.
static inline int shim_peer_certificate(struct MHD_Connection *connection, gnutls_x509_trust_list_t authorities) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    if (!info || !info->tls_session) {
        return SHIM_PEER_UNKNOWN;
    }
    unsigned int shown = 0, count = 0, status = 0;
    const gnutls_datum_t *certificates = gnutls_certificate_get_peers((gnutls_session_t)info->tls_session, &shown);
    if (!certificates || shown == 0) {
        return SHIM_PEER_MISSING;
    }
    gnutls_x509_crt_t chain[16];
    int result = shown > sizeof chain / sizeof chain[0] ? SHIM_PEER_UNTRUSTED : SHIM_PEER_TRUSTED;
    while (result == SHIM_PEER_TRUSTED && count < shown) {
        if (gnutls_x509_crt_init(&chain[count]) != GNUTLS_E_SUCCESS) {
            result = SHIM_PEER_UNKNOWN;
            break;
        }
        count++;
        if (gnutls_x509_crt_import(chain[count - 1], &certificates[count - 1], GNUTLS_X509_FMT_DER) != GNUTLS_E_SUCCESS) {
            result = SHIM_PEER_UNTRUSTED;
        }
    }
    if (result == SHIM_PEER_TRUSTED) {
        gnutls_typed_vdata_st client = {GNUTLS_DT_KEY_PURPOSE_OID, (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT, 0};
        // Medium: RSA keys of 2048 bits and more, and no SHA-1.
        unsigned int flags = GNUTLS_PROFILE_TO_VFLAGS(GNUTLS_PROFILE_MEDIUM);
        if (gnutls_x509_trust_list_verify_crt2(authorities, chain, count, &client, 1, flags, &status, NULL) != GNUTLS_E_SUCCESS) {
            result = SHIM_PEER_UNKNOWN;
        } else if (status == (GNUTLS_CERT_INVALID | GNUTLS_CERT_EXPIRED)) {
            result = SHIM_PEER_EXPIRED;
        } else if (status != 0) {
            result = SHIM_PEER_UNTRUSTED;
        }
    }
    for (unsigned int index = 0; index < count; index++) {
        gnutls_x509_crt_deinit(chain[index]);
    }
    return result;
}

// The connection that a TLS session is for, which libmicrohttpd sets for its own callbacks.
static inline struct MHD_Connection *_Nullable shim_MHD_connection_of_session(void *session) {
    return (struct MHD_Connection *)gnutls_session_get_ptr((gnutls_session_t)session);
}

struct shim_DaemonSettings {
    int listen_socket;
    unsigned int threads;
    unsigned int connection_limit;
    unsigned int idle_timeout_seconds;
    size_t connection_memory;
    // NULL for plain HTTP.
    shim_PresentIdentity _Nullable present_identity;
    shim_AccessHandler access_handler;
    shim_RequestCompleted request_completed;
    shim_NotifyConnection notify_connection;
    shim_RequestLine request_line;
    shim_Unescape unescape;
    shim_Log log;
    void *context;
};

static inline struct MHD_Daemon *_Nullable shim_MHD_start_daemon(const struct shim_DaemonSettings *settings) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)settings->present_identity},
        // Authenticated encryption only, with forward secrecy: no CBC, no SHA-1.
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-MAC-ALL:+AEAD:-RSA"},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem pool[] = {
        {MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)settings->threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    if (settings->present_identity) {
        flags |= MHD_USE_TLS;
    }
    return MHD_start_daemon(
        flags, 0, NULL, NULL, (MHD_AccessHandlerCallback)settings->access_handler, settings->context,
        // First, so that it has what the others have to say.
        MHD_OPTION_EXTERNAL_LOGGER, (MHD_LogCallback)settings->log, settings->context,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket)settings->listen_socket,
        MHD_OPTION_CONNECTION_LIMIT, settings->connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_timeout_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory,
        MHD_OPTION_THREAD_STACK_SIZE, (size_t)(512 * 1024),
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_NOTIFY_COMPLETED, (MHD_RequestCompletedCallback)settings->request_completed, settings->context,
        MHD_OPTION_NOTIFY_CONNECTION, (MHD_NotifyConnectionCallback)settings->notify_connection, settings->context,
        MHD_OPTION_URI_LOG_CALLBACK, settings->request_line, settings->context,
        MHD_OPTION_UNESCAPE_CALLBACK, settings->unescape, settings->context,
        // A pool of one is refused by the library, whose single internal thread is the same thing.
        MHD_OPTION_ARRAY, settings->threads > 1 ? pool : none,
        MHD_OPTION_ARRAY, settings->present_identity ? tls : none,
        MHD_OPTION_END);
}

// Glibc shows sched_getaffinity only to sources that ask for GNU extensions, which Swift's importer doesn't.
extern int sched_getaffinity(int process, size_t size, void *mask);

static inline unsigned int shim_available_processors(void) {
    unsigned long mask[128] = {0};
    unsigned int count = 0;
    if (sched_getaffinity(0, sizeof mask, mask) < 0) {
        return 1;
    }
    for (size_t word = 0; word < sizeof mask / sizeof mask[0]; word++) {
        count += (unsigned int)__builtin_popcountl(mask[word]);
    }
    return count > 0 ? count : 1;
}

static inline void *_Nullable shim_MHD_get_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static inline const struct sockaddr *_Nullable shim_MHD_get_client_address(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

static inline int shim_MHD_get_connection_fd(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline size_t shim_MHD_get_request_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

// Whether a peer has sent anything, where the system knows: 0 or 1.
static inline int shim_has_received(int descriptor) {
    // The beginning of tcp_info in linux/tcp.h, which collides with netinet/tcp.h, whose tcp_info ends earlier.
    struct {
        char before[128];
        uint64_t bytes_received;
    } info;
    socklen_t size = sizeof info;
    return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) < 0 || size < sizeof info || info.bytes_received > 0;
}

#pragma clang assume_nonnull end

#endif
