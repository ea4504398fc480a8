/* SPDX-License-Identifier: MIT */
/* Files of /proc/PID/fdinfo. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "lengthen.h"
#include "view/clients.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct client_info info;
    memcpy(text, data, size);
    text[size] = '\0';
    client_parse(text, "0000:00:02.0", &info);
    free(text);
    return 0;
}
