/* SPDX-License-Identifier: MIT */
/* A build without ncurses has no screen. */
#include <errno.h>

#include "base/error.h"
#include "view/screen.h"

int screen_open(struct tally_error *error)
{
    return fail(error, -ENOSYS,
                "this tally was built without ncurses, expected --once or --format jsonl");
}

void screen_close(void)
{
}

void screen_size(size_t *rows, size_t *columns, bool *ascii)
{
    *rows = *columns = 0;
    *ascii = true;
}

void screen_show(const struct canvas *canvas)
{
    (void)canvas;
}

uint32_t screen_key(void)
{
    return 0;
}
