/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DRIVER_TESTS_H
#define TESTS_DRIVER_TESTS_H

/* The test files of this module. Each function returns the number of failed tests. */

int run_uapi_tests(void);
int run_device_tests(void);
int run_core_tests(void);
int run_query_tests(void);
int run_param_tests(void);
int run_config_tests(void);
int run_open_tests(void);
int run_sample_tests(void);
int run_stream_tests(void);
int run_lost_tests(void);
int run_wait_tests(void);
int run_filter_tests(void);
int run_oar_tests(void);
int run_gem_tests(void);
int run_context_tests(void);
int run_engines_tests(void);
int run_execbuffer_tests(void);
int run_pulse_tests(void);
int run_schedule_tests(void);
int run_software_tests(void);
int run_syncobj_tests(void);
int run_shared_tests(void);
int run_domains_tests(void);
int run_mmio_tests(void);
int run_mmio_registers_tests(void);
int run_mmio_times_tests(void);
int run_nouveau_tests(void);

#endif
