/* SPDX-License-Identifier: MIT */
/* The fields of the commands, where each generation has them. Documents: see commands.c. */
#include "intel/cs/fields.h"

// clang-format off

#define EVERY   CS_FIRST, CS_LAST
#define TO_HSW  60, 75
#define IVB_ON  70, CS_LAST
#define HSW_ON  75, CS_LAST
#define BDW_ON  80, CS_LAST
#define SKL_ON  90, CS_LAST
#define ICL_ON  110, CS_LAST

/* Bits of dword n. */
#define DW(n, low, high)       (n) * 32 + (low), (n) * 32 + (high)
/* An address from dword n on: 32 bits; 48 bits, the rest being a copy of bit 47. */
#define ADDRESS32(n, low)      (n) * 32 + (low), (n) * 32 + 31
#define ADDRESS48(n, low)      (n) * 32 + (low), (n) * 32 + 47

#define FLAG(name, bit, operand, ...)         { name, bit, bit, CS_FLAG, operand, __VA_ARGS__, NULL }
#define NUMBER(name, bits, operand, ...)      { name, bits, CS_NUMBER, operand, __VA_ARGS__, NULL }
#define HEX(name, bits, operand, ...)         { name, bits, CS_HEX, operand, __VA_ARGS__, NULL }
#define UNUSUAL(name, bits, operand, ...)     { name, bits, CS_UNUSUAL, operand, __VA_ARGS__, NULL }
#define PLACE(name, bits, operand, ...)       { name, bits, CS_PLACE, operand, __VA_ARGS__, NULL }
#define NAMED(name, values, bits, operand, ...) { name, bits, CS_NAMED, operand, __VA_ARGS__, values }
#define END                                   { NULL, 0, 0, 0, 0, 0, 0, NULL }
#define NO_MORE                               { 0, NULL }

static const struct cs_value memory_types[] = { { 0, "PPGTT" }, { 1, "GGTT" }, NO_MORE };
static const struct cs_value address_spaces[] = { { 0, "GGTT" }, { 1, "PPGTT" }, NO_MORE };

#define USE_GGTT(...)  NAMED("Use Global GTT", memory_types, DW(0, 22, 22), CS_GGTT, __VA_ARGS__)

const struct cs_field cs_noop_fields[] = {
  FLAG("Identification Number Register Write Enable", 22, CS_ID_WRITE, EVERY),
  UNUSUAL("Identification Number", DW(0, 0, 21), CS_ID, EVERY), END };

const struct cs_field cs_flush_fields[] = {
  FLAG("Indirect State Pointers Disable", 5, CS_OTHER, EVERY),
  FLAG("Generic Media State Clear", 4, CS_OTHER, EVERY),
  FLAG("Global Snapshot Count Reset", 3, CS_OTHER, EVERY),
  FLAG("Render Cache Flush Inhibit", 2, CS_OTHER, EVERY),
  FLAG("State/Instruction Cache Invalidate", 1, CS_OTHER, EVERY), END };

const struct cs_field cs_rs_control_fields[] = { FLAG("Resource Streamer Control", 0, CS_OTHER, EVERY), END };
const struct cs_field cs_rs_context_fields[] = { FLAG("Resource Streamer Save", 0, CS_OTHER, EVERY), END };
const struct cs_field cs_arb_on_off_fields[] = { FLAG("Arbitration Enable", 0, CS_ENABLE, EVERY), END };
const struct cs_field cs_suspend_flush_fields[] = { FLAG("Suspend Flush", 0, CS_ENABLE, EVERY), END };

static const struct cs_value loads[] = { { LOAD_KEEP, "KEEP" }, { LOAD_LOAD, "LOAD" }, { LOAD_LOADINV, "LOADINV" }, NO_MORE };
static const struct cs_value combines[] = { { COMBINE_SET, "SET" }, { COMBINE_AND, "AND" }, { COMBINE_OR, "OR" }, { COMBINE_XOR, "XOR" }, NO_MORE };
static const struct cs_value compares[] = { { COMPARE_TRUE, "TRUE" }, { COMPARE_FALSE, "FALSE" }, { COMPARE_SRCS_EQUAL, "SRCS_EQUAL" }, { COMPARE_DELTAS_EQUAL, "DELTAS_EQUAL" }, NO_MORE };

const struct cs_field cs_predicate_fields[] = {
  NAMED("Load Operation", loads, DW(0, 6, 7), CS_LOAD, EVERY),
  NAMED("Combine Operation", combines, DW(0, 3, 4), CS_COMBINE, EVERY),
  NAMED("Compare Operation", compares, DW(0, 0, 1), CS_COMPARE, EVERY), END };

