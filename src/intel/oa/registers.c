/* SPDX-License-Identifier: MIT */
/*
 * The OA unit's registers in their four maps (OA-1.1 to OA-1.4; PERF-5.3 to PERF-5.5 of Gen12);
 * what can be written is OAT-6. `flags` of a row is the number of its first
 * element.
 */
#include "intel/oa/registers.h"

#include "base/bits.h"

#define ON(platform) (1u << INTEL_##platform)
#define GEN7         (ON(IVB) | ON(VLV))
#define MAP_A        (ON(SNB) | GEN7)
#define MAP_B        ON(HSW)
#define MAP_AB       (MAP_A | MAP_B)
#define GEN8         (ON(BDW) | ON(CHV))
#define GEN9_UP      (ON(SKL) | ON(ICL) | ON(LKF))
#define MAP_C        (GEN8 | GEN9_UP)
#define MAP_D        ON(TGL)
#define ALL          (MAP_AB | MAP_C | MAP_D)

#define RW REG_READ_WRITE
#define RO REG_READ
#define WO REG_WRITE

// clang-format off

/* ---- fields ---------------------------------------------------------------------------------- */

static const struct reg_field control_ab[] = {
    {"ENABLE", 0, 0, RW, 0, ALL, NULL, "Performance Counter Enable: 0 stops all counting"},
    {"SPECIFIC_CONTEXT", 1, 1, RW, 0, ALL, NULL, "count for the selected context only"},
    {"COUNTER_SELECT", 2, 4, RW, 0, ALL, NULL, "report format"},
    {"TIMER_ENABLE", 5, 5, RW, 0, ALL, NULL, "periodic reports"},
    {"TIMER_PERIOD", 6, 11, RW, 0, ALL, NULL, "exponent of the period"},
    {"CONTEXT_ID", 12, 31, RW, 0, ALL, NULL, "Select Context ID, bits 31:12"},
    {0},
};

static const struct reg_field status1_ab[] = {
    {"REPORT_LOST", 0, 0, RW, 0, ON(SNB) | ON(IVB) | ON(HSW), NULL, "a request came while a report was written"},
    {"BUFFER_OVERFLOW", 1, 1, RW, 0, ALL, NULL, "a report did not fit"},
    {"COUNTER_OVERFLOW", 2, 2, RW, 0, ALL, NULL, "a counter wrapped"},
    {"BUFFER_SIZE", 3, 5, RW, 0, ALL, NULL, "16 KiB x (n + 1); HSW 128 KiB << n"},
    {"TAIL", 6, 31, RW, 0, ALL, NULL, "Tail Pointer"},
    {0},
};

static const struct reg_field status2_ab[] = {
    {"GGTT", 0, 0, RW, 0, MAP_A, NULL, "1: the buffer is in the GGTT"},
    {"HEAD_WRAP", 1, 1, RW, 0, MAP_B, NULL, "Head Pointer Wrap Flag"},
    {"HEAD_WRAP_MASK", 2, 2, WO, 0, MAP_B, NULL, "1 to write HEAD_WRAP"},
    {"TAIL_WRAP", 3, 3, RW, 0, MAP_B, NULL, "Tail Pointer Wrap Flag"},
    {"TAIL_WRAP_MASK", 4, 4, WO, 0, MAP_B, NULL, "1 to write TAIL_WRAP"},
    {"HEAD", 6, 31, RW, 0, ALL, NULL, "Head Pointer"},
    {0},
};

static const struct reg_field buffer_snb[] = {
    {"EDGE_TRIGGER", 2, 2, WO, 0, ALL, NULL, "report triggers: 0 level, 1 edge"},
    {"BASE", 6, 31, WO, 0, ALL, NULL, "report buffer base"},
    {0},
};

static const struct reg_field buffer_ab[] = {
    {"RESUME", 0, 0, RW, 0, ALL, NULL, "1 resumes all counters"},
    {"STOP_RESUME", 1, 1, RW, 0, ALL, NULL, "Stop-Resume mechanism enable"},
    {"EDGE_TRIGGER", 2, 2, RW, 0, ALL, NULL, "report triggers: 0 level, 1 edge"},
    {"OVERRUN_DISABLE", 3, 3, RW, 0, MAP_B, NULL, "Disable Overrun Mode"},
    {"OVERRUN", 4, 4, RO, 0, MAP_B, NULL, "Overrun status"},
    {"BASE", 6, 31, RW, 0, ALL, NULL, "report buffer base"},
    {0},
};

static const struct reg_field noaselect[] = {
    {"CLOCKS", 0, 31, RW, 0, ALL, NULL, "two bits a NOA counter: 0 csclk, 1 crclk, 2 crmclk"},
    {0},
};

