// The floor under Deskgate: the work of `POST /pyrus/authorize` on the same C libraries, written by hand, with no
// language runtime, routing table, revocations or log around it; and the least work of `POST /pyrus/webhook`: suspend,
// make the body durable with whatever else waits, resume. What Deskgate costs above this is its own.
#define _GNU_SOURCE
#include "configuration.h"
#include "journal.h"

#include <jansson.h>
#include <microhttpd.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static const char WEBHOOK[] = "/pyrus/webhook/";

enum { BODY_LIMIT = 16 * 1024, BUCKETS = 12 };

struct exchange {
    struct timespec started;
    size_t length;
    bool too_long;
    bool is_suspended;
    struct journal_entry entry;
    char body[BODY_LIMIT];
};

struct answer {
    unsigned status;
    const char *body;
    struct MHD_Response *response;
};

static struct answer verdicts[VERDICT_COUNT] = {
    [AUTHORIZED] = {200, "{\"status\":\"authorized\"}", NULL},
    [DENIED] = {403, "{\"error\":\"forbidden\",\"message\":\"denied\"}", NULL},
    [MALFORMED_BODY] = {400, "{\"error\":\"malformed\",\"message\":\"the body must be one JSON object\"}", NULL},
    [MALFORMED_APP_ID] = {400, "{\"error\":\"malformed\",\"message\":\"app_id must be text of 1 to 255 UTF-16 units\"}", NULL},
    [MALFORMED_USER_ID] = {400, "{\"error\":\"malformed\",\"message\":\"user_id must be text of 1 to 100 UTF-16 units\"}", NULL},
    [MALFORMED_SECURITY_KEY] = {400, "{\"error\":\"malformed\",\"message\":\"security_key must be dgk1. and 84 base64url characters\"}", NULL},
    [FAILED] = {503, "{\"error\":\"unavailable\",\"message\":\"cannot decide\"}", NULL},
};
static struct answer accepted = {200, "{\"status\":\"accepted\"}", NULL};
static struct answer not_found = {404, "{\"error\":\"not_found\",\"message\":\"no such path\"}", NULL};
static struct answer not_allowed = {405, "{\"error\":\"method_not_allowed\",\"message\":\"use POST\"}", NULL};
static struct answer too_large = {413, "{\"error\":\"too_large\",\"message\":\"the body is over 16 KiB\"}", NULL};

static struct configuration configuration;
static _Atomic uint64_t results[VERDICT_COUNT];
static _Atomic uint64_t durations[BUCKETS];
static _Atomic uint64_t total_nanoseconds;

