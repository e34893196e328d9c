// MHD_start_daemon, MHD_get_connection_info and MHD_set_connection_option are variadic, which Swift cannot call. Each
// wrapper carries the name of the function that it wraps behind the prefix shim_, and says which pointers may be null.
#ifndef DESKGATE_CMICROHTTPD_SHIM_H
#define DESKGATE_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

#pragma clang assume_nonnull begin

typedef enum MHD_Result (*shim_AccessHandler)(void *_Nullable context, struct MHD_Connection *connection, const char *url,
                                              const char *method, const char *version, const char *_Nullable upload,
                                              size_t *upload_size, void *_Nullable *_Nonnull request);
typedef void (*shim_RequestCompleted)(void *_Nullable context, struct MHD_Connection *connection,
                                      void *_Nullable *_Nonnull request, enum MHD_RequestTerminationCode code);
typedef void (*shim_NotifyConnection)(void *_Nullable context, struct MHD_Connection *connection,
                                      void *_Nullable *_Nonnull socket_context, enum MHD_ConnectionNotificationCode code);
typedef void *_Nullable (*shim_RequestLine)(void *_Nullable context, const char *uri, struct MHD_Connection *connection);
typedef size_t (*shim_Unescape)(void *_Nullable context, struct MHD_Connection *_Nullable connection, char *text);

struct shim_DaemonSettings {
    int listen_socket;
    unsigned int threads;
    unsigned int connection_limit;
    unsigned int idle_timeout_seconds;
    size_t connection_memory;
    const char *_Nullable tls_certificate;
    const char *_Nullable tls_key;
    shim_AccessHandler access_handler;
    shim_RequestCompleted request_completed;
    shim_NotifyConnection notify_connection;
    shim_RequestLine request_line;
    shim_Unescape unescape;
    void *context;
};

static inline struct MHD_Daemon *_Nullable shim_MHD_start_daemon(const struct shim_DaemonSettings *settings) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings->tls_certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->tls_key},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem pool[] = {
        {MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)settings->threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    if (settings->tls_key) {
        flags |= MHD_USE_TLS;
    }
    return MHD_start_daemon(
        flags, 0, NULL, NULL, (MHD_AccessHandlerCallback)settings->access_handler, settings->context,
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
        MHD_OPTION_ARRAY, settings->tls_key ? tls : none,
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

static inline int shim_MHD_get_connection_fd(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline size_t shim_MHD_get_request_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

static inline void shim_MHD_set_connection_timeout(struct MHD_Connection *connection, unsigned int seconds) {
    (void)MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

#pragma clang assume_nonnull end

#endif