#define INVERTS \
    {"INVERT_A", 0, 15, RW, 0, ALL, NULL, "inverts the inputs"}, \
    {"INVERT_B", 16, 19, RW, 0, ALL, NULL, "inverts the four ANDs of four inputs"}, \
    {"INVERT_C", 20, 21, RW, 0, ALL, NULL, "inverts the two ANDs of those"}, \
    {"INVERT_D", 22, 22, RW, 0, ALL, NULL, "inverts the result"}, \
    {"THRESHOLD_ENABLE", 23, 23, RW, 0, ALL, NULL, "true from so many true clocks on"}

static const struct reg_field start_threshold[] = {{"THRESHOLD", 0, 15, RW, 0, ALL, NULL, "clocks"}, {0}};
static const struct reg_field start_inverts[] = {
    INVERTS, {"EVENT_SELECT", 28, 31, RW, 0, ALL, NULL, "boolean counters that count custom events"}, {0}};
static const struct reg_field report_threshold[] = {
    {"THRESHOLD", 0, 15, RW, 0, ALL, NULL, "clocks"},
    {"OCCURRENCE", 16, 31, RW, 0, ALL, NULL, "a bit a NOA bit: 0 counts its clocks, 1 its rising edges"}, {0}};
static const struct reg_field report_inverts[] = {
    INVERTS, {"TRIGGER_ENABLE", 31, 31, RW, 0, ALL, NULL, "Report Trigger Enable"}, {0}};
static const struct reg_field selects[] = {
    {"SELECT0", 0, 3, RW, 0, ALL, NULL, "NOA bit of an input"}, {"SELECT1", 4, 7, RW, 0, ALL, NULL, NULL},
    {"SELECT2", 8, 11, RW, 0, ALL, NULL, NULL}, {"SELECT3", 12, 15, RW, 0, ALL, NULL, NULL},
    {"SELECT4", 16, 19, RW, 0, ALL, NULL, NULL}, {"SELECT5", 20, 23, RW, 0, ALL, NULL, NULL},
    {"SELECT6", 24, 27, RW, 0, ALL, NULL, NULL}, {"SELECT7", 28, 31, RW, 0, ALL, NULL, NULL}, {0}};

static const struct reg_value compare_names[] = {
    {0, "any equal"}, {1, "greater"}, {2, "equal"}, {3, "greater or equal"},
    {4, "less"}, {5, "not equal"}, {6, "less or equal"}, {7, "always"}, {0}};
static const struct reg_value source_names[] = {
    {0, "NOA"}, {1, "previous block"}, {2, "NOA 15:8, events 7:0"}, {3, "0"}, {0}};
static const struct reg_field cec_0[] = {
    {"FUNCTION", 0, 2, RW, 0, ALL, compare_names, "Compare Function"},
    {"VALUE", 3, 18, RW, 0, ALL, NULL, "Compare Value"},
    {"SOURCE", 19, 20, RW, 0, ALL, source_names, "what is compared"},
    {"NEGATE", 21, 31, RW, 0, MAP_C | MAP_D, NULL, "inverts input bits 10:0"}, {0}};
static const struct reg_field cec_1[] = {
    {"MASK", 0, 15, RW, 0, ALL, NULL, "1 removes an input bit from the comparison"},
    {"CONSIDERATIONS", 16, 31, RW, 0, ALL, NULL, "1 delays an input bit by one clock"}, {0}};

static const struct reg_field ctxcontrol[] = {
    {"RUN", 0, 0, RW, 0, ALL, NULL, "Counter Stop-Resume: 1 lets counters run"},
    {"TIMER_ENABLE", 1, 1, RW, 0, ALL, NULL, "periodic reports"},
    {"TIMER_PERIOD", 2, 7, RW, 0, ALL, NULL, "exponent of the period"}, {0}};
static const struct reg_field control_c[] = {
    {"ENABLE", 0, 0, RW, 0, ALL, NULL, "Counter Enable"},
    {"SPECIFIC_CONTEXT", 1, 1, RW, 0, ALL, NULL, "count for OACTXID only"},
    {"COUNTER_SELECT", 2, 4, RW, 0, ALL, NULL, "report format"}, {0}};
static const struct reg_field control_d[] = {
    {"ENABLE", 0, 0, RW, 0, ALL, NULL, "Counter Enable"},
    {"COUNTER_SELECT", 2, 4, RW, 0, ALL, NULL, "report format"}, {0}};
static const struct reg_field oar_control[] = {
    {"ENABLE", 0, 0, RW, 0, ALL, NULL, "the context's counters count, and MI_REPORT_PERF_COUNT shows them"},
    {"COUNTER_SELECT", 1, 3, RW, 0, ALL, NULL, "format of MI_REPORT_PERF_COUNT"}, {0}};
