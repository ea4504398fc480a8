/* SPDX-License-Identifier: MIT */
/* Formats and rules of reports, as in IGT's test (IGT-3.1, IGT-3.2). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

/* ---- formats --------------------------------------------------------------------------------- */

#define GEN8_11 (GEN8_UP & ~GEN12)

/* The layouts that IGT's test assumes; Haswell's formats 6 and 7 are in fact one dword longer. */
// clang-format off
static const struct format formats[] = {
    {BIT(HSW), 1,  "A13",       64,  {12, 13}, {0, 0},   {0, 0},   0,  false},
    {BIT(HSW), 2,  "A29",       128, {12, 29}, {0, 0},   {0, 0},   0,  false},
    {BIT(HSW), 3,  "A13_B8_C8", 128, {12, 13}, {64, 8},  {96, 8},  0,  false},
    {BIT(HSW), 4,  "B4_C8",     64,  {0, 0},   {16, 4},  {32, 8},  0,  false},
    {BIT(HSW), 5,  "A45_B8_C8", 256, {12, 45}, {192, 8}, {224, 8}, 0,  false},
    {BIT(HSW), 6,  "B4_C8_A16", 128, {60, 16}, {16, 4},  {32, 8},  29, false},
    {BIT(HSW), 7,  "C4_B8",     64,  {0, 0},   {28, 8},  {16, 4},  0,  false},
    {GEN8_11,  7,  "C4_B8",     64,  {0, 0},   {32, 8},  {16, 4},  0,  false},
    {GEN8_11,  8,  "A12",       64,  {12, 12}, {0, 0},   {0, 0},   7,  false},
    {GEN8_11,  9,  "A12_B8_C8", 128, {12, 12}, {64, 8},  {96, 8},  7,  false},
    {GEN8_UP,  10, "A32u40_A4u32_B8_C8", 256, {16, 32}, {192, 8}, {224, 8}, 0, true},
};
// clang-format on

const struct format *format_at(size_t index)
{
    return index < COUNT(formats) ? &formats[index] : NULL;
}

const struct format *format_of_all(const struct device *device)
{
    return device->platform == HSW ? &formats[4] : &formats[COUNT(formats) - 1];
}

/* ---- fields ---------------------------------------------------------------------------------- */

uint32_t dword(const uint8_t *report, unsigned index)
{
    uint32_t value;
    memcpy(&value, report + 4 * (size_t)index, sizeof value);
    return value;
}

uint32_t reason_of(const uint8_t *report)
{
    return dword(report, 0) >> 19 & 0x3f;
}

bool is_periodic(const struct device *device, unsigned exponent, const uint8_t *report)
{
    if (device->platform != HSW)
        return reason_of(report) & 1;
    uint32_t mask = (2u << exponent) - 1;
    return (dword(report, 1) & mask) == 1u << exponent;
}

const char *describe(const struct device *device, const uint8_t *report)
{
    static char text[128];
    snprintf(text, sizeof text, "id 0x%08x, time 0x%08x, dwords 2 and 3 0x%08x 0x%08x, on %s",
             dword(report, 0), dword(report, 1), dword(report, 2), dword(report, 3),
             platform_name(device->platform));
    return text;
}