static void observe(const struct exchange *exchange, enum verdict verdict)
{
    static const uint64_t bounds[BUCKETS - 1] = {50000, 100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000, 25000000, 50000000, 100000000};
    struct timespec ended;
    clock_gettime(CLOCK_MONOTONIC, &ended);
    uint64_t elapsed = (uint64_t)(ended.tv_sec - exchange->started.tv_sec) * 1000000000u
        + (uint64_t)ended.tv_nsec - (uint64_t)exchange->started.tv_nsec;
    int bucket = 0;
    while (bucket < BUCKETS - 1 && elapsed > bounds[bucket]) {
        bucket++;
    }
    atomic_fetch_add_explicit(&results[verdict], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&durations[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&total_nanoseconds, elapsed, memory_order_relaxed);
}

// A missing or non-text member becomes the empty text, which no field may be.
static struct text member(json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return json_is_string(value) ? (struct text){json_string_value(value), json_string_length(value)} : (struct text){"", 0};
}

static enum verdict decide(struct MHD_Connection *connection, const struct exchange *exchange)
{
    const char *type = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_TYPE);
    if (type != NULL && strncasecmp(type, "application/json", 16) != 0) {
        return MALFORMED_BODY;
    }
    json_t *root = json_loadb(exchange->body, exchange->length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    if (!json_is_object(root)) {
        json_decref(root);
        return MALFORMED_BODY;
    }
    enum verdict verdict = judge(&configuration.keyring, member(root, "app_id"), member(root, "user_id"), member(root, "security_key"),
                                 (uint64_t)time(NULL));
    json_decref(root);
    return verdict;
}

static void append(struct exchange *exchange, const char *data, size_t size)
{
    if (size > BODY_LIMIT - exchange->length) {
        exchange->too_long = true;
        return;
    }
    memcpy(exchange->body + exchange->length, data, size);
    exchange->length += size;
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, const struct answer *answer)
{
    return MHD_queue_response(connection, answer->status, answer->response);
}

// Called a second time when the journal has resumed the connection.
static enum MHD_Result accept_webhook(struct MHD_Connection *connection, struct exchange *exchange)
{
    if (exchange->is_suspended) {
        return send_answer(connection, exchange->entry.stored ? &accepted : &verdicts[FAILED]);
    }
    exchange->is_suspended = true;
    exchange->entry.connection = connection;
    exchange->entry.bytes = exchange->body;
    exchange->entry.length = exchange->length;
    MHD_suspend_connection(connection);
    journal_submit(&exchange->entry);
    return MHD_YES;
}

// libmicrohttpd calls once for the headers, once a piece of the body, and once with size 0 after the last.
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
                              const char *data, size_t *size, void **state)
{
    (void)context, (void)version;
    struct exchange *exchange = *state;
    if (exchange == NULL) {
        if ((exchange = malloc(sizeof *exchange)) == NULL) {
            return MHD_NO;
        }
        clock_gettime(CLOCK_MONOTONIC, &exchange->started);
        exchange->length = 0;
        exchange->too_long = false;
        exchange->is_suspended = false;
        *state = exchange;
        return MHD_YES;
    }
    if (*size != 0) {
        append(exchange, data, *size);
        *size = 0;
        return MHD_YES;
    }
    bool is_webhook = configuration.journal != NULL && strncmp(url, WEBHOOK, sizeof WEBHOOK - 1) == 0;
    if (!is_webhook && strcmp(url, "/pyrus/authorize") != 0) {
        return send_answer(connection, &not_found);
    }
    if (strcmp(method, MHD_HTTP_METHOD_POST) != 0) {
        return send_answer(connection, &not_allowed);
    }
    if (exchange->too_long) {
        return send_answer(connection, &too_large);
    }
    if (is_webhook) {
        return accept_webhook(connection, exchange);
    }
    enum verdict verdict = decide(connection, exchange);
    observe(exchange, verdict);
    return send_answer(connection, &verdicts[verdict]);
}

static void completed(void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code)
{
    (void)context, (void)connection, (void)code;
    free(*state);
    *state = NULL;
}

static size_t leave_escaped(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context, (void)connection;
    return strlen(text);
}

static bool prepare(struct answer *answer)
{
    answer->response = MHD_create_response_from_buffer(strlen(answer->body), (void *)answer->body, MHD_RESPMEM_PERSISTENT);
    return answer->response != NULL && MHD_add_response_header(answer->response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json") == MHD_YES;
}

static bool prepare_all(void)
{
    bool prepared = prepare(&accepted) && prepare(&not_found) && prepare(&not_allowed) && prepare(&too_large);
    for (int verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        prepared = prepared && prepare(&verdicts[verdict]);
    }
    return prepared && MHD_add_response_header(not_allowed.response, MHD_HTTP_HEADER_ALLOW, MHD_HTTP_METHOD_POST) == MHD_YES;
}

static struct MHD_Daemon *start(void)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, NULL,
                            MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&configuration.address,
                            MHD_OPTION_THREAD_POOL_SIZE, (unsigned)CPU_COUNT(&cores),
                            MHD_OPTION_CONNECTION_TIMEOUT, 60u,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16 * 1024,
                            MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
                            MHD_OPTION_NOTIFY_COMPLETED, completed, NULL,
                            MHD_OPTION_END);
}

int main(int count, char **arguments)
{
    if (count != 4 || strcmp(arguments[1], "serve") != 0 || strcmp(arguments[2], "--config") != 0) {
        fprintf(stderr, "usage: floor serve --config FILE\n");
        return 2;
    }
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    json_object_seed(0);
    struct MHD_Daemon *daemon = NULL;
    if (security_key_setup() && configuration_read(arguments[3], &configuration) && prepare_all()
        && (configuration.journal == NULL || journal_start(configuration.journal))) {
        daemon = start();
    }
    if (daemon == NULL) {
        fprintf(stderr, "floor: cannot start\n");
        return 1;
    }
    int received;
    sigwait(&signals, &received);
    MHD_stop_daemon(daemon);
    printf("authorized %lu, denied %lu\n", (unsigned long)results[AUTHORIZED], (unsigned long)results[DENIED]);
    return 0;
}
