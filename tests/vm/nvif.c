/* SPDX-License-Identifier: MIT */
/*
 * A client of nouveau's performance counters, for a guest with the kernel's nouveau and for
 * `tally emulate`: NVIF requests through the ioctl DRM_NOUVEAU_NVIF of the first render node. Its
 * arguments are performed in order:
 *
 *     list            prints the domains, signals and their sources:
 *                     "domain DOMAIN COUNTERS SIGNALS NAME", "signal DOMAIN NUMBER SOURCES NAME",
 *                     "source DOMAIN SIGNAL NUMBER MASK NAME"
 *     ready           prints a line, after the perfmon was made
 *     DOMAIN:SIGNAL[,SIGNAL...][=LOGIC][@SOURCE=VALUE...]
 *                     selects signals for the next counter of a domain, up to four of them;
 *                     hexadecimal. The logic operation is that of PCOUNTER; without one the first
 *                     signal is counted. Sources are of the first signal
 *     count=MS        counts the selected signals for milliseconds: "count DOMAIN CLOCKS COUNT...",
 *                     and forgets them
 *
 * An ioctl that fails ends it with status 1, a domain that the driver does not allow with status 3.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../nouveau/nvif.h"

#define NODE "/dev/dri/renderD128"

/* Numbers of our objects, which a client chooses. */
enum { PERFMON_OBJECT = 1, PERFDOM_OBJECT = 2 };

#define REFUSED 3
#define COPIES  0xaaaa /* the logic operation that counts the first of four signals */

static int node;
static struct perfdom domain;
static unsigned selected;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static int call(uint64_t object, unsigned method, void *arguments, size_t size)
{
    return nvif_method(node, object, method, arguments, size);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void list_sources(uint8_t number, uint8_t signal)
{
    struct source_query query = {.domain = number, .signal = signal};
    do {
        bool first = query.next == 0;
        if (call(PERFMON_OBJECT, QUERY_SOURCE, &query, sizeof query) < 0)
            die("sources");
        if (!first)
            printf("source %u %02x %" PRIu32 " %" PRIx32 " %s\n", number, signal, query.source,
                   query.mask, query.name);
    } while (query.next != LAST_SOURCE);
}

static void list_signals(uint8_t number)
{
    struct signal_query query = {.domain = number};
    do {
        bool first = query.next == 0;
        if (call(PERFMON_OBJECT, QUERY_SIGNAL, &query, sizeof query) < 0)
            die("signals");
        if (!first)
            printf("signal %u %02x %u %s\n", number, query.signal, query.sources, query.name);
        if (!first && query.sources)
            list_sources(number, query.signal);
    } while (query.next != LAST_SIGNAL);
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
    } while (query.next != LAST_DOMAIN);
}

/* ---- counting -------------------------------------------------------------------------------- */

static void fail_argument(const char *argument)
{
    fprintf(stderr, "\"%s\": expected DOMAIN:SIGNAL[,SIGNAL...][=LOGIC][@SOURCE=VALUE...]\n",
            argument);
    exit(2);
}

static void select_signals(const char *argument)
{
    char *end;
    unsigned signals = 0, sources = 0;
    domain.domain = (uint8_t)strtoul(argument, &end, 16);
    if (*end != ':' || selected == COUNTERS)
        fail_argument(argument);
    domain.counters[selected].logic = COPIES;
    do {
        if (signals == 4)
            fail_argument(argument);
        domain.counters[selected].signal[signals++] = (uint8_t)strtoul(end + 1, &end, 16);
    } while (*end == ',');
    if (*end == '=')
        domain.counters[selected].logic = (uint16_t)strtoul(end + 1, &end, 16);
    while (*end == '@' && sources < 8) {
        uint64_t source = strtoul(end + 1, &end, 16);
        if (*end == '=')
            source |= (uint64_t)strtoul(end + 1, &end, 16) << 32;
        domain.counters[selected].source[0][sources++] = source;
    }
    if (*end)
        fail_argument(argument);
    selected++;
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
    if (nvif_make(node, PERFMON_OBJECT, PERFDOM_OBJECT, PERFDOM, &domain, sizeof domain) < 0) {
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
    if (nvif_delete(node, PERFDOM_OBJECT) < 0)
        die("delete");
    memset(&domain, 0, sizeof domain);
    selected = 0;
}

int main(int argument_count, char **arguments)
{
    node = open(NODE, O_RDWR);
    if (node < 0)
        die(NODE);
    if (nvif_make(node, 0, PERFMON_OBJECT, PERFMON, NULL, 0) < 0)
        die("perfmon");
    for (int i = 1; i < argument_count; i++)
        if (!strcmp(arguments[i], "list"))
            list();
        else if (!strcmp(arguments[i], "ready"))
            puts("ready"), fflush(stdout);
        else if (!strncmp(arguments[i], "count=", 6))
            count(strtoul(arguments[i] + 6, NULL, 10));
        else
            select_signals(arguments[i]);
    return 0;
}
