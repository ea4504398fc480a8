/* SPDX-License-Identifier: MIT */
#include "intel/tests.h"

int main(void)
{
    int failed = 0;
    failed += test_layouts();
    failed += test_offsets();
    failed += test_accumulate();
    failed += test_report_id();
    failed += test_platforms();
    failed += test_skus();
    failed += test_topology_fuses();
    failed += test_topology();
    failed += test_cs_commands();
    failed += test_cs_places();
    failed += test_cs_streamer();
    failed += test_cs_batches();
    failed += test_cs_waits();
    failed += test_cs_random();
    failed += test_cs_compare();
    failed += test_gt_interrupts();
    failed += test_gt_flat();
    failed += test_gt_forcewake();
    failed += test_gt_routing();
    failed += test_gt_pci();
    failed += test_gt_power();
    failed += test_conformance();
    failed += test_oa();
    failed += test_oa_options();
    failed += test_noa();
    failed += test_metric_sets();
    failed += test_testoa();
    failed += test_workload();
    failed += test_workload_files();
    failed += test_workload_units();
    failed += test_workload_array();
    failed += test_register_index();
    failed += test_register_list();
    failed += test_gpu_mmio();
    failed += test_gpu_access();
    failed += test_cost();
    failed += test_cost_random();
    failed += test_cost_files();
    failed += test_gpu_work();
    failed += test_gpu_frame();
    failed += test_gpu_busy();
    failed += test_gpu_commands();
    failed += test_gpu_engines();
    failed += test_gpu_status();
    failed += test_gpu_errors();
    failed += test_gpu_images();
    failed += test_gpu_power();
    failed += test_gpu_rc6();
    failed += test_gpu_rps();
    failed += test_gpu_wells();
    failed += test_gpu_time();
    failed += test_gpu_faults();
    failed += test_gpu_host();
    failed += test_gpu_pci();
    failed += test_gpu_pci_random();
    failed += test_gpu_loops();
    failed += test_tgl();
    return failed;
}