const struct cs_field cs_topology_fields[] = { HEX("Topology Filter Value", DW(0, 0, 5), CS_OTHER, EVERY), END };

const struct cs_field cs_set_context_fields[] = {
  PLACE("Logical Context Address", ADDRESS32(1, 12), CS_ADDRESS, EVERY),
  FLAG("HD DVD Context", 41, CS_OTHER, 60, 60),
  FLAG("Core Mode Enable", 36, CS_OTHER, HSW_ON),
  FLAG("Extended State Save Enable", 35, CS_OTHER, 60, 70),
  FLAG("Extended State Restore Enable", 34, CS_OTHER, 60, 70),
  FLAG("Resource Streamer State Save Enable", 35, CS_OTHER, HSW_ON),
  FLAG("Resource Streamer State Restore Enable", 34, CS_OTHER, HSW_ON),
  FLAG("Force Restore", 33, CS_RESTORE, EVERY),
  FLAG("Restore Inhibit", 32, CS_OTHER, EVERY), END };

const struct cs_field cs_urb_clear_fields[] = {
  NUMBER("URB Clear Length", DW(1, 16, 28), CS_OTHER, EVERY),
  HEX("URB Address", DW(1, 0, 14), CS_OTHER, EVERY), END };

static const struct cs_value alu_opcodes[] = {
  { ALU_NOOP, "NOOP" }, { ALU_LOAD, "LOAD" }, { ALU_LOADINV, "LOADINV" }, { ALU_LOAD0, "LOAD0" },
  { ALU_LOAD1, "LOAD1" }, { ALU_ADD, "ADD" }, { ALU_SUB, "SUB" }, { ALU_AND, "AND" },
  { ALU_OR, "OR" }, { ALU_XOR, "XOR" }, { ALU_STORE, "STORE" }, { ALU_STOREINV, "STOREINV" }, NO_MORE };
static const struct cs_value alu_operands[] = {
  { 0, "R0" }, { 1, "R1" }, { 2, "R2" }, { 3, "R3" }, { 4, "R4" }, { 5, "R5" }, { 6, "R6" },
  { 7, "R7" }, { 8, "R8" }, { 9, "R9" }, { 10, "R10" }, { 11, "R11" }, { 12, "R12" },
  { 13, "R13" }, { 14, "R14" }, { 15, "R15" }, { ALU_SRCA, "SRCA" }, { ALU_SRCB, "SRCB" },
  { ALU_ACCU, "ACCU" }, { ALU_ZF, "ZF" }, { ALU_CF, "CF" }, NO_MORE };

const struct cs_field cs_alu_fields[] = {
  NAMED("ALU Opcode", alu_opcodes, DW(0, 20, 31), CS_ALU_OPCODE, EVERY),
  NAMED("Operand 1", alu_operands, DW(0, 10, 19), CS_ALU_FIRST, EVERY),
  NAMED("Operand 2", alu_operands, DW(0, 0, 9), CS_ALU_SECOND, EVERY), END };

static const struct cs_value wait_modes[] = { { 0, "Signal" }, { 1, "Polling" }, NO_MORE };
static const struct cs_value waits[] = {
  { 0, "SAD_GREATER_THAN_SDD" }, { 1, "SAD_GREATER_THAN_OR_EQUAL_SDD" }, { 2, "SAD_LESS_THAN_SDD" },
  { 3, "SAD_LESS_THAN_OR_EQUAL_SDD" }, { 4, "SAD_EQUAL_SDD" }, { 5, "SAD_NOT_EQUAL_SDD" }, NO_MORE };

const struct cs_field cs_semaphore_fields[] = {
  NAMED("Memory Type", memory_types, DW(0, 22, 22), CS_GGTT, EVERY),
  FLAG("Register Poll Mode", 16, CS_REGISTER_POLL, SKL_ON),
  NAMED("Wait Mode", wait_modes, DW(0, 15, 15), CS_OTHER, EVERY),
  NAMED("Compare Operation", waits, DW(0, 12, 14), CS_COMPARE, EVERY),
  HEX("Semaphore Data Dword", DW(1, 0, 31), CS_DATA, EVERY),
  PLACE("Semaphore Address", ADDRESS48(2, 2), CS_ADDRESS, EVERY), END };

