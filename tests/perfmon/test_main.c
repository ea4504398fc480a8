/* SPDX-License-Identifier: MIT */
#include "perfmon/tests.h"

int main(void)
{
    int failed = 0;
    failed += run_expression_tests();
    failed += run_plan_tests();
    failed += run_session_tests();
    failed += run_record_tests();
    failed += run_histogram_tests();
    return failed != 0;
}
