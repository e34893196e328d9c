// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift cannot call. Each wrapper carries
// the name of the function that it wraps and the type of its argument behind the prefix shim_, and says which pointers
// may be null.
#ifndef DESKGATE_CCURL_SHIM_H
#define DESKGATE_CCURL_SHIM_H

#include <curl/curl.h>
#include <stdbool.h>

#pragma clang assume_nonnull begin

typedef size_t (*shim_Receiver)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);

typedef curl_socket_t (*shim_SocketOpener)(void *_Nullable context, curlsocktype purpose, struct curl_sockaddr *address);

typedef int (*shim_SocketCloser)(void *_Nullable context, curl_socket_t socket);

typedef int (*shim_RequestObserver)(
    void *_Nullable context, char *_Nullable address, char *_Nullable local_address, int port, int local_port);

static inline CURLcode shim_curl_easy_setopt_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode shim_curl_easy_setopt_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

// libcurl copies the text.
static inline CURLcode shim_curl_easy_setopt_text(CURL *easy, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

// libcurl keeps the pointer, unless the option's manual page says that it copies.
static inline CURLcode shim_curl_easy_setopt_pointer(CURL *easy, CURLoption option, const void *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

// libcurl copies the bytes.
static inline CURLcode shim_curl_easy_setopt_blob(CURL *easy, CURLoption option, const void *_Nullable bytes, size_t size) {
    struct curl_blob value = {(void *)bytes, size, CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &value);
}

static inline CURLcode shim_curl_easy_setopt_receiver(CURL *easy, CURLoption option, shim_Receiver value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode shim_curl_easy_setopt_opener(CURL *easy, CURLoption option, shim_SocketOpener value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode shim_curl_easy_setopt_closer(CURL *easy, CURLoption option, shim_SocketCloser value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode shim_curl_easy_setopt_observer(CURL *easy, CURLoption option, shim_RequestObserver value) {
    return curl_easy_setopt(easy, option, value);
}

static inline long shim_curl_easy_getinfo_long(CURL *easy, CURLINFO information) {
    long value = 0;
    return curl_easy_getinfo(easy, information, &value) == CURLE_OK ? value : 0;
}

static inline curl_off_t shim_curl_easy_getinfo_size(CURL *easy, CURLINFO information) {
    curl_off_t value = 0;
    return curl_easy_getinfo(easy, information, &value) == CURLE_OK ? value : 0;
}

// The socket of the last connection, if that is still open; CURL_SOCKET_BAD otherwise.
static inline curl_socket_t shim_curl_easy_getinfo_active_socket(CURL *easy) {
    curl_socket_t value = CURL_SOCKET_BAD;
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &value) == CURLE_OK ? value : CURL_SOCKET_BAD;
}

// The SSL object of the connection in use; null without TLS, or between transfers.
static inline void *_Nullable shim_curl_easy_getinfo_tls_session(CURL *easy) {
    struct curl_tlssessioninfo *value = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &value) != CURLE_OK || !value) return NULL;
    return value->backend == CURLSSLBACKEND_OPENSSL ? value->internals : NULL;
}

static inline CURLMcode shim_curl_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// Takes the next finished transfer; null when there is none. A message holds a union, which Swift reads clumsily.
static inline CURL *_Nullable shim_curl_multi_info_read(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

#pragma clang assume_nonnull end

#endif
