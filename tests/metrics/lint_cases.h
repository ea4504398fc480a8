/* SPDX-License-Identifier: MIT */
#ifndef TESTS_METRICS_LINT_CASES_H
#define TESTS_METRICS_LINT_CASES_H

#include <stddef.h>

#include <tally/metrics.h>

// clang-format off

/*
 * Findings of tally_lint(), one set per row: at least one row for every kind of finding, next to
 * similar rows that are clean. A test builds the file
 *
 *     <metrics><set ATTRIBUTES>BODY</set></metrics>
 *
* with LINT_SET if a row has no attributes, loads it, lints its only set, and checks
 * that there are exactly `findings` calls, that each message begins with the set's symbol, and
 * that one call has this severity and a message that contains `message`. The function returns the
 * number of calls that were errors.
 */
struct lint_case {
    unsigned line;                     /* line of the row, for messages */
    const char *set;                   /* attributes of the set; NULL: LINT_SET */
    const char *body;                  /* counters, and register configurations */
    unsigned findings;                 /* of all severities; 0: the set is clean */
    enum tally_lint_severity severity; /* of the finding with `message`; unused if clean */
    const char *message;               /* part of its message; NULL if clean */
};

#define LINT_UUID "0123abcd-4567-89EF-0123-456789abcdef"
#define LINT_ATTRIBUTES(symbol, chipset, uuid) \
    "name=\"Test\" symbol_name=\"" symbol "\" chipset=\"" chipset "\" hw_config_guid=\"" uuid "\""
#define LINT_SET LINT_ATTRIBUTES("Test", "SKLGT2", LINT_UUID)
#define LINT_CHIPSET(chipset) LINT_ATTRIBUTES("Test", chipset, LINT_UUID)

/* A 64-bit integer counter and a double counter; `more` has further attributes. */
#define LINT_COUNTER(type, symbol, units, equation, more) \
    "<counter name=\"The " symbol "\" symbol_name=\"" symbol "\" data_type=\"" type \
    "\" units=\"" units "\" equation=\"" equation "\" " more "/>\n"
#define LINT_U(symbol, units, equation, more) \
    LINT_COUNTER("uint64", symbol, units, equation, "semantic_type=\"event\" " more)
#define LINT_F(symbol, units, equation, more) \
    LINT_COUNTER("float", symbol, units, equation, "semantic_type=\"duration\" " more)
#define LINT_PERCENT(equation) LINT_F("P", "percent", equation, "max_equation=\"100\"")

#define LINT_CLOCKS LINT_U("GpuCoreClocks", "cycles", "GPU_CLOCK 0 READ", "")
#define LINT_TIME \
    LINT_U("GpuTime", "ns", "GPU_TIME 0 READ 1000000000 UMUL $GpuTimestampFrequency UDIV", "")
#define LINT_FLEX(address, value) \
    "<register_config type=\"FLEX\"><register address=\"" address "\" value=\"" value \
    "\"/></register_config>\n"

#define LINT_WRITE(address) "<register address=\"" address "\" value=\"1\"/>"
#define LINT_WRITES(type, writes) \
    "<register_config type=\"" type "\">" writes "</register_config>\n"

#define LINT_E TALLY_LINT_ERROR
#define LINT_W TALLY_LINT_WARNING
#define LINT_N TALLY_LINT_NOTE
#define CLEAN(set, body) {__LINE__, set, body, 0, LINT_N, NULL}
#define FINDS(severity, set, body, message) {__LINE__, set, body, 1, severity, message}
#define FINDS_OF(count, severity, set, body, message) \
    {__LINE__, set, body, count, severity, message}

/* A percentage of clocks: with the note on the clocks, and another finding if there is one. */
#define BY_CLOCKS "divides by \"$GpuCoreClocks\", which is 0 if no time passed"
#define PERCENT_CLEAN(set, body) FINDS(LINT_N, set, LINT_CLOCKS body, BY_CLOCKS)
#define PERCENT_FINDS(severity, set, body, message) \
    FINDS_OF(2, severity, set, LINT_CLOCKS body, message)

