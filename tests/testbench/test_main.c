/* SPDX-License-Identifier: MIT */
#include "testbench/tests.h"

int main(void)
{
    int failed = 0;
    failed += test_memory();
    failed += test_pct();
    return failed;
}
