/* SPDX-License-Identifier: MIT */
#include "emulation/tests.h"

int main(void)
{
    int failed = 0;
    failed += run_copy_tests();
    failed += run_blit_tests();
    failed += run_clock_tests();
    failed += run_fault_file_tests();
    failed += run_fault_tests();
    failed += run_nvidia_workload_tests();
    return failed != 0;
}
