/* SPDX-License-Identifier: MIT */
#include "vm/tests.h"

int main(void)
{
    return run_transport_tests() + run_server_tests() + run_time_tests() + run_nvidia_tests();
}
