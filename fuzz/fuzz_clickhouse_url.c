/* SPDX-License-Identifier: MIT */
/* Parses the input as the URL of a store in ClickHouse; what is understood is shown as a URL that
 * is understood again, without the password. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "lengthen.h"
#include "store/clickhouse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct clickhouse_url url, again;
    struct tally_error error = {0};
    char *text = malloc(size + 1);
    CHECK(text);
    memcpy(text, data, size);
    text[size] = '\0';
    int result = clickhouse_parse_url(text, &url, &error);
    CHECK(result == error.code && (!result || *error.message));
    if (!result) {
        CHECK(clickhouse_is_url(text) && url.port && url.port < 65536 && *url.host);
        CHECK(clickhouse_parse_url(url.shown, &again, &error) == 0);
        CHECK(!*again.user && !again.has_password && again.port == url.port);
        CHECK(!strcmp(again.host, url.host) && !strcmp(again.database, url.database));
    }
    free(text);
    return 0;
}
