/* SPDX-License-Identifier: MIT */
/*
 * A client of nouveau's performance counters for the guest: NVIF requests through the ioctl
 * DRM_NOUVEAU_NVIF of the first render node. The requests are those of Linux 6.1
 * (drivers/gpu/drm/nouveau/include/nvif/{ioctl,if0002,if0003}.h). Its arguments are performed in
 * order:
 *
 *     list            prints the domains and their signals: "signal DOMAIN NUMBER SOURCES NAME"
 *     DOMAIN:SIGNAL   selects a signal for the next counter of a domain, up to four; hexadecimal
 *     count=MS        counts the selected signals for milliseconds: "count DOMAIN CLOCKS COUNT..."
 *
 * test_nouveau.py runs it. An ioctl that fails ends it with status 1, a domain that the driver does
 * not allow with status 3.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define NODE "/dev/dri/renderD128"

/* The ioctl, whose size is that of the request. */
#define DRM_NVIF(size) _IOC(_IOC_READ | _IOC_WRITE, 'd', 0x40 + 0x07, size)

enum request { NEW = 2, CALL = 4 };
enum object_class { PERFMON = -2, PERFDOM = -3 };
enum perfmon_method { QUERY_DOMAIN, QUERY_SIGNAL };
enum perfdom_method { INIT, SAMPLE, READ };

/* Numbers of our objects, which a client chooses. */
enum { PERFMON_OBJECT = 1, PERFDOM_OBJECT = 2 };

#define REFUSED  3
#define COUNTERS 4
#define COPIES   0xaaaa /* the logic operation that counts the first of four signals */

struct request_header {
    uint8_t version, type, padding[4], owner, route;
    uint64_t token, object;
};

/* A request to make an object; its arguments follow. */
struct new_header {
    uint8_t version, padding[6], route;
    uint64_t token, object;
    uint32_t handle;
    int32_t class;
};

/* A request to call a method of an object; its arguments follow. */
struct call_header {
    uint8_t version, method, padding[6];
};

struct domain_query {
    uint8_t version, id, counters, next;
    uint16_t signals;
    uint8_t padding[2];
    char name[64];
};

struct signal_query {
    uint8_t version, domain;
    uint16_t next;
    uint8_t signal, sources, padding[2];
    char name[64];
};

struct perfdom {
    uint8_t version, domain, mode, padding;
    struct {
        uint8_t signal[4];
        uint64_t source[4][8];
        uint16_t logic;
    } counters[COUNTERS];
};

struct perfdom_values {
    uint8_t version, padding[7];
    uint32_t counts[COUNTERS], clocks;
    uint8_t padding2[4];
};

static int node;
static struct perfdom domain;
static unsigned selected;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* Sends a request: its two headers and arguments, which the answer replaces. Returns 0 or -1. */
static int send_request(const struct request_header *request, const void *header,
                        size_t header_size, void *arguments, size_t size)
{
    uint8_t bytes[sizeof *request + sizeof(struct new_header) + sizeof(struct perfdom)];
    uint8_t *at = bytes + sizeof *request;
    memcpy(bytes, request, sizeof *request);
    memcpy(at, header, header_size);
    at += header_size;
    if (size)
        memcpy(at, arguments, size);
    int result = ioctl(node, DRM_NVIF(sizeof *request + header_size + size), bytes);
    if (result == 0 && size)
        memcpy(arguments, at, size);
    return result;
}

/* Makes an object. Route 255 without a token stands for the device of this client. */
static int make(uint64_t parent, uint64_t object, enum object_class class, void *arguments,
                size_t size)
{
    const struct request_header request = {
        .type = NEW, .route = parent ? 0 : 0xff, .token = UINT64_MAX, .object = parent};
    const struct new_header header = {.object = object, .class = class};
    return send_request(&request, &header, sizeof header, arguments, size);
}

static int call(uint64_t object, unsigned method, void *arguments, size_t size)
{
    const struct request_header request = {.type = CALL, .object = object};
    const struct call_header header = {.method = (uint8_t)method};
    return send_request(&request, &header, sizeof header, arguments, size);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void list_signals(uint8_t number)
{
    struct signal_query query = {.domain = number};
    do {
        bool first = query.next == 0;
        if (call(PERFMON_OBJECT, QUERY_SIGNAL, &query, sizeof query) < 0)
            die("signals");
        if (!first)
            printf("signal %u %02x %u %s\n", number, query.signal, query.sources, query.name);
    } while (query.next != UINT16_MAX);
}

/* A query returns an entry, and the number for the next query; the first query only the latter. */
static void list(void)
{
    struct domain_query query = {0};
    do {
        bool first = query.next == 0;
        if (call(PERFMON_OBJECT, QUERY_DOMAIN, &query, sizeof query) < 0)
            die("domains");
        if (first)
            continue;
        printf("domain %u %u %u %s\n", query.id, query.counters, query.signals, query.name);
        list_signals(query.id);
    } while (query.next != UINT8_MAX);
}

/* ---- counting -------------------------------------------------------------------------------- */

static void select_signal(const char *argument)
{
    char *end;
    domain.domain = (uint8_t)strtoul(argument, &end, 16);
    if (*end != ':' || selected == COUNTERS) {
        fprintf(stderr, "\"%s\": expected DOMAIN:SIGNAL\n", argument);
        exit(2);
    }
    domain.counters[selected].signal[0] = (uint8_t)strtoul(end + 1, NULL, 16);
    domain.counters[selected++].logic = COPIES;
}

static void wait_ms(unsigned long ms)
{
    const struct timespec time = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    nanosleep(&time, NULL);
}

static void sample(void)
{
    if (call(PERFDOM_OBJECT, SAMPLE, NULL, 0) < 0)
        die("sample");
}

/* Counts between two samples: each ends a period of the hardware. */
static void count(unsigned long ms)
{
    struct perfdom_values values = {0};
    if (make(PERFMON_OBJECT, PERFDOM_OBJECT, PERFDOM, &domain, sizeof domain) < 0) {
        perror("domain");
        exit(errno == EINVAL ? REFUSED : 1);
    }
    if (call(PERFDOM_OBJECT, INIT, NULL, 0) < 0)
        die("init");
    sample();
    wait_ms(ms);
    sample();
    if (call(PERFDOM_OBJECT, READ, &values, sizeof values) < 0)
        die("read");
    printf("count %u %" PRIu32, domain.domain, values.clocks);
    for (unsigned i = 0; i < COUNTERS; i++)
        printf(" %" PRIu32, values.counts[i]);
    printf("\n");
}

int main(int argument_count, char **arguments)
{
    node = open(NODE, O_RDWR);
    if (node < 0)
        die(NODE);
    if (make(0, PERFMON_OBJECT, PERFMON, NULL, 0) < 0)
        die("perfmon");
    for (int i = 1; i < argument_count; i++)
        if (!strcmp(arguments[i], "list"))
            list();
        else if (!strncmp(arguments[i], "count=", 6))
            count(strtoul(arguments[i] + 6, NULL, 10));
        else
            select_signal(arguments[i]);
    return 0;
}
