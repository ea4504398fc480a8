/* SPDX-License-Identifier: MIT */
/* URLs of stores in ClickHouse. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "store/clickhouse.h"

#define EXPECTED "expected clickhouse://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE"

static const struct scheme {
    const char *prefix;
    bool tls;
    unsigned port;
} schemes[] = {{"clickhouse://", false, 8123}, {"clickhouses://", true, 8443}};

static const struct scheme *scheme_of(const char *text)
{
    for (size_t i = 0; i < ARRAY_COUNT(schemes); i++)
        if (!strncmp(text, schemes[i].prefix, strlen(schemes[i].prefix)))
            return &schemes[i];
    return NULL;
}

bool clickhouse_is_url(const char *text)
{
    return scheme_of(text) != NULL;
}

static int digit_of(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Copies a part of the URL, and decodes %XX in it. Returns false if it does not fit, or is
 * malformed. */
static bool take(char to[CLICKHOUSE_NAME_BYTES], const char *from, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        char c = from[i];
        if (c == '%') {
            int high = i + 2 < size ? digit_of(from[i + 1]) : -1;
            int low = high >= 0 ? digit_of(from[i + 2]) : -1;
            if (low < 0)
                return false;
            c = (char)(high << 4 | low);
            i += 2;
        }
        if (iscntrl((unsigned char)c) || used + 1 >= CLICKHOUSE_NAME_BYTES)
            return false;
        to[used++] = c;
    }
    to[used] = '\0';
    return true;
}

/* Returns whether a name has letters, digits and `others` only. */
static bool is_plain(const char *name, const char *others)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr(others, *c))
            return false;
    return *name != '\0';
}

static bool take_user(struct clickhouse_url *url, const char *from, size_t size)
{
    const char *colon = memchr(from, ':', size);
    size_t user = colon ? (size_t)(colon - from) : size;
    url->has_password = colon != NULL;
    return take(url->user, from, user) && *url->user && !strchr(url->user, ':') &&
           (!colon || take(url->password, colon + 1, size - user - 1));
}

static bool take_host(struct clickhouse_url *url, const char *from, size_t size)
{
    const char *end = from + size, *colon;
    bool is_address = size && *from == '[';
    if (is_address) {
        const char *close = memchr(from, ']', size);
        if (!close || !take(url->host, from + 1, (size_t)(close - from - 1)))
            return false;
        colon = close + 1;
    } else {
        colon = memchr(from, ':', size);
        colon = colon ? colon : end;
        if (!take(url->host, from, (size_t)(colon - from)))
            return false;
    }
    if (!is_plain(url->host, is_address ? ":." : "-._"))
        return false;
    if (colon == end)
        return true;
    url->port = 0;
    if (*colon != ':' || end - colon > 6)
        return false;
    for (const char *c = colon + 1; c < end; c++) {
        if (!isdigit((unsigned char)*c))
            return false;
        url->port = 10 * url->port + (unsigned)(*c - '0');
    }
    return url->port && url->port <= 65535;
}

int clickhouse_parse_url(const char *text, struct clickhouse_url *url, struct tally_error *error)
{
    const struct scheme *scheme = scheme_of(text);
    *url = (struct clickhouse_url){0};
    if (!scheme)
        return fail(error, -ENOENT, "store: \"%.20s\", " EXPECTED, text);
    url->tls = scheme->tls;
    url->port = scheme->port;
    const char *at = text + strlen(scheme->prefix), *slash = strchr(at, '/');
    const char *database = slash ? slash + 1 : "";
    size_t size = slash ? (size_t)(slash - at) : strlen(at);
    const char *sign = memrchr(at, '@', size);
    /* The message does not quote the URL, which may have a password. */
    if (sign && !take_user(url, at, (size_t)(sign - at)))
        return fail(error, -ENOENT, "store: malformed user or password of the URL, " EXPECTED);
    size -= sign ? (size_t)(sign + 1 - at) : 0;
    at = sign ? sign + 1 : at;
    if (!take_host(url, at, size))
        return fail(error, -ENOENT, "store: malformed host or port \"%.*s\" of the URL, " EXPECTED,
                    (int)(size < 200 ? size : 200), at);
    if (!take(url->database, database, strlen(database)) || !is_plain(url->database, "_"))
        return fail(error, -ENOENT,
                    "store: database \"%.200s\" of the URL, expected a name of letters, digits "
                    "and _: " EXPECTED,
                    database);
    bool is_address = strchr(url->host, ':') != NULL;
    snprintf(url->shown, sizeof url->shown, "%s%s%s%s:%u/%s", scheme->prefix, is_address ? "[" : "",
             url->host, is_address ? "]" : "", url->port, url->database);
    return 0;
}
