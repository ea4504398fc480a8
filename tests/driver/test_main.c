/* SPDX-License-Identifier: MIT */
#include "driver/tests.h"

int main(void)
{
    int failed = 0;
    failed += run_open_tests();
    failed += run_stream_tests();
    return failed != 0;
}