static const struct reg_field oar_ctxcontrol[] = {
    {"RUN", 0, 0, RW, 0, ALL, NULL, "Counter Stop-Resume: 1 lets the context's counters run"},
    {"STORED", 1, 7, RW, 0, ALL, NULL, "timer of Gen8 to Gen11; here OAG_OAGLBCTXCTRL has it"}, {0}};
static const struct reg_field context_control[] = {
    {"OAR_CONTEXT_ENABLE", 8, 8, RW, 0, ALL, NULL, "the context has OAR"},
    {"RUN_ALONE", 7, 7, RW, 0, ALL, NULL, "no other engine's context runs beside it; stored"},
    {"STORED", 0, 15, RW, 0, ALL, NULL, "all of it can be written, where MASK has a 1"},
    {"MASK", 16, 31, WO, 0, ALL, NULL, "write enables of bits 15:0"}, {0}};
static const struct reg_field debug_fields[] = {
    {"NO_CONTEXT_REPORTS", 1, 1, RW, 0, ALL, NULL, "no context switch reports"},
    {"NO_GO_REPORTS", 2, 2, RW, 0, ALL, NULL, "no reports when GO falls"},
    {"NO_RATIO_REPORTS", 5, 5, RW, 0, ALL, NULL, "no clock ratio change reports"},
    {"RATIOS_IN_ID", 6, 6, RW, 0, ALL, NULL, "clock ratios in RPT_ID"},
    {"STORED", 0, 15, RW, 0, ALL, NULL, "all of it can be written, where MASK has a 1"},
    {"MASK", 16, 31, WO, 0, ALL, NULL, "write enables of bits 15:0"}, {0}};
static const struct reg_field status_cd[] = {
    {"REPORT_LOST", 0, 0, RW, 0, ALL, NULL, "a request came while a report was written"},
    {"BUFFER_OVERFLOW", 1, 1, RW, 0, ALL, NULL, "a report did not fit"},
    {"COUNTER_OVERFLOW", 2, 2, RW, 0, ALL, NULL, "a counter wrapped"},
    {"OVERRUN", 3, 3, RW, 0, MAP_C, NULL, "Overrun status"},
    {"HEAD_WRAP", 16, 16, RW, 0, MAP_C, NULL, "Head pointer wrap flag"},
    {"TAIL_WRAP", 17, 17, RW, 0, MAP_C, NULL, "Tail pointer wrap flag"}, {0}};
static const struct reg_field pointer[] = {{"POINTER", 6, 31, RW, 0, ALL, NULL, "bits 31:6 of the address"}, {0}};
static const struct reg_field buffer_c[] = {
    {"GGTT", 0, 0, RW, 0, ALL, NULL, "1: the buffer is in the GGTT"},
    {"OVERRUN_DISABLE", 1, 1, RW, 0, ALL, NULL, "disable overrun mode (OA-U12)"},
    {"EDGE_TRIGGER", 2, 2, RW, 0, ALL, NULL, "report triggers: 0 level, 1 edge (OA-U12)"},
    {"SIZE", 3, 5, RW, 0, ALL, NULL, "128 KiB << n"},
    {"BASE", 6, 31, RW, 0, ALL, NULL, "report buffer base, bits 31:6"}, {0}};
static const struct reg_field upper[] = {{"UPPER", 0, 7, RW, 0, ALL, NULL, "bits 39:32"}, {0}};
static const struct reg_field upper_ro[] = {{"UPPER", 0, 7, RO, 0, ALL, NULL, "bits 39:32"}, {0}};
static const struct reg_field timestamp_high[] = {{"HIGH", 0, 3, RO, 0, ALL, NULL, "bits 35:32"}, {0}};

static const struct reg_value increments[] = {
    {0, "FPU0"}, {1, "FPU1"}, {2, "send"}, {3, "both FPUs"}, {4, "any pipe"}, {5, "loaded, no pipe"},
    {8, "occupancy"}, {15, "none"}, {0}};
static const struct reg_value coarse_filters[] = {
    {0, "all"}, {1, "VS"}, {2, "HS"}, {3, "DS"}, {4, "GS"}, {5, "PS"}, {6, "TS"}, {7, "row 0"}, {8, "row 1"}, {0}};
static const struct reg_value fine_filters[] = {
    {0, "all"}, {1, "hybrid"}, {2, "ternary"}, {3, "binary"}, {4, "mov"}, {5, "send start"},
    {7, "EU 0"}, {8, "EU 1"}, {9, "EU 2"}, {10, "EU 3"}, {0}};
