/* SPDX-License-Identifier: MIT */
/* Reads the input as a bzImage. Checks that its parts are in the file. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "vm/guest/bzimage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bzimage image;
    struct tally_error error = {0};
    int result = bzimage_read("file", data, size, &image, &error);
    CHECK(result == error.code && (result == 0 || result == -EBADMSG));
    const uint8_t *release = (const uint8_t *)image.release;
    CHECK(!release || (release > data && release + image.release_size < data + size));
    CHECK(!image.payload || (result == 0 && image.payload > data && image.payload_size));
    CHECK(!image.payload || image.payload + image.payload_size <= data + size);
    return 0;
}