static uint64_t wide(const uint8_t *report, unsigned n)
{
    return dword(report, 4 + n) | (uint64_t)report[160 + n] << 32;
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* Counters of Haswell that are not documented. */
static bool is_undefined(const struct device *device, unsigned a)
{
    static const uint8_t undefined[] = {4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 29, 31, 34, 43, 44};
    return device->platform == HSW && memchr(undefined, (int)a, sizeof undefined);
}

static unsigned long highest_mhz(void)
{
    return read_number(CARD_DIRECTORY "/gt_RP0_freq_mhz");
}

/* Returns the clocks between two reports; on Haswell from a C counter, if the format has one. */
static uint32_t clocks_of(const struct device *device, const struct format *format,
                          const uint8_t *from, const uint8_t *to)
{
    if (device->platform != HSW)
        return dword(to, 3) - dword(from, 3);
    uint64_t ticks = dword(to, 1) - dword(from, 1), ns = ticks * 1000000000 / device->timestamp_hz;
    CHECK(ticks, "two reports have time 0x%08x", dword(to, 1));
    if (!format->c.count)
        return (uint32_t)(highest_mhz() * ns / 1000);
    uint32_t c2 = format->c.at / 4 + 2u, clocks = dword(to, c2) - dword(from, c2);
    CHECK(clocks, "no clock in %llu ns", (unsigned long long)ns);
    CHECK(clocks * UINT64_C(1000) / ns <= highest_mhz(), "%u clocks in %llu ns", clocks,
          (unsigned long long)ns);
    return clocks;
}

static void at_most(const char *kind, unsigned n, uint64_t delta, uint64_t max,
                    const struct format *format)
{
    CHECK(delta <= max, "%s%u of %s grew by %llu, expected at most %llu", kind, n, format->name,
          (unsigned long long)delta, (unsigned long long)max);
}

static void check_a(const struct device *device, const struct format *format, const uint8_t *from,
                    const uint8_t *to, uint64_t max)
{
    for (unsigned i = 0; i < format->a.count; i++) {
        unsigned at = format->a.at / 4u + i;
        uint64_t delta = format->wide_a ? (wide(to, i) - wide(from, i)) & 0xffffffffff
                                        : dword(to, at) - dword(from, at);
        if (!is_undefined(device, format->first_a + i))
            at_most("A", format->first_a + i, delta, max, format);
    }
    for (unsigned i = 36; format->wide_a && i < 40; i++)
        at_most("A", i - 4, dword(to, i) - dword(from, i), max, format);
}

/* The events of TestOa count known fractions of the clock, within one. */
static void check_test_set(const struct format *format, const uint8_t *from, const uint8_t *to,
                           uint32_t c)
{
    const uint32_t expected[8] = {0, c, c, c / 2, c / 3, c / 3, c / 6, c * 2 / 3};
    for (unsigned i = 0; i < format->b.count; i++) {
        unsigned at = format->b.at / 4u + i;
        int64_t off = (int64_t)(dword(to, at) - dword(from, at)) - expected[i];
        int64_t may = c && i >= 3 ? 1 : 0;
        CHECK(off >= -may && off <= may, "B%u of %s grew by %u in %u clocks", i, format->name,
              dword(to, at) - dword(from, at), c);
    }
}

void check_pair(const struct device *device, const struct format *format, const uint8_t *from,
                const uint8_t *to)
{
    CHECK(dword(from, 1) && dword(to, 1), "a timestamp of 0");
    uint32_t clocks = clocks_of(device, format, from, to);
    uint32_t max = clocks * device->eus; /* in 32 bits, as in IGT's test */
    if (clocks > UINT32_MAX / device->eus)
        max = UINT32_MAX;
    check_a(device, format, from, to, max);
    for (unsigned i = 0; i < format->c.count; i++) {
        unsigned at = format->c.at / 4u + i;
        at_most("C", i, dword(to, at) - dword(from, at), max, format);
    }
    if (device->platform != HSW) {
        check_test_set(format, from, to, clocks);
        return;
    }
    for (unsigned i = 0; i < format->b.count; i++) {
        unsigned at = format->b.at / 4u + i;
        at_most("B", i, dword(to, at) - dword(from, at), max, format);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

void read_reports(const struct device *device, int stream, const struct format *format,
                  unsigned exponent, bool timer_only, uint8_t *out, unsigned count)
{
    static uint8_t bytes[1 << 16];
    unsigned have = 0;
    while (have < count) {
        ssize_t size = read(stream, bytes, sizeof bytes);
        if (size < 0 && errno == EINTR)
            continue;
        CHECK(size > 0, "read: %s", strerror(errno));
        size_t at = 0;
        const struct drm_i915_perf_record_header *header;
        while (have < count && (header = next_record(bytes, (size_t)size, &at))) {
            const uint8_t *report = (const uint8_t *)(header + 1);
            CHECK(header->type != DRM_I915_PERF_RECORD_OA_BUFFER_LOST, "the buffer was lost");
            if (header->type != DRM_I915_PERF_RECORD_SAMPLE) {
                have = 0;
                continue;
            }
            CHECK(header->size == sizeof *header + format->size, "a sample of %u bytes",
                  header->size);
            CHECK(dword(report, 1), "a timestamp of 0");
            if (timer_only && !is_periodic(device, exponent, report))
                continue;
            memcpy(out + (size_t)format->size * have++, report, format->size);
        }
    }
}
