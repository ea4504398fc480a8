/* SPDX-License-Identifier: MIT */
/* In place of http.c in a build without libmicrohttpd. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "serve/serve.h"

const char *serve_missing(void)
{
    return "this build has no server, expected one with libmicrohttpd (tally version "
           "--build-options)";
}

bool serve_is_local(const char *address)
{
    return !strncmp(address, "127.", 4) || !strcmp(address, "::1");
}

int serve_run(struct serve *serve, struct tally_error *error)
{
    (void)serve;
    return fail(error, -ENOTSUP, "%s", serve_missing());
}
