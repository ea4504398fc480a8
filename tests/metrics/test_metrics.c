/* SPDX-License-Identifier: MIT */
#include "metrics/tests.h"

int main(void)
{
    int failed = 0;
    failed += test_equation();
    failed += test_operations();
    failed += test_xml();
    failed += test_catalog();
    failed += test_environment();
    failed += test_states();
    failed += test_program();
    failed += test_registers();
    failed += test_fuzz();
    failed += test_explain();
    failed += test_lint();
    failed += test_summary();
    failed += test_groups();
    failed += test_infix();
    failed += test_signal_sets();
    failed += test_undefined();
    failed += test_pcounter_sets();
    return failed;
}