static const struct reg_field eu_ctl[] = {
    {"INCREMENT_0", 0, 3, RW, 0, ALL, increments, "event of the even counter"},
    {"COARSE_0", 4, 7, RW, 0, ALL, coarse_filters, NULL},
    {"FINE_0", 8, 11, RW, 0, ALL, fine_filters, NULL},
    {"INCREMENT_1", 12, 15, RW, 0, ALL, increments, "event of the odd counter"},
    {"COARSE_1", 16, 19, RW, 0, ALL, coarse_filters, NULL},
    {"FINE_1", 20, 23, RW, 0, ALL, fine_filters, NULL},
    {"RESERVED", 24, 31, RW, 0, ALL, NULL, "stored"}, {0}};

/* ---- maps ------------------------------------------------------------------------------------ */

#define ONE    {{0}}
#define LIST(letter, count, stride) {{letter, count, stride}}

/* Rows that several maps have: at other addresses, by other names, from other documents. */
#define TEXT_1_4(name) "OA-1.4 " name
#define GEN12_5_3(name) "PERF-5.3, PERF-5.5"
#define START_TRIGGERS(prefix, at, map, source) \
    {prefix "OASTARTTRIG1", (at) + 0, ONE, map, OA_START_TRIG, RW, 0, 0, start_threshold, "start trigger 1, threshold", source("OASTARTTRIG1")}, \
    {prefix "OASTARTTRIG2", (at) + 4, ONE, map, OA_START_TRIG, RW, 1, 0, start_inverts, "start trigger 1, inverts and event select", source("OASTARTTRIG2")}, \
    {prefix "OASTARTTRIG3", (at) + 8, ONE, map, OA_START_TRIG, RW, 2, 0, selects, "start trigger 1, inputs 8 to 15", source("OASTARTTRIG3")}, \
    {prefix "OASTARTTRIG4", (at) + 12, ONE, map, OA_START_TRIG, RW, 3, 0, selects, "start trigger 1, inputs 0 to 7", source("OASTARTTRIG4")}, \
    {prefix "OASTARTTRIG5", (at) + 16, ONE, map, OA_START_TRIG, RW, 4, 0, start_threshold, "start trigger 2, threshold", source("OASTARTTRIG5")}, \
    {prefix "OASTARTTRIG6", (at) + 20, ONE, map, OA_START_TRIG, RW, 5, 0, start_inverts, "start trigger 2, inverts and event select", source("OASTARTTRIG6")}, \
    {prefix "OASTARTTRIG7", (at) + 24, ONE, map, OA_START_TRIG, RW, 6, 0, selects, "start trigger 2, inputs 8 to 15", source("OASTARTTRIG7")}, \
    {prefix "OASTARTTRIG8", (at) + 28, ONE, map, OA_START_TRIG, RW, 7, 0, selects, "start trigger 2, inputs 0 to 7", source("OASTARTTRIG8")}
#define REPORT_TRIGGERS(prefix, at, map, source) \
    {prefix "OAREPORTTRIG1", (at) + 0, ONE, map, OA_REPORT_TRIG, RW, 0, 0, report_threshold, "report trigger 1, threshold", source("OAREPORTTRIG1")}, \
    {prefix "OAREPORTTRIG2", (at) + 4, ONE, map, OA_REPORT_TRIG, RW, 1, 0, report_inverts, "report trigger 1, inverts and enables", source("OAREPORTTRIG2")}, \
    {prefix "OAREPORTTRIG3", (at) + 8, ONE, map, OA_REPORT_TRIG, RW, 2, 0, selects, "report trigger 1, inputs 8 to 15", source("OAREPORTTRIG3")}, \
    {prefix "OAREPORTTRIG4", (at) + 12, ONE, map, OA_REPORT_TRIG, RW, 3, 0, selects, "report trigger 1, inputs 0 to 7", source("OAREPORTTRIG4")}, \
    {prefix "OAREPORTTRIG5", (at) + 16, ONE, map, OA_REPORT_TRIG, RW, 4, 0, report_threshold, "report trigger 2, threshold", source("OAREPORTTRIG5")}, \
    {prefix "OAREPORTTRIG6", (at) + 20, ONE, map, OA_REPORT_TRIG, RW, 5, 0, report_inverts, "report trigger 2, inverts and enables", source("OAREPORTTRIG6")}, \
    {prefix "OAREPORTTRIG7", (at) + 24, ONE, map, OA_REPORT_TRIG, RW, 6, 0, selects, "report trigger 2, inputs 8 to 15", source("OAREPORTTRIG7")}, \
    {prefix "OAREPORTTRIG8", (at) + 28, ONE, map, OA_REPORT_TRIG, RW, 7, 0, selects, "report trigger 2, inputs 0 to 7", source("OAREPORTTRIG8")}
