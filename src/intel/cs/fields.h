/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CS_FIELDS_H
#define TALLY_INTEL_CS_FIELDS_H

#include "intel/cs/commands.h"

/* The lists of fields that the rows of the command table name. */
extern const struct cs_field cs_noop_fields[];
extern const struct cs_field cs_flush_fields[];
extern const struct cs_field cs_rs_control_fields[];
extern const struct cs_field cs_rs_context_fields[];
extern const struct cs_field cs_arb_on_off_fields[];
extern const struct cs_field cs_suspend_flush_fields[];
extern const struct cs_field cs_predicate_fields[];
extern const struct cs_field cs_topology_fields[];
extern const struct cs_field cs_set_context_fields[];
extern const struct cs_field cs_urb_clear_fields[];
extern const struct cs_field cs_alu_fields[];
extern const struct cs_field cs_semaphore_fields[];
extern const struct cs_field cs_store_data_fields[];
extern const struct cs_field cs_data_fields[];
extern const struct cs_field cs_store_index_fields[];
extern const struct cs_field cs_load_immediate_fields[];
extern const struct cs_field cs_pair_fields[];
extern const struct cs_field cs_store_register_fields[];
extern const struct cs_field cs_load_memory_fields[];
extern const struct cs_field cs_load_register_fields[];
extern const struct cs_field cs_copy_fields[];
extern const struct cs_field cs_report_fields[];
extern const struct cs_field cs_flush_dw_fields[];
extern const struct cs_field cs_batch_start_fields[];
extern const struct cs_field cs_conditional_fields[];
extern const struct cs_field cs_pipe_control_fields[];
extern const struct cs_field cs_primitive_snb_fields[];
extern const struct cs_field cs_primitive_fields[];
extern const struct cs_field cs_gpgpu_object_fields[];
extern const struct cs_field cs_walker_fields[];
extern const struct cs_field cs_pipeline_select_fields[];
extern const struct cs_field cs_binding_table_fields[];

/* Values that the streamer tells apart. */
enum { POST_SYNC_NONE, POST_SYNC_IMMEDIATE, POST_SYNC_DEPTH_COUNT, POST_SYNC_TIMESTAMP };
enum { COMPARE_TRUE, COMPARE_FALSE, COMPARE_SRCS_EQUAL, COMPARE_DELTAS_EQUAL };
enum { COMBINE_SET, COMBINE_AND, COMBINE_OR, COMBINE_XOR };
enum { LOAD_KEEP, LOAD_LOAD = 2, LOAD_LOADINV = 3 };

/* MI_MATH: instructions, and operands other than R0 to R15. */
enum {
    ALU_NOOP = 0x000,
    ALU_LOAD = 0x080,
    ALU_LOADINV = 0x480,
    ALU_LOAD0 = 0x081,
    ALU_LOAD1 = 0x481,
    ALU_ADD = 0x100,
    ALU_SUB = 0x101,
    ALU_AND = 0x102,
    ALU_OR = 0x103,
    ALU_XOR = 0x104,
    ALU_STORE = 0x180,
    ALU_STOREINV = 0x580,
};
enum { ALU_SRCA = 0x20, ALU_SRCB = 0x21, ALU_ACCU = 0x31, ALU_ZF = 0x32, ALU_CF = 0x33 };

#endif
