/* SPDX-License-Identifier: MIT */
#include "driver/tests.h"

int main(void)
{
    int failed = 0;
    failed += run_uapi_tests();
    failed += run_device_tests();
    failed += run_core_tests();
    failed += run_query_tests();
    failed += run_param_tests();
    failed += run_config_tests();
    failed += run_open_tests();
    failed += run_sample_tests();
    failed += run_stream_tests();
    failed += run_lost_tests();
    failed += run_wait_tests();
    failed += run_filter_tests();
    failed += run_oar_tests();
    failed += run_gem_tests();
    failed += run_context_tests();
    failed += run_engines_tests();
    failed += run_execbuffer_tests();
    failed += run_pulse_tests();
    failed += run_schedule_tests();
    failed += run_software_tests();
    failed += run_syncobj_tests();
    failed += run_shared_tests();
    failed += run_domains_tests();
    failed += run_mmio_tests();
    failed += run_mmio_registers_tests();
    failed += run_mmio_times_tests();
    failed += run_nouveau_tests();
    return failed != 0;
}