#define EU_CONTROLS(map) \
    {"EU_PERF_CNT_CTL0", 0xe458, ONE, map, OA_EU_CTL, RW, 0, 0, eu_ctl, "flexible events of A7, A8", "OA-1.4 EU_PERF_CNT_CTL"}, \
    {"EU_PERF_CNT_CTL1", 0xe558, ONE, map, OA_EU_CTL, RW, 1, 0, eu_ctl, "flexible events of A9, A10", "OA-1.4 EU_PERF_CNT_CTL"}, \
    {"EU_PERF_CNT_CTL2", 0xe658, ONE, map, OA_EU_CTL, RW, 2, 0, eu_ctl, "flexible events of A11, A12", "OA-1.4 EU_PERF_CNT_CTL"}, \
    {"EU_PERF_CNT_CTL3", 0xe758, ONE, map, OA_EU_CTL, RW, 3, 0, eu_ctl, "flexible events of A13, A14", "OA-1.4 EU_PERF_CNT_CTL"}, \
    {"EU_PERF_CNT_CTL4", 0xe45c, ONE, map, OA_EU_CTL, RW, 4, 0, eu_ctl, "flexible events of A15, A16", "OA-1.4 EU_PERF_CNT_CTL"}, \
    {"EU_PERF_CNT_CTL5", 0xe55c, ONE, map, OA_EU_CTL, RW, 5, 0, eu_ctl, "flexible events of A17, A18", "OA-1.4 EU_PERF_CNT_CTL"}, \
    {"EU_PERF_CNT_CTL6", 0xe65c, ONE, map, OA_EU_CTL, RW, 6, 0, eu_ctl, "flexible events of A19, A20", "OA-1.4 EU_PERF_CNT_CTL"}

static const struct reg map_ab[] = {
    {"TIMESTAMP", 0x2358, ONE, MAP_AB, OA_TIMESTAMP_LOW, RO, 0, 0, NULL, "timestamp, bits 31:0", "OA-1.6"},
    {"TIMESTAMP_UDW", 0x235c, ONE, MAP_AB, OA_TIMESTAMP_HIGH, RO, 0, 0, timestamp_high, "timestamp, bits 35:32", "OA-1.6"},
    {"OACONTROL", 0x2360, ONE, MAP_AB, OA_CONTROL, RW, 0, 0, control_ab, "observation control", "OA-1.4 OACONTROL, maps A and B"},
    {"OASTATUS1", 0x2364, ONE, MAP_AB, OA_STATUS, RW, 0, 0, status1_ab, "tail pointer, buffer size, status", "OA-1.4 OASTATUS1"},
    {"OASTATUS2", 0x2368, ONE, MAP_AB, OA_STATUS2, RW, 0, 0, status2_ab, "head pointer", "OA-1.4 OASTATUS2"},
    {"OANOASELECT", 0x236c, ONE, ON(SNB), OA_NOASELECT, RW, 0, 0, noaselect, "clocks of the NOA counters", "OA-1.1"},
    {"OABUFFER", 0x23b0, ONE, ON(SNB), OA_BUFFER, WO, 0, 0, buffer_snb, "report buffer", "OA-1.4 OABUFFER, maps A and B"},
    {"OABUFFER", 0x23b0, ONE, GEN7 | MAP_B, OA_BUFFER, RW, 0, 0, buffer_ab, "report buffer", "OA-1.4 OABUFFER, maps A and B"},
    {"OAREPORTTRIG4", 0x2370, ONE, MAP_A, OA_REPORT_TRIG, RW, 3, 0, selects, "report trigger, inputs 0 to 7", "OA-1.4 OAREPORTTRIG4"},
    {"OAREPORTTRIG3", 0x2374, ONE, MAP_A, OA_REPORT_TRIG, RW, 2, 0, selects, "report trigger, inputs 8 to 15", "OA-1.4 OAREPORTTRIG3"},
    {"OAREPORTTRIG2", 0x2378, ONE, MAP_A, OA_REPORT_TRIG, RW, 1, 0, report_inverts, "report trigger, inverts and enables", "OA-1.4 OAREPORTTRIG2"},
    {"OAREPORTTRIG1", 0x237c, ONE, MAP_A, OA_REPORT_TRIG, RW, 0, 0, report_threshold, "report trigger, threshold", "OA-1.4 OAREPORTTRIG1"},
    {"OASTARTTRIG4", 0x2380, ONE, MAP_A, OA_START_TRIG, RW, 3, 0, selects, "start trigger, inputs 0 to 7", "OA-1.4 OASTARTTRIG4"},
    {"OASTARTTRIG3", 0x2384, ONE, MAP_A, OA_START_TRIG, RW, 2, 0, selects, "start trigger, inputs 8 to 15", "OA-1.4 OASTARTTRIG3"},
    {"OASTARTTRIG2", 0x2388, ONE, MAP_A, OA_START_TRIG, RW, 1, 0, start_inverts, "start trigger, inverts and event select", "OA-1.4 OASTARTTRIG2"},
    {"OASTARTTRIG1", 0x238c, ONE, MAP_A, OA_START_TRIG, RW, 0, 0, start_threshold, "start trigger, threshold", "OA-1.4 OASTARTTRIG1"},
    {"CEC_0", 0x2390, LIST("n", 4, 8), MAP_A, OA_CEC, RW, 0, 0, cec_0, "custom event n: compare", "OA-1.4 CECn-0"},
    {"CEC_1", 0x2394, LIST("n", 4, 8), MAP_A, OA_CEC, RW, 1, 0, cec_1, "custom event n: mask and delay", "OA-1.4 CECn-1"},
    START_TRIGGERS("", 0x2710, MAP_B, TEXT_1_4),
    REPORT_TRIGGERS("", 0x2740, MAP_B, TEXT_1_4),
    {"CEC_0", 0x2770, LIST("n", 8, 8), MAP_B, OA_CEC, RW, 0, 0, cec_0, "custom event n: compare", "OA-1.4 CECn-0"},
    {"CEC_1", 0x2774, LIST("n", 8, 8), MAP_B, OA_CEC, RW, 1, 0, cec_1, "custom event n: mask and delay", "OA-1.4 CECn-1"},
    {"OAPERF_A", 0x2800, LIST("n", 45, 4), MAP_B, OA_PERF_A, RW, 0, 0, NULL, "live A counter", "OA-1.2"},
    {"OAPERF_B", 0x28b4, LIST("n", 8, 4), MAP_B, OA_PERF_B, RW, 0, 0, NULL, "live B counter", "OA-1.2"},
};

