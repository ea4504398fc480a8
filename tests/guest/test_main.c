/* SPDX-License-Identifier: MIT */
#include "guest/tests.h"

int main(void)
{
    int failed = 0;
    failed += test_archives();
    failed += test_binaries();
    failed += test_lists();
    failed += test_streams();
    failed += test_copies();
    return failed;
}
