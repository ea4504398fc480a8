/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_OA_REGISTERS_TEMPLATES_H
#define TALLY_INTEL_OA_REGISTERS_TEMPLATES_H

/* Rows that several maps have, at different addresses and with different names and documents.
 * `symbol` and `prefix` are prepended to the names; source() returns the citation of a name. */

// clang-format off

#define TEXT_1_4(name) "OA-1.4 " name
#define GEN12_5_3(name) "PERF-5.3, PERF-5.5"

#define START_TRIGGERS(symbol, prefix, at, map, source) \
    REG(symbol##OASTARTTRIG1, prefix "OASTARTTRIG1", (at) + 0, map, OA_START_TRIG, RW, 0, 0, OASTARTTRIG_THRESHOLD, "start trigger 1, threshold", source("OASTARTTRIG1")) \
    REG(symbol##OASTARTTRIG2, prefix "OASTARTTRIG2", (at) + 4, map, OA_START_TRIG, RW, 1, 0, OASTARTTRIG_INVERTS, "start trigger 1, inverts and event select", source("OASTARTTRIG2")) \
    REG(symbol##OASTARTTRIG3, prefix "OASTARTTRIG3", (at) + 8, map, OA_START_TRIG, RW, 2, 0, OATRIG_SELECTS, "start trigger 1, inputs 8 to 15", source("OASTARTTRIG3")) \
    REG(symbol##OASTARTTRIG4, prefix "OASTARTTRIG4", (at) + 12, map, OA_START_TRIG, RW, 3, 0, OATRIG_SELECTS, "start trigger 1, inputs 0 to 7", source("OASTARTTRIG4")) \
    REG(symbol##OASTARTTRIG5, prefix "OASTARTTRIG5", (at) + 16, map, OA_START_TRIG, RW, 4, 0, OASTARTTRIG_THRESHOLD, "start trigger 2, threshold", source("OASTARTTRIG5")) \
    REG(symbol##OASTARTTRIG6, prefix "OASTARTTRIG6", (at) + 20, map, OA_START_TRIG, RW, 5, 0, OASTARTTRIG_INVERTS, "start trigger 2, inverts and event select", source("OASTARTTRIG6")) \
    REG(symbol##OASTARTTRIG7, prefix "OASTARTTRIG7", (at) + 24, map, OA_START_TRIG, RW, 6, 0, OATRIG_SELECTS, "start trigger 2, inputs 8 to 15", source("OASTARTTRIG7")) \
    REG(symbol##OASTARTTRIG8, prefix "OASTARTTRIG8", (at) + 28, map, OA_START_TRIG, RW, 7, 0, OATRIG_SELECTS, "start trigger 2, inputs 0 to 7", source("OASTARTTRIG8"))

#define REPORT_TRIGGERS(symbol, prefix, at, map, source) \
    REG(symbol##OAREPORTTRIG1, prefix "OAREPORTTRIG1", (at) + 0, map, OA_REPORT_TRIG, RW, 0, 0, OAREPORTTRIG_THRESHOLD, "report trigger 1, threshold", source("OAREPORTTRIG1")) \
    REG(symbol##OAREPORTTRIG2, prefix "OAREPORTTRIG2", (at) + 4, map, OA_REPORT_TRIG, RW, 1, 0, OAREPORTTRIG_INVERTS, "report trigger 1, inverts and enables", source("OAREPORTTRIG2")) \
    REG(symbol##OAREPORTTRIG3, prefix "OAREPORTTRIG3", (at) + 8, map, OA_REPORT_TRIG, RW, 2, 0, OATRIG_SELECTS, "report trigger 1, inputs 8 to 15", source("OAREPORTTRIG3")) \
    REG(symbol##OAREPORTTRIG4, prefix "OAREPORTTRIG4", (at) + 12, map, OA_REPORT_TRIG, RW, 3, 0, OATRIG_SELECTS, "report trigger 1, inputs 0 to 7", source("OAREPORTTRIG4")) \
    REG(symbol##OAREPORTTRIG5, prefix "OAREPORTTRIG5", (at) + 16, map, OA_REPORT_TRIG, RW, 4, 0, OAREPORTTRIG_THRESHOLD, "report trigger 2, threshold", source("OAREPORTTRIG5")) \
    REG(symbol##OAREPORTTRIG6, prefix "OAREPORTTRIG6", (at) + 20, map, OA_REPORT_TRIG, RW, 5, 0, OAREPORTTRIG_INVERTS, "report trigger 2, inverts and enables", source("OAREPORTTRIG6")) \
    REG(symbol##OAREPORTTRIG7, prefix "OAREPORTTRIG7", (at) + 24, map, OA_REPORT_TRIG, RW, 6, 0, OATRIG_SELECTS, "report trigger 2, inputs 8 to 15", source("OAREPORTTRIG7")) \
    REG(symbol##OAREPORTTRIG8, prefix "OAREPORTTRIG8", (at) + 28, map, OA_REPORT_TRIG, RW, 7, 0, OATRIG_SELECTS, "report trigger 2, inputs 0 to 7", source("OAREPORTTRIG8"))

#endif
