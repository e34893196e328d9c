// nghttp2_session_callbacks is filled by one setter a function, and an enumerator of a negative enum reads clumsily in
// Swift: both are done here, under the names of what they wrap behind the prefix shim_.
#ifndef DESKGATE_CNGHTTP2_SHIM_H
#define DESKGATE_CNGHTTP2_SHIM_H

#include <nghttp2/nghttp2.h>

#pragma clang assume_nonnull begin

// What a server's session calls; every function must be set.
typedef struct {
    int (*begin_headers)(nghttp2_session *session, const nghttp2_frame *frame, void *_Nullable context);
    int (*header)(
        nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_count, const uint8_t *value,
        size_t value_count, uint8_t flags, void *_Nullable context);
    int (*data_chunk)(
        nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data, size_t count, void *_Nullable context);
    int (*frame_received)(nghttp2_session *session, const nghttp2_frame *frame, void *_Nullable context);
    int (*stream_closed)(nghttp2_session *session, int32_t stream, uint32_t error_code, void *_Nullable context);
} shim_ServerCallbacks;

// Makes a server's session; null when memory is exhausted. PRIORITY frames are ignored, as APNs does.
static inline nghttp2_session *_Nullable shim_nghttp2_session_server_new(
    const shim_ServerCallbacks *functions, void *_Nullable context) {
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    nghttp2_session *session = NULL;
    if (nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, functions->begin_headers);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, functions->header);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, functions->data_chunk);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, functions->frame_received);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, functions->stream_closed);
        // Closed streams are kept for their place in a tree of priorities that nobody uses.
        nghttp2_option_set_no_closed_streams(option, 1);
        // libcurl 7.88 resets each stream once more when it is over, which is no attack here (CVE-2023-44487).
        nghttp2_option_set_stream_reset_rate_limit(option, UINT64_C(1) << 40, UINT64_C(1) << 40);
        if (nghttp2_session_server_new2(&session, callbacks, context, option) != 0) {
            session = NULL;
        }
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return session;
}

// Sends SETTINGS with the most streams that the client may have open at a time. Returns 0 on success.
static inline int shim_nghttp2_submit_stream_limit(nghttp2_session *session, uint32_t limit) {
    nghttp2_settings_entry entry = {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limit};
    return nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &entry, 1);
}

// Answers a stream; without a body the answer ends with its headers. Returns 0 on success.
static inline int shim_nghttp2_submit_response(
    nghttp2_session *session, int32_t stream, const nghttp2_nv *headers, size_t count,
    nghttp2_data_source_read_callback _Nullable body) {
    nghttp2_data_provider provider = {{0}, body};
    return nghttp2_submit_response(session, stream, headers, count, body ? &provider : NULL);
}

// What a callback returns to have its stream reset.
static const int shim_NGHTTP2_STREAM_FAILURE = NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;

#pragma clang assume_nonnull end

#endif