const struct cs_field cs_store_data_fields[] = {
  USE_GGTT(EVERY),
  FLAG("Store Qword", 21, CS_OTHER, BDW_ON),
  PLACE("Address", ADDRESS32(2, 2), CS_ADDRESS, TO_HSW),
  FLAG("Core Mode Enable", 64, CS_CORE_MODE, 75, 75),
  PLACE("Address", ADDRESS48(1, 2), CS_ADDRESS, BDW_ON),
  FLAG("Core Mode Enable", 32, CS_CORE_MODE, BDW_ON), END };
const struct cs_field cs_data_fields[] = { HEX("Data", DW(0, 0, 31), CS_DATA, EVERY), END };

const struct cs_field cs_store_index_fields[] = {
  FLAG("Use Per-Process Hardware Status Page", 21, CS_OTHER, BDW_ON),
  PLACE("Offset", DW(1, 2, 11), CS_ADDRESS, EVERY),
  HEX("Data", DW(2, 0, 63), CS_DATA, EVERY), END };

const struct cs_field cs_load_immediate_fields[] = {
  FLAG("Add CS MMIO Start Offset", 19, CS_REGISTER_BASE, ICL_ON),
  UNUSUAL("Byte Write Disables", DW(0, 8, 11), CS_BYTES_DISABLED, EVERY), END };
const struct cs_field cs_pair_fields[] = {
  PLACE("Register Offset", DW(0, 2, 22), CS_REGISTER, EVERY),
  HEX("Data DWord", DW(1, 0, 31), CS_DATA, EVERY), END };

const struct cs_field cs_store_register_fields[] = {
  USE_GGTT(EVERY),
  FLAG("Predicate Enable", 21, CS_PREDICATED, HSW_ON),
  FLAG("Add CS MMIO Start Offset", 19, CS_REGISTER_BASE, ICL_ON),
  PLACE("Register Address", DW(1, 2, 22), CS_REGISTER, EVERY),
  PLACE("Memory Address", ADDRESS32(2, 2), CS_ADDRESS, TO_HSW),
  PLACE("Memory Address", ADDRESS48(2, 2), CS_ADDRESS, BDW_ON), END };

const struct cs_field cs_load_memory_fields[] = {
  USE_GGTT(EVERY),
  FLAG("Async Mode Enable", 21, CS_OTHER, EVERY),
  FLAG("Add CS MMIO Start Offset", 19, CS_REGISTER_BASE, ICL_ON),
  PLACE("Register Address", DW(1, 2, 22), CS_REGISTER, EVERY),
  PLACE("Memory Address", ADDRESS32(2, 2), CS_ADDRESS, TO_HSW),
  PLACE("Memory Address", ADDRESS48(2, 2), CS_ADDRESS, BDW_ON), END };

const struct cs_field cs_load_register_fields[] = {
  FLAG("Add CS MMIO Start Offset Source", 18, CS_REGISTER_SOURCE_BASE, ICL_ON),
  FLAG("Add CS MMIO Start Offset Destination", 19, CS_REGISTER_BASE, ICL_ON),
  PLACE("Source Register Address", DW(1, 2, 22), CS_REGISTER_SOURCE, EVERY),
  PLACE("Destination Register Address", DW(2, 2, 22), CS_REGISTER, EVERY), END };

const struct cs_field cs_copy_fields[] = {
  NAMED("Use Global GTT Source", memory_types, DW(0, 22, 22), CS_GGTT_SOURCE, EVERY),
  NAMED("Use Global GTT Destination", memory_types, DW(0, 21, 21), CS_GGTT, EVERY),
  PLACE("Destination Memory Address", ADDRESS48(1, 2), CS_ADDRESS, EVERY),
  PLACE("Source Memory Address", ADDRESS48(3, 2), CS_ADDRESS_SOURCE, EVERY), END };

const struct cs_field cs_report_fields[] = {
  PLACE("Memory Address", ADDRESS32(1, 6), CS_ADDRESS, TO_HSW),
  PLACE("Memory Address", ADDRESS48(1, 6), CS_ADDRESS, BDW_ON),
  FLAG("Core Mode Enable", 36, CS_CORE_MODE, HSW_ON),
  NAMED("GTT Select", memory_types, DW(1, 0, 0), CS_GGTT, EVERY),
  HEX("Report ID", DW(2, 0, 31), CS_ID, TO_HSW),
  HEX("Report ID", DW(3, 0, 31), CS_ID, BDW_ON), END };