/* Loaded threads, from the integrator that pulses once for every 8. */
#define OCCUPANCY(a) \
    "A " a " READ 8 UMUL $EuCoresTotalCount UDIV $EuThreadsCount UDIV 100 UMUL " \
    "$GpuCoreClocks FDIV"

/* A7 to A10 count the EUs 0 to 3 of each row. */
#define LINT_QUARTERS \
    "<register_config type=\"FLEX\"><register address=\"0xe458\" value=\"0x00804704\"/>" \
    "<register address=\"0xe558\" value=\"0x00A04904\"/></register_config>"

static const struct lint_case lint_cases[] = {
    /* Clean sets. */
    CLEAN(NULL, ""),
    CLEAN(NULL, LINT_U("VsThreads", "threads", "A 1 READ", "")),
    CLEAN(NULL, LINT_CLOCKS LINT_TIME),
    CLEAN(NULL, LINT_U("X", "Bytes", "A 1 READ $Y UADD 64 UMUL", "")
                    LINT_U("Y", "EVENTS", "B 0 READ", "")),
    CLEAN(LINT_CHIPSET("hsw"), LINT_U("X", "events", "A 44 READ C 7 READ UADD", "")),
    CLEAN(LINT_ATTRIBUTES("_9", "MTLGT3", LINT_UUID), LINT_U("X", "events", "A 37 READ", "")),
    CLEAN(NULL, LINT_U("X", "events", "B 1 READ", "availability=\"$SubsliceMask 0x4 AND\"")),
    CLEAN(NULL, LINT_U("X", "us", "A 1 READ $EuCoresTotalCount $EuThreadsCount UMUL UDIV", "")),
    CLEAN(NULL, LINT_COUNTER("uint64", "X", "number", "1", "")), /* no semantic_type */

    /* Equations that do not parse: the stack. */
    FINDS(LINT_E, NULL, LINT_U("X", "events", "", ""),
          "Test.X equation: empty, expected an equation"),
    FINDS(LINT_E, NULL, LINT_U("X", "events", " \t ", ""), "Test.X equation: empty"),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "A 1 READ UADD", ""),
          "Test.X equation: token 4 \"UADD\": expected two operands"),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "A 1 READ 2", ""), "2 values are left"),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "A 1 READ A 2 UADD", ""), "expected READ after"),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "A 1", ""), "2 values are left"),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "1 READ", ""), "expected a source and a number"),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "A 256 READ", ""), "counter number from 0 to 255"),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "A", ""), "a source without READ"),

    /* Unknown words. */
    FINDS(LINT_E, NULL, LINT_U("X", "events", "A 1 READ 2 UPOW", ""), "token 5 \"UPOW\""),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "$Nothing", ""),
          "token 1 \"$Nothing\": neither a variable nor a counter"),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "1", "max_equation=\"$Nothing\""),
          "Test.X max_equation: token 1 \"$Nothing\""),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "1", "max_equation=\" \""),
          "Test.X max_equation: 0 values are left"),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "1", "availability=\"$SliceMask 1\""),
          "Test.X availability: 2 values are left"),
    FINDS(LINT_E, NULL, "<register_config type=\"NOA\" availability=\"$Slice\"></register_config>",
          "Test register_config availability: token 1 \"$Slice\""),

    /* An availability depends on the GPU only. */
    FINDS(LINT_E, NULL, LINT_U("X", "events", "1", "availability=\"A 0 READ\""),
          "Test.X availability: reads A 0"),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "1", "availability=\"$X 1 UGT\""),
          "Test.X availability: refers to the counter $X"),
    FINDS(LINT_E, NULL,
          "<register_config type=\"NOA\" availability=\"C 1 READ\"></register_config>",
          "Test register_config availability: reads C 1"),

    /* Cycles; counters that only refer to one are not reported. */
    FINDS(LINT_E, NULL, LINT_U("X", "events", "$X 1 UADD", ""),
          "Test.X equation: refers to itself"),
    FINDS(LINT_E, NULL,
          LINT_U("X", "events", "$Y", "") LINT_U("Y", "events", "$Z", "")
              LINT_U("Z", "events", "$Y", ""),
          "Test.Y equation: refers to itself"),
    FINDS_OF(2, LINT_E, NULL, LINT_U("X", "events", "$X", "") LINT_U("Y", "events", "$Y", ""),
             "Test.Y equation: refers to itself"),
    CLEAN(NULL, LINT_U("X", "events", "A 1 READ", "max_equation=\"$X 2 UMUL\"")),

    /* Names. */
    FINDS_OF(2, LINT_E, NULL, LINT_U("X", "events", "1", "") LINT_U("X", "events", "2", ""),
             "Test.X symbol_name: also the symbol of the counter in line 1"),
    FINDS(LINT_W, NULL,
          LINT_U("X", "events", "1",
                 "") "<counter name=\"The X\" symbol_name=\"Y\" units=\"events\" equation=\"2\"/>",
          "Test.Y name: \"The X\" is also the name of X (line 1)"),
    FINDS(LINT_E, NULL, LINT_U("2X", "events", "1", ""),
          "Test.2X symbol_name: \"2X\" is not a valid symbol"),
    FINDS(LINT_E, NULL, LINT_U("X Y", "events", "1", ""), "is not a valid symbol"),
    FINDS(LINT_E, NULL, LINT_U("", "events", "1", ""),
          "Test. symbol_name: \"\" is not a valid symbol"),
    FINDS(LINT_E, LINT_ATTRIBUTES("Te-st", "SKL", LINT_UUID), "", "Te-st symbol_name: \"Te-st\""),
    FINDS(LINT_E, LINT_ATTRIBUTES("Test", "SKL", "0123abcd-4567-89EF-0123-456789abcde"), "",
          "Test hw_config_guid: "),
    FINDS(LINT_E, LINT_ATTRIBUTES("Test", "SKL", LINT_UUID "0"), "", "Test hw_config_guid: "),
    FINDS(LINT_E, LINT_ATTRIBUTES("Test", "SKL", "0123abcd-4567-89EF-0123-456789abcdeg"), "",
          "Test hw_config_guid: "),
    FINDS(LINT_E, LINT_ATTRIBUTES("Test", "SKL", "0123abcd456-7-89EF-0123-456789abcdef"), "",
          "Test hw_config_guid: "),
    FINDS(LINT_E, LINT_ATTRIBUTES("Test", "SKL", ""), "",
          "Test hw_config_guid: \"\" is not a UUID"),

    /* Units and semantic types. */
    FINDS(LINT_W, NULL, LINT_U("X", "furlongs", "1", ""),
          "Test.X units: unknown units \"furlongs\", expected one like percent"),
    FINDS(LINT_W, NULL, LINT_U("X", "", "1", ""), "Test.X units: unknown units \"\", expected one"),
    FINDS(LINT_W, NULL, LINT_COUNTER("uint64", "X", "hz", "1", "semantic_type=\"rate\""),
          "Test.X semantic_type: unknown semantic type \"rate\", expected event, duration"),

    /* Reads of raw counters that no report of the platform has. */
    FINDS(LINT_W, NULL, LINT_U("X", "events", "A 36 READ", ""),
          "Test.X equation: reads A 36, which is in no report of Skylake, expected A 0 to 35"),
    FINDS(LINT_W, LINT_CHIPSET("HSW"), LINT_U("X", "events", "A 45 READ", ""),
          "expected A 0 to 44"),
    FINDS(LINT_W, LINT_CHIPSET("HSW"), LINT_U("X", "cycles", "GPU_CLOCK 0 READ", ""),
          "reads GPU_CLOCK 0, but reports of Haswell have no GPU_CLOCK"),
    CLEAN(LINT_CHIPSET("IVB"), LINT_U("X", "events", "C 11 READ", "")),
    FINDS(LINT_W, LINT_CHIPSET("IVB"), LINT_U("X", "events", "B 4 READ", ""), "expected B 0 to 3"),
    FINDS(LINT_W, LINT_CHIPSET("SNB"), LINT_U("X", "events", "1", "max_equation=\"A 29 READ\""),
          "Test.X max_equation: reads A 29"),
    FINDS(LINT_W, LINT_CHIPSET("HSW"), LINT_U("X", "messages", "PERFCNT 0 READ", ""),
          "reads PERFCNT 0, which is in no report"),
    CLEAN(LINT_CHIPSET("HSW"),
          LINT_U("X", "messages", "PERFCNT 0 READ", "availability=\"true $QueryMode &amp;&amp;\"")),
    FINDS(LINT_N, LINT_CHIPSET("NV50"), LINT_U("X", "events", "A 63 READ", ""),
          "Test chipset: unknown platform \"NV50\""),

    /* Divisors that are or can be 0. */
    FINDS(LINT_E, NULL, LINT_U("X", "events", "A 1 READ 0 UDIV", ""),
          "Test.X equation: divides by \"0\", which is always 0"),
    FINDS(LINT_E, NULL, LINT_F("X", "events", "A 1 READ 0.0 FDIV", ""), "which is always 0"),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "A 1 READ 0.5 UDIV", ""), "which is always 0"),
    FINDS(LINT_E, NULL, LINT_U("X", "events", "1", "max_equation=\"8 3 3 USUB UDIV\""),
          "Test.X max_equation: divides by \"3 3 USUB\", which is always 0"),
    FINDS(LINT_W, NULL, LINT_U("X", "cycles", "A 1 READ A 2 READ UDIV", ""),
          "Test.X equation: divides by \"A 2 READ\", which can be 0"),
    FINDS(LINT_W, NULL,
          LINT_F("X", "number", "$Y 2 $Y FMUL FDIV", "") LINT_U("Y", "events", "B 0 READ", ""),
          "Test.X equation: divides by \"2 $Y FMUL\", which can be 0"),
    FINDS(LINT_W, NULL, LINT_U("X", "number", "A 1 READ $SliceMask UDIV", ""), "$SliceMask"),
    FINDS(LINT_W, NULL, LINT_U("X", "number", "A 1 READ $GpuMinFrequency UDIV", ""), "can be 0"),
    CLEAN(NULL, LINT_U("X", "number", "A 1 READ A 2 READ 1 UADD UDIV", "")),
    CLEAN(NULL, LINT_U("X", "number", "A 1 READ A 2 READ 1 FMAX UDIV", "")),
    FINDS(LINT_W, NULL, LINT_U("X", "number", "A 1 READ $EuCoresTotalCount 100 UDIV UDIV", ""),
          "divides by \"$EuCoresTotalCount 100 UDIV\", which can be 0"),
    FINDS(
        LINT_N, NULL,
        LINT_CLOCKS LINT_TIME LINT_U("F", "hz", "$GpuCoreClocks 1000000000 UMUL $GpuTime UDIV", ""),
        "Test.F equation: divides by \"$GpuTime\", which is 0 if no time passed"),
    FINDS(LINT_N, NULL, LINT_F("X", "number", "A 1 READ GPU_CLOCK 0 READ FDIV", ""), "GPU_CLOCK 0"),
    FINDS(LINT_N, NULL,
          LINT_F("X", "number", "1 GPU_TIME 0 READ FDIV", "")
              LINT_F("Y", "number", "2 GPU_TIME 0 READ $EuCoresTotalCount UMUL FDIV", ""),
          "(then the result is 0), also in 1 other counter"),

    FINDS(LINT_N, NULL, LINT_U("X", "number", "1", "max_equation=\"9 GPU_CLOCK 0 READ UDIV\""),
          "Test.X max_equation: divides by \"GPU_CLOCK 0 READ\""),

    /* Integers that can go below zero. */
    FINDS(LINT_N, NULL, LINT_U("X", "events", "A 1 READ A 2 READ USUB", ""),
          "Test.X equation: \"A 1 READ A 2 READ USUB\" can be negative"),
    FINDS(LINT_N, NULL, LINT_F("X", "events", "C 1 READ C 2 READ FSUB", ""), "can be negative"),
    FINDS(LINT_N, NULL, LINT_U("X", "events", "5 $EuCoresTotalCount USUB", ""), "can be negative"),
    CLEAN(NULL, LINT_F("X", "events", "C 1 READ 2 FDIV C 2 READ FSUB", "")), /* doubles */
    CLEAN(NULL, LINT_U("X", "events", "GPU_CLOCK 0 READ C 2 READ USUB", "")),
    CLEAN(NULL, LINT_U("X", "events", "$EuCoresTotalCount 1 USUB", "")),
    CLEAN(NULL, LINT_U("X", "events", "3 B 1 READ 2 UMIN USUB", "")),

    /* Percentages. */
    PERCENT_CLEAN(NULL, LINT_PERCENT("B 0 READ 100 UMUL $GpuCoreClocks FDIV")),
    PERCENT_FINDS(LINT_N, NULL, LINT_F("P", "percent", "C 0 READ 100 UMUL $GpuCoreClocks FDIV", ""),
                  "Test.P max_equation: empty, expected 100"),
    PERCENT_FINDS(LINT_W, NULL, LINT_PERCENT("B 0 READ 200 UMUL $GpuCoreClocks FDIV"),
                  "Test.P equation: can exceed 100 percent: up to 200"),
    PERCENT_CLEAN(NULL, LINT_PERCENT("B 0 READ B 1 READ FADD 2 FDIV 100 UMUL $GpuCoreClocks FDIV")),
    PERCENT_FINDS(LINT_W, NULL, LINT_PERCENT("B 0 READ B 1 READ FADD 100 UMUL $GpuCoreClocks FDIV"),
                  "can exceed 100 percent: up to 200"),
    PERCENT_CLEAN(NULL, LINT_PERCENT("A 0 READ 100 UMUL $GpuCoreClocks FDIV")),
    PERCENT_CLEAN(NULL, LINT_PERCENT("100 1 C 0 READ $GpuCoreClocks FDIV FSUB FMUL")),
    PERCENT_FINDS(LINT_N, NULL, LINT_PERCENT("A 26 READ 100 UMUL $GpuCoreClocks FDIV"),
                  "the only known bound is 100 x EUs"),
    FINDS(LINT_N, NULL, LINT_PERCENT("GPU_TIME 0 READ"), "the equation has no upper bound"),
    CLEAN(NULL, LINT_PERCENT("GPU_TIME 0 READ 100 UMIN")),
    FINDS(LINT_W, NULL, LINT_CLOCKS LINT_PERCENT("$GpuCoreClocks 100 UMUL"), "up to 100 x clocks"),
    FINDS_OF(2, LINT_W, NULL,
             LINT_F("Hits", "percent", "B 0 READ 100 UMUL B 1 READ FDIV", "max_equation=\"100\""),
             "divides by \"B 1 READ\", which can be 0"),
    FINDS_OF(2, LINT_N, NULL,
             LINT_F("Hits", "percent", "B 0 READ 100 UMUL B 1 READ FDIV", "max_equation=\"100\""),
             "may exceed 100 percent: the only known bound is 100 x clocks"),
    PERCENT_CLEAN(NULL, LINT_PERCENT("$Q 2 FDIV $R FMAX")
                            LINT_F("Q", "percent", "B 0 READ 100 UMUL $GpuCoreClocks FDIV",
                                   "max_equation=\"100\"")
                                LINT_F("R", "percent", "100 $Q FSUB", "max_equation=\"100\"")),

    /* A counters are limited by the platform and by the events that the FLEX registers select. */
    FINDS(LINT_N, LINT_CHIPSET("HSW"),
          LINT_U("GpuCoreClocks", "cycles", "C 2 READ", "")
              LINT_PERCENT("A 0 READ $EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV"),
          BY_CLOCKS),
    FINDS_OF(2, LINT_W, LINT_CHIPSET("HSW"),
             LINT_U("GpuCoreClocks", "cycles", "C 2 READ", "")
                 LINT_PERCENT("A 0 READ 100 UMUL $GpuCoreClocks FDIV"),
             "up to 100 x EUs"),
    PERCENT_CLEAN(NULL, LINT_FLEX("0xe458", "0x00000004") LINT_PERCENT(
                            "A 7 READ $EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV")),
    PERCENT_FINDS(LINT_W, NULL, LINT_FLEX("0xe458", "0x00000004") LINT_PERCENT(OCCUPANCY("7")),
                  "up to 114.3"),
    PERCENT_CLEAN(NULL, LINT_FLEX("0xe758", "0x00778008") LINT_PERCENT(OCCUPANCY("13"))),
    PERCENT_CLEAN(NULL, LINT_PERCENT(OCCUPANCY("13"))), /* not programmed by the set */
    PERCENT_CLEAN(
        LINT_CHIPSET("TGLGT2"),
        LINT_QUARTERS LINT_PERCENT("A 7 READ A 8 READ FADD A 9 READ FADD A 10 READ FADD "
                                   "$EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV")),
    PERCENT_FINDS(LINT_W, LINT_CHIPSET("TGLGT2"),
                  LINT_QUARTERS LINT_PERCENT(
                      "A 7 READ A 8 READ FADD A 9 READ FADD A 10 READ FADD A 7 READ FADD "
                      "$EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV"),
                  "up to 125"),

    /* Writes have an effect on the platform of the set. */
    CLEAN(NULL, LINT_WRITES("NOA", LINT_WRITE("0x9840") LINT_WRITE("0x9888"))
                    LINT_WRITES("OA", LINT_WRITE("0x2710") LINT_WRITE("10096"))
                        LINT_WRITES("FLEX", LINT_WRITE("0xE65C"))),
    FINDS(LINT_W, NULL, LINT_WRITES("NOA", LINT_WRITE("0x9844")),
          "Test register: writes 0x009844, where Skylake has no register, expected an address of "
          "tally list registers --platform skl"),
    FINDS(LINT_W, NULL, LINT_WRITES("NOA", LINT_WRITE("0x986c")),
          "writes 0x00986c, which is NOA_DATA, read-only on Skylake"),
    FINDS(LINT_W, NULL, LINT_WRITES("NOA", LINT_WRITE("0x9842")), "writes 0x009842, where"),
    FINDS(LINT_W, NULL, LINT_WRITES("NOA", LINT_WRITE("0xffffffff")), "writes 0xffffffff, where"),
    FINDS(LINT_W, NULL,
          LINT_WRITES("NOA", LINT_WRITE("0x9844") LINT_WRITE("0x9844") LINT_WRITE("0x9844")),
          "writes 0x009844, 2 times more, where"),
    FINDS_OF(3, LINT_W, NULL,
             LINT_WRITES("NOA", LINT_WRITE("0x9844") LINT_WRITE("0x9848") LINT_WRITE("0x9888"))
                 LINT_WRITES("OA", LINT_WRITE("0x9848")),
             "writes 0x009848, where"),
    CLEAN(LINT_CHIPSET("HSW"),
          LINT_WRITES("NOA", LINT_WRITE("0x25100") LINT_WRITE("0x2ff90") LINT_WRITE("0x9ec0"))),
    FINDS(LINT_W, LINT_CHIPSET("HSW"), LINT_WRITES("NOA", LINT_WRITE("0x2ff94")), "Haswell has no"),
    FINDS(LINT_W, LINT_CHIPSET("HSW"), LINT_WRITES("FLEX", LINT_WRITE("0xe458")), "Haswell has no"),
    FINDS(LINT_W, LINT_CHIPSET("SNB"), LINT_WRITES("OA", LINT_WRITE("0x2710")), "--platform snb"),
    CLEAN(LINT_CHIPSET("SNB"), LINT_WRITES("OA", LINT_WRITE("0x238c"))),
    CLEAN(LINT_CHIPSET("CHV"), LINT_WRITES("NOA", LINT_WRITE("0x1823a4"))),
    FINDS(LINT_W, LINT_CHIPSET("BDW"), LINT_WRITES("NOA", LINT_WRITE("0x1823a4")),
          "--platform bdw"),
    CLEAN(LINT_CHIPSET("LKF"), LINT_WRITES("NOA", LINT_WRITE("0x9884") LINT_WRITE("0xd04"))),
    FINDS(LINT_W, LINT_CHIPSET("BDW"), LINT_WRITES("NOA", LINT_WRITE("0x9884")), "--platform bdw"),
    CLEAN(LINT_CHIPSET("TGLGT2"), LINT_WRITES("OA", LINT_WRITE("0xd900"))), /* not modelled */
};
// clang-format on

#endif
