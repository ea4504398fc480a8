/* SPDX-License-Identifier: MIT */
#include "wave/tests.h"

int main(void)
{
    int failed = 0;
    failed += test_vcd_read();
    failed += test_vcd_names();
    failed += test_vcd_errors();
    failed += test_vcd_write();
    failed += test_kernels();
    failed += test_wave();
    failed += test_number();
    return failed;
}
