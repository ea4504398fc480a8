/* SPDX-License-Identifier: MIT */
#include "wave/tests.h"

int main(void)
{
    int failed = 0;
    failed += test_kernels();
    failed += test_wave();
    return failed;
}
