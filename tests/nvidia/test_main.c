/* SPDX-License-Identifier: MIT */
#include "nvidia/tests.h"

int main(void)
{
    int failed = 0;
    failed += test_packet();
    return failed;
}