static const struct reg map_c[] = {
    {"TIMESTAMP", 0x2358, ONE, MAP_C, OA_TIMESTAMP_LOW, RO, 0, 0, NULL, "timestamp, bits 31:0", "OA-1.6"},
    {"TIMESTAMP_UDW", 0x235c, ONE, MAP_C, OA_TIMESTAMP_HIGH, RO, 0, 0, timestamp_high, "timestamp, bits 35:32", "OA-1.6"},
    {"OACTXCONTROL", 0x2360, ONE, MAP_C, OA_CTXCONTROL, RW, 0, 0, ctxcontrol, "a context's counters and timer", "OA-1.4 OACTXCONTROL"},
    {"OACTXID", 0x2364, ONE, MAP_C, OA_CTXID, RW, 0, 0, NULL, "context to count for", "OA-1.4 OACTXCONTROL"},
    {"OABUFFER_UDW", 0x23b4, ONE, MAP_C, OA_BUFFER_UDW, RW, 0, 0, NULL, "report buffer base, bits 63:32", "OA-1.3"},
    START_TRIGGERS("", 0x2710, MAP_C, TEXT_1_4),
    REPORT_TRIGGERS("", 0x2740, MAP_C, TEXT_1_4),
    {"CEC_0", 0x2770, LIST("n", 8, 8), MAP_C, OA_CEC, RW, 0, 0, cec_0, "custom event n: compare", "OA-1.4 CECn-0"},
    {"CEC_1", 0x2774, LIST("n", 8, 8), MAP_C, OA_CEC, RW, 1, 0, cec_1, "custom event n: mask and delay", "OA-1.4 CECn-1"},
    {"OAPERF_A", 0x2800, LIST("n", 32, 8), MAP_C, OA_PERF_A, RW, 0, 0, NULL, "live A counter, bits 31:0", "OA-1.3"},
    {"OAPERF_A_UPPER", 0x2804, LIST("n", 32, 8), MAP_C, OA_PERF_A_UPPER, RW, 0, 0, upper, "live A counter, bits 39:32", "OA-1.3"},
    {"OAPERF_A32", 0x2900, LIST("n", 4, 4), MAP_C, OA_PERF_A, RW, 32, 0, NULL, "live counters A32 to A35", "OA-1.3"},
    {"GPU_TICKS", 0x2910, ONE, MAP_C, OA_GPU_TICKS, RO, 0, 0, NULL, "render clocks", "OA-1.3"},
    {"OAPERF_B", 0x2920, LIST("n", 8, 4), MAP_C, OA_PERF_B, RW, 0, 0, NULL, "live B counter", "OA-1.3"},
    {"OAPERF_C", 0x2940, LIST("n", 8, 4), MAP_C, OA_PERF_C, RW, 0, 0, NULL, "live C counter", "OA-1.3"},
    {"OAPERF_FREE", 0x2960, LIST("n", 4, 8), GEN9_UP, OA_FREE, RO, 0, 0, NULL, "free-running A4, A6, A19, A20, bits 31:0", "OA-1.3"},
    {"OAPERF_FREE_UPPER", 0x2964, LIST("n", 4, 8), GEN9_UP, OA_FREE_UPPER, RO, 0, 0, upper_ro, "free-running A4, A6, A19, A20, bits 39:32", "OA-1.3"},
    {"OACONTROL", 0x2b00, ONE, MAP_C, OA_CONTROL, RW, 0, 0, control_c, "observation control", "OA-1.4 OACONTROL, map C"},
    {"OA_DEBUG", 0x2b04, ONE, GEN9_UP, OA_DEBUG, RW, 0, 0, debug_fields, "which reports are left out; masked writes", "OA-1.4 OA_DEBUG"},
    {"OASTATUS", 0x2b08, ONE, MAP_C, OA_STATUS, RW, 0, 0, status_cd, "status", "OA-1.4 OASTATUS, map C"},
    {"OAHEADPTR", 0x2b0c, ONE, MAP_C, OA_HEADPTR, RW, 0, 0, pointer, "head pointer", "OA-1.3"},
    {"OATAILPTR", 0x2b10, ONE, MAP_C, OA_TAILPTR, RW, 0, 0, pointer, "tail pointer", "OA-1.3"},
    {"OABUFFER", 0x2b14, ONE, MAP_C, OA_BUFFER, RW, 0, 0, buffer_c, "report buffer", "OA-1.4 OABUFFER, map C"},
    {"OA_IMR", 0x2b20, ONE, MAP_C, OA_IMR, RW, 0, 0xffffffff, NULL, "interrupt mask; bit 28 half full", "OA-U13"},
    EU_CONTROLS(MAP_C),
};