static const struct cs_value post_syncs[] = {
  { POST_SYNC_NONE, "No Write" }, { POST_SYNC_IMMEDIATE, "Write Immediate Data" },
  { POST_SYNC_DEPTH_COUNT, "Write PS Depth Count" }, { POST_SYNC_TIMESTAMP, "Write Timestamp" }, NO_MORE };

const struct cs_field cs_flush_dw_fields[] = {
  FLAG("Protected Memory Enable", 22, CS_OTHER, EVERY),
  FLAG("Store Data Index", 21, CS_INDEXED, EVERY),
  FLAG("TLB Invalidate", 18, CS_OTHER, EVERY),
  NAMED("Post-Sync Operation", post_syncs, DW(0, 14, 15), CS_POST_SYNC, EVERY),
  FLAG("Notify Enable", 8, CS_NOTIFY, EVERY),
  NAMED("Destination Address Type", memory_types, DW(1, 2, 2), CS_GGTT, EVERY),
  PLACE("Address", ADDRESS32(1, 3), CS_ADDRESS, TO_HSW),
  PLACE("Address", ADDRESS48(1, 3), CS_ADDRESS, BDW_ON),
  HEX("Immediate Data", DW(2, 0, 63), CS_DATA, TO_HSW),
  HEX("Immediate Data", DW(3, 0, 63), CS_DATA, BDW_ON), END };

const struct cs_field cs_batch_start_fields[] = {
  FLAG("2nd Level Batch Buffer", 22, CS_SECOND_LEVEL, HSW_ON),
  FLAG("Add Offset Enable", 16, CS_ADD_OFFSET, HSW_ON),
  FLAG("Predication Enable", 15, CS_PREDICATED, HSW_ON),
  FLAG("Non-Privileged", 13, CS_NON_PRIVILEGED, 75, 75),
  FLAG("Clear Command Buffer Enable", 11, CS_OTHER, TO_HSW),
  FLAG("Resource Streamer Enable", 10, CS_OTHER, HSW_ON),
  NAMED("Address Space Indicator", address_spaces, DW(0, 8, 8), CS_PPGTT, EVERY),
  PLACE("Batch Buffer Start Address", ADDRESS32(1, 2), CS_ADDRESS, TO_HSW),
  PLACE("Batch Buffer Start Address", ADDRESS48(1, 2), CS_ADDRESS, BDW_ON), END };

const struct cs_field cs_conditional_fields[] = {
  USE_GGTT(EVERY),
  FLAG("Compare Semaphore", 21, CS_COMPARE, EVERY),
  FLAG("Compare Mask Mode", 19, CS_COMPARE_MASK, SKL_ON),
  HEX("Compare Data Dword", DW(1, 0, 31), CS_DATA, EVERY),
  PLACE("Compare Address", ADDRESS32(2, 3), CS_ADDRESS, TO_HSW),
  PLACE("Compare Address", ADDRESS48(2, 3), CS_ADDRESS, BDW_ON), END };

const struct cs_field cs_pipe_control_fields[] = {
  FLAG("Command Cache Invalidate Enable", 61, CS_OTHER, ICL_ON),
  FLAG("Tile Cache Flush Enable", 60, CS_OTHER, ICL_ON),
  FLAG("Flush LLC", 58, CS_OTHER, SKL_ON),
  FLAG("LRI Post Sync Operation", 55, CS_REGISTER_WRITE, IVB_ON),
  FLAG("Store Data Index", 53, CS_INDEXED, EVERY),
  FLAG("Command Streamer Stall Enable", 52, CS_STALL, EVERY),
  FLAG("Global Snapshot Count Reset", 51, CS_OTHER, EVERY),
  FLAG("TLB Invalidate", 50, CS_OTHER, EVERY),
  FLAG("Synchronize GFDT Surface", 49, CS_OTHER, 60, 60),
  FLAG("PSD Sync Enable", 49, CS_OTHER, ICL_ON),
  FLAG("Generic Media State Clear", 48, CS_OTHER, EVERY),
  NAMED("Post Sync Operation", post_syncs, DW(1, 14, 15), CS_POST_SYNC, EVERY),
  FLAG("Depth Stall Enable", 45, CS_OTHER, EVERY),
  FLAG("Render Target Cache Flush Enable", 44, CS_OTHER, EVERY),
  FLAG("Instruction Cache Invalidate Enable", 43, CS_OTHER, EVERY),
  FLAG("Texture Cache Invalidation Enable", 42, CS_OTHER, EVERY),
  FLAG("Indirect State Pointers Disable", 41, CS_OTHER, EVERY),
  FLAG("Notify Enable", 40, CS_NOTIFY, EVERY),
  FLAG("Pipe Control Flush Enable", 39, CS_OTHER, IVB_ON),
  FLAG("DC Flush Enable", 37, CS_OTHER, IVB_ON),
  FLAG("VF Cache Invalidation Enable", 36, CS_OTHER, EVERY),
  FLAG("Constant Cache Invalidation Enable", 35, CS_OTHER, EVERY),
  FLAG("State Cache Invalidation Enable", 34, CS_OTHER, EVERY),
  FLAG("Stall At Pixel Scoreboard", 33, CS_OTHER, EVERY),
  FLAG("Depth Cache Flush Enable", 32, CS_OTHER, EVERY),
  NAMED("Destination Address Type", memory_types, DW(2, 2, 2), CS_GGTT, 60, 60),
  NAMED("Destination Address Type", memory_types, DW(1, 24, 24), CS_GGTT, IVB_ON),
  PLACE("Address", ADDRESS32(2, 3), CS_ADDRESS, 60, 60),
  PLACE("Address", ADDRESS32(2, 2), CS_ADDRESS, 70, 75),
  PLACE("Address", ADDRESS48(2, 2), CS_ADDRESS, BDW_ON),
  HEX("Immediate Data", DW(3, 0, 63), CS_DATA, TO_HSW),
  HEX("Immediate Data", DW(4, 0, 63), CS_DATA, BDW_ON), END };

