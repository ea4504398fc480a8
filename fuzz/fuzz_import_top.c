/* SPDX-License-Identifier: MIT */
/* The JSON of intel_gpu_top; the first byte says how it is cut into pieces. */
#include "import.h"

#include "lengthen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    import_detect((const char *)data + 1, size - 1);
    check_import(&import_intel_gpu_top, data + 1, size - 1, 1 + data[0]);
    return 0;
}
