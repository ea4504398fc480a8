/* SPDX-License-Identifier: MIT */
#include "capture/tests.h"

int main(void)
{
    int failed = 0;
    failed += run_gpu_tests();
    failed += run_set_tests();
    failed += run_stream_tests();
    failed += run_parts_tests();
    failed += run_recorder_tests();
    failed += run_emulated_tests();
    failed += run_stats_tests();
    failed += run_real_tests();
    failed += run_capture_tests();
    failed += run_registers_tests();
    failed += run_packets_tests();
    return failed != 0;
}
