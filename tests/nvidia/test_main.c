/* SPDX-License-Identifier: MIT */
#include "nvidia/tests.h"

int main(void)
{
    int failed = 0;
    failed += test_callbacks();
    failed += test_chipsets();
    failed += test_conformance();
    failed += test_embedding();
    failed += test_gpu();
    failed += test_interrupts();
    failed += test_memory();
    failed += test_logic();
    failed += test_packet();
    failed += test_pcounter();
    failed += test_properties();
    failed += test_registers();
    failed += test_signals();
    failed += test_selectors();
    failed += test_sources();
    return failed;
}
