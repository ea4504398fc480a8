/* SPDX-License-Identifier: MIT */
/* The texts of dcgmi dmon and dcgm-exporter; the first byte says which, and how it is cut into
 * pieces. */
#include "import.h"

#include "lengthen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    import_detect((const char *)data + 1, size - 1);
    check_import(data[0] & 1 ? &import_dcgmi_dmon : &import_dcgm_exporter, data + 1, size - 1,
                 1 + data[0] / 2);
    return 0;
}
