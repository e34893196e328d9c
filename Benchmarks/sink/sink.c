// Takes deliveries as fast as one thread can, so that what is measured is who sends them: HTTP/1.1 with connections that stay
// open. POST is counted and answered 200, after a delay if there is one, as a backend does that is slow rather than busy; GET tells the
// count, and when the first and the last came, in monotonic nanoseconds. Answers are JSON, so that it can be the backend of a bot, too.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 64 * 1024, EVENTS = 64, DELAYED = 4096 };

struct client {
    int socket;
    size_t length;
    char buffer[BUFFER + 16];
};

#define OK "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
static const char taken[] = OK "Content-Length: 2\r\n\r\n{}";
static uint64_t count, first, last;

// Answers that are due later, in the order of their times; a client that has gone meanwhile loses nothing by one.
struct answer {
    int socket;
    uint64_t due;
};
static struct answer answers[DELAYED];
static size_t answers_begin, answers_count;
static uint64_t delay;

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// Bytes that a client does not receive at once are lost: answers are far smaller than a socket's buffer.
static bool send_all(int socket, const char *text, size_t size)
{
    return send(socket, text, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static bool tell(int socket)
{
    char body[128], answer[256];
    int size = snprintf(body, sizeof body, "{\"count\": %lu, \"first\": %lu, \"last\": %lu}", (unsigned long)count,
                        (unsigned long)first, (unsigned long)last);
    size = snprintf(answer, sizeof answer, OK "Content-Length: %d\r\n\r\n%s", size, body);
    return send_all(socket, answer, (size_t)size);
}

static bool take(int socket)
{
    last = now();
    if (count++ == 0) {
        first = last;
    }
    if (delay == 0) {
        return send_all(socket, taken, sizeof taken - 1);
    }
    if (answers_count == DELAYED) {
        return false;
    }
    answers[(answers_begin + answers_count++) % DELAYED] = (struct answer){.socket = socket, .due = last + delay};
    return true;
}

// Sends the answers that are due; how long the next one has to wait, in milliseconds, -1 when there is none.
static int answer_due(void)
{
    for (uint64_t time = now(); answers_count > 0; answers_count--) {
        struct answer next = answers[answers_begin];
        if (next.due > time) {
            return (int)((next.due - time) / 1000000u) + 1;
        }
        send_all(next.socket, taken, sizeof taken - 1);
        answers_begin = (answers_begin + 1) % DELAYED;
    }
    return -1;
}

// The size of the first whole request in the buffer; 0 while there is none, -1 when there never will be.
static ssize_t whole(const struct client *client)
{
    const char *end = memmem(client->buffer, client->length, "\r\n\r\n", 4);
    if (end == NULL) {
        return client->length == BUFFER ? -1 : 0;
    }
    size_t head = (size_t)(end + 4 - client->buffer), body = 0;
    for (const char *line = client->buffer; line < end; line++) {
        line = memchr(line, '\n', (size_t)(end + 4 - line));
        if (strncasecmp(line + 1, "content-length:", 15) == 0) {
            body = strtoul(line + 16, NULL, 10);
        }
    }
    if (body > BUFFER - head) {
        return -1;
    }
    return head + body <= client->length ? (ssize_t)(head + body) : 0;
}

static bool serve(struct client *client)
{
    ssize_t size = recv(client->socket, client->buffer + client->length, BUFFER - client->length, 0);
    if (size <= 0) {
        return size < 0 && (errno == EAGAIN || errno == EINTR);
    }
    client->length += (size_t)size;
    while ((size = whole(client)) > 0) {
        bool sent = memcmp(client->buffer, "GET ", 4) == 0 ? tell(client->socket) : take(client->socket);
        if (!sent) {
            return false;
        }
        client->length -= (size_t)size;
        memmove(client->buffer, client->buffer + size, client->length);
    }
    return size == 0;
}

static void accept_all(int listener, int poll)
{
    int socket;
    while ((socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct client *client = malloc(sizeof *client);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
        int at_once = 1;
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
        if (client == NULL || epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) != 0) {
            abort();
        }
        client->socket = socket;
        client->length = 0;
    }
}

static int listen_on(const char *port)
{
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), reuse = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1024) != 0) {
        perror("sink");
        exit(1);
    }
    return listener;
}

int main(int argc, char **arguments)
{
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: sink PORT [DELAY_MILLISECONDS]\n");
        return 2;
    }
    delay = argc == 3 ? strtoul(arguments[2], NULL, 10) * 1000000u : 0;
    int listener = listen_on(arguments[1]), poll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event events[EVENTS], event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, answer_due());
        for (int index = 0; index < ready; index++) {
            struct client *client = events[index].data.ptr;
            if (client == NULL) {
                accept_all(listener, poll);
            } else if (!serve(client)) {
                close(client->socket);
                free(client);
            }
        }
    }
}