const struct cs_field cs_primitive_snb_fields[] = {
  HEX("Primitive Topology Type", DW(0, 10, 14), CS_OTHER, EVERY),
  NUMBER("Vertex Count Per Instance", DW(1, 0, 31), CS_OTHER, EVERY),
  NUMBER("Start Vertex Location", DW(2, 0, 31), CS_OTHER, EVERY),
  NUMBER("Instance Count", DW(3, 0, 31), CS_OTHER, EVERY), END };

const struct cs_field cs_primitive_fields[] = {
  FLAG("Indirect Parameter Enable", 10, CS_OTHER, EVERY),
  FLAG("Predicate Enable", 8, CS_PREDICATED, EVERY),
  HEX("Primitive Topology Type", DW(1, 0, 5), CS_OTHER, EVERY),
  NUMBER("Vertex Count Per Instance", DW(2, 0, 31), CS_OTHER, EVERY),
  NUMBER("Start Vertex Location", DW(3, 0, 31), CS_OTHER, EVERY),
  NUMBER("Instance Count", DW(4, 0, 31), CS_OTHER, EVERY), END };

const struct cs_field cs_gpgpu_object_fields[] = { FLAG("Predicate Enable", 8, CS_PREDICATED, EVERY), END };

const struct cs_field cs_walker_fields[] = {
  FLAG("Indirect Parameter Enable", 10, CS_OTHER, EVERY),
  FLAG("Predicate Enable", 8, CS_PREDICATED, EVERY),
  NUMBER("Thread Width Counter Maximum", DW(2, 0, 5), CS_OTHER, TO_HSW),
  NUMBER("Thread Width Counter Maximum", DW(4, 0, 5), CS_OTHER, BDW_ON),
  NUMBER("Thread Group ID X Dimension", DW(4, 0, 31), CS_OTHER, TO_HSW),
  NUMBER("Thread Group ID Y Dimension", DW(6, 0, 31), CS_OTHER, TO_HSW),
  NUMBER("Thread Group ID Z Dimension", DW(8, 0, 31), CS_OTHER, TO_HSW),
  NUMBER("Thread Group ID X Dimension", DW(7, 0, 31), CS_OTHER, BDW_ON),
  NUMBER("Thread Group ID Y Dimension", DW(10, 0, 31), CS_OTHER, BDW_ON),
  NUMBER("Thread Group ID Z Dimension", DW(12, 0, 31), CS_OTHER, BDW_ON), END };

static const struct cs_value pipelines[] = { { 0, "3D" }, { 1, "Media" }, { 2, "GPGPU" }, NO_MORE };
const struct cs_field cs_pipeline_select_fields[] = { NAMED("Pipeline Selection", pipelines, DW(0, 0, 1), CS_OTHER, EVERY), END };

const struct cs_field cs_binding_table_fields[] = { PLACE("Pointer to PS Binding Table", DW(1, 5, 15), CS_OTHER, EVERY), END };
// clang-format on