static const struct reg map_d[] = {
    {"CTX_CONTEXT_CONTROL", 0x2244, ONE, MAP_D, OAR_CONTEXT_CONTROL, RW, 0, 0, context_control, "what the render context has; masked writes, saved with it", "PERF-5.4"},
    {"TIMESTAMP", 0x2358, ONE, MAP_D, OA_TIMESTAMP_LOW, RO, 0, 0, NULL, "timestamp, bits 31:0", "OA-1.6"},
    {"TIMESTAMP_UDW", 0x235c, ONE, MAP_D, OA_TIMESTAMP_HIGH, RO, 0, 0, timestamp_high, "timestamp, bits 35:32", "OA-1.6"},
    {"OACTXCONTROL", 0x2360, ONE, MAP_D, OAR_CTXCONTROL, RW, 0, 0, oar_ctxcontrol, "the render context's OAR, saved with it", "PERF-5.4"},
    {"OAR_OAPERF_A", 0x2800, LIST("n", 32, 8), MAP_D, OAR_PERF_A, RW, 0, 0, NULL, "live A counter of the context, bits 31:0", "OA-1.3: where Gen11 has its own (our reading)"},
    {"OAR_OAPERF_A_UPPER", 0x2804, LIST("n", 32, 8), MAP_D, OAR_PERF_A_UPPER, RW, 0, 0, upper, "live A counter of the context, bits 39:32", "OA-1.3: where Gen11 has its own (our reading)"},
    {"OAR_OAPERF_A32", 0x2900, LIST("n", 4, 4), MAP_D, OAR_PERF_A, RW, 32, 0, NULL, "live counters A32 to A35 of the context", "OA-1.3: where Gen11 has its own (our reading)"},
    {"OAR_OAPERF_B", 0x2920, LIST("n", 8, 4), MAP_D, OAR_PERF_B, RW, 0, 0, NULL, "live B counter of the context", "OA-1.3: where Gen11 has its own (our reading)"},
    {"OAR_OAPERF_C", 0x2940, LIST("n", 8, 4), MAP_D, OAR_PERF_C, RW, 0, 0, NULL, "live C counter of the context", "OA-1.3: where Gen11 has its own (our reading)"},
    {"OAR_OACONTROL", 0x2960, ONE, MAP_D, OAR_CONTROL, RW, 0, 0, oar_control, "the render context's OAR, saved with it", "PERF-5.4"},
    {"OAR_OASTATUS", 0x2968, ONE, MAP_D, OAR_STATUS, RW, 0, 0, status_cd, "status of the render context's OAR", "PERF-5.4"},
    {"OA_IMR", 0x2b20, ONE, MAP_D, OA_IMR, RW, 0, 0xffffffff, NULL, "interrupt mask; bit 28 half full", "OA-U13: Gen11's"},
    {"OAG_OAGLBCTXCTRL", 0x2b28, ONE, MAP_D, OA_CTXCONTROL, RW, 0, 0, ctxcontrol, "timer and resume, for all contexts", "PERF-5.3"},
    {"OAG_OA_PESS", 0x2b2c, ONE, MAP_D, OA_PESS, RW, 0, 0, NULL, "sources of performance events; stored", "PERF-5.3"},
    START_TRIGGERS("OAG_", 0xd900, MAP_D, GEN12_5_3),
    REPORT_TRIGGERS("OAG_", 0xd920, MAP_D, GEN12_5_3),
    {"OAG_CEC_0", 0xd940, LIST("n", 8, 8), MAP_D, OA_CEC, RW, 0, 0, cec_0, "custom event n: compare", "PERF-5.3"},
    {"OAG_CEC_1", 0xd944, LIST("n", 8, 8), MAP_D, OA_CEC, RW, 1, 0, cec_1, "custom event n: mask and delay", "PERF-5.3"},
    {"OAG_OAPERF_A", 0xd980, LIST("n", 32, 8), MAP_D, OA_PERF_A, RW, 0, 0, NULL, "live A counter, bits 31:0", "PERF-5.3"},
    {"OAG_OAPERF_A_UPPER", 0xd984, LIST("n", 32, 8), MAP_D, OA_PERF_A_UPPER, RW, 0, 0, upper, "live A counter, bits 39:32", "PERF-5.3"},
    {"OAG_OAPERF_A32", 0xda80, LIST("n", 4, 4), MAP_D, OA_PERF_A, RW, 32, 0, NULL, "live counters A32 to A35", "PERF-5.3"},
    {"OAG_GPU_TICKS", 0xda90, ONE, MAP_D, OA_GPU_TICKS, RO, 0, 0, NULL, "render clocks", "PERF-5.3"},
    {"OAG_OAPERF_B", 0xda94, LIST("n", 8, 4), MAP_D, OA_PERF_B, RW, 0, 0, NULL, "live B counter", "PERF-5.3"},
    {"OAG_OAPERF_C", 0xdab4, LIST("n", 8, 4), MAP_D, OA_PERF_C, RW, 0, 0, NULL, "live C counter", "PERF-5.3"},
    {"OAG_OACONTROL", 0xdaf4, ONE, MAP_D, OA_CONTROL, RW, 0, 0, control_d, "observation control", "PERF-5.3"},
    {"OAG_OA_DEBUG", 0xdaf8, ONE, MAP_D, OA_DEBUG, RW, 0, 0, debug_fields, "which reports are left out; masked writes", "PERF-5.3"},
    {"OAG_OASTATUS", 0xdafc, ONE, MAP_D, OA_STATUS, RW, 0, 0, status_cd, "status", "PERF-5.3"},
    {"OAG_OAHEADPTR", 0xdb00, ONE, MAP_D, OA_HEADPTR, RW, 0, 0, pointer, "head pointer", "PERF-5.3"},
    {"OAG_OATAILPTR", 0xdb04, ONE, MAP_D, OA_TAILPTR, RW, 0, 0, pointer, "tail pointer", "PERF-5.3"},
    {"OAG_OABUFFER", 0xdb08, ONE, MAP_D, OA_BUFFER, RW, 0, 0, buffer_c, "report buffer", "PERF-5.3"},
    {"OAG_SCEC_0", 0xdc00, LIST("n", 8, 8), MAP_D, OA_SCEC, RW, 0, 0, cec_0, "second custom event n: compare; stored", "PERF-3.6, PERF-5.3"},
    {"OAG_SCEC_1", 0xdc04, LIST("n", 8, 8), MAP_D, OA_SCEC, RW, 1, 0, cec_1, "second custom event n: mask and delay; stored", "PERF-3.6, PERF-5.3"},
    {"OAG_SPCTR_CNF", 0xdc40, ONE, MAP_D, OA_SPCTR_CNF, RW, 0, 0, NULL, "second custom events; stored", "PERF-5.3"},
    {"OAG_OAA_DBG", 0xdc44, ONE, MAP_D, OA_AGGREGATE_DEBUG, RW, 0, 0, NULL, "stored", "PERF-5.3"},
    EU_CONTROLS(MAP_D),
};

// clang-format on

static const struct reg_map maps[] = {
    {"oa-map-ab", "Observability Performance Counters", 0, 0x10000, map_ab, ARRAY_COUNT(map_ab)},
    {"oa-map-c", "Observability, Gen8 on", 0, 0x10000, map_c, ARRAY_COUNT(map_c)},
    {"oa-map-d", "docs/reference/i915-perf.md", 0, 0x10000, map_d, ARRAY_COUNT(map_d)},
};

const struct reg_map *oa_registers(enum intel_revision revision)
{
    uint32_t bit = INTEL_BIT(revision);
    return &maps[bit & MAP_AB ? 0 : bit & MAP_C ? 1 : 2];
}
