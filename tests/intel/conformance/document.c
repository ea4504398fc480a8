/* SPDX-License-Identifier: MIT */
#include "intel/conformance/document.h"

#include <stdlib.h>
#include <string.h>

const char *const oa_platform_names[OA_PLATFORMS] = {"snb", "ivb", "vlv", "hsw", "bdw",
                                                     "chv", "skl", "icl", "lkf"};
const char *const oa_sku_names[OA_PLATFORMS] = {"snb", "ivb/gt1", "vlv", "hsw", "bdw",
                                                "chv", "skl",     "icl", "lkf"};

#define ALL 0xffffffff

/* clang-format off */
const struct oa_document_register oa_document_registers[] = {
    /* name, platforms, address, count, number of the first, stride, bits, reset */
    {"TIMESTAMP", SNB, LKF, 0x2358, 0, 0, 0, 0, 0},
    {"TIMESTAMP_UPPER", SNB, LKF, 0x235c, 0, 0, 0, 0, 0},
    /* 000: Sandy Bridge, Ivy Bridge, Valleyview */
    {"OACONTROL", SNB, HSW, 0x2360, 0, 0, 0, ALL, 0},
    {"OASTATUS1", SNB, IVB, 0x2364, 0, 0, 0, ALL, 0},
    {"OASTATUS1", VLV, VLV, 0x2364, 0, 0, 0, 0xfffffffe, 0}, /* Report Lost does not work */
    {"OASTATUS1", HSW, HSW, 0x2364, 0, 0, 0, ALL, 0},
    {"OASTATUS2", SNB, VLV, 0x2368, 0, 0, 0, 0xffffffc1, 0},
    {"OASTATUS2", HSW, HSW, 0x2368, 0, 0, 0, 0xffffffc0, 1}, /* without the wrap flags */
    {"OANOASELECT", SNB, SNB, 0x236c, 0, 0, 0, ALL, 0},
    {"OABUFFER", SNB, SNB, 0x23b0, 0, 0, 0, 0, 0}, /* write only */
    {"OABUFFER", IVB, VLV, 0x23b0, 0, 0, 0, 0xffffffc7, 0},
    {"OABUFFER", HSW, HSW, 0x23b0, 0, 0, 0, 0xffffffcf, 0},
    {"OAREPORTTRIG1", SNB, VLV, 0x237c, 0, 0, 0, ALL, 0},
    {"OAREPORTTRIG2", SNB, VLV, 0x2378, 0, 0, 0, 0x80ffffff, 0},
    {"OAREPORTTRIG", SNB, VLV, 0x2374, 2, 3, -4, ALL, 0},
    {"OASTARTTRIG1", SNB, VLV, 0x238c, 0, 0, 0, 0x0000ffff, 0},
    {"OASTARTTRIG2", SNB, VLV, 0x2388, 0, 0, 0, 0xf0ffffff, 0},
    {"OASTARTTRIG", SNB, VLV, 0x2384, 2, 3, -4, ALL, 0},
    {"CEC@-0", SNB, VLV, 0x2390, 4, 0, 8, 0x001fffff, 0},
    {"CEC@-1", SNB, VLV, 0x2394, 4, 0, 8, ALL, 0},
    /* 000: Haswell; 002 to 004: Broadwell on */
    {"OASTARTTRIG1", HSW, LKF, 0x2710, 0, 0, 0, 0x0000ffff, 0},
    {"OASTARTTRIG2", HSW, LKF, 0x2714, 0, 0, 0, 0xf0ffffff, 0},
    {"OASTARTTRIG", HSW, LKF, 0x2718, 2, 3, 4, ALL, 0},
    {"OASTARTTRIG5", HSW, LKF, 0x2720, 0, 0, 0, 0x0000ffff, 0},
    {"OASTARTTRIG6", HSW, LKF, 0x2724, 0, 0, 0, 0xf0ffffff, 0},
    {"OASTARTTRIG", HSW, LKF, 0x2728, 2, 7, 4, ALL, 0},
    {"OAREPORTTRIG1", HSW, LKF, 0x2740, 0, 0, 0, ALL, 0},
    {"OAREPORTTRIG2", HSW, LKF, 0x2744, 0, 0, 0, 0x80ffffff, 0},
    {"OAREPORTTRIG", HSW, LKF, 0x2748, 2, 3, 4, ALL, 0},
    {"OAREPORTTRIG5", HSW, LKF, 0x2750, 0, 0, 0, ALL, 0},
    {"OAREPORTTRIG6", HSW, LKF, 0x2754, 0, 0, 0, 0x80ffffff, 0},
    {"OAREPORTTRIG", HSW, LKF, 0x2758, 2, 7, 4, ALL, 0},
    {"CEC@-0", HSW, HSW, 0x2770, 8, 0, 8, 0x001fffff, 0},
    {"CEC@-0", BDW, LKF, 0x2770, 8, 0, 8, ALL, 0}, /* with Negate */
    {"CEC@-1", HSW, LKF, 0x2774, 8, 0, 8, ALL, 0},
    {"OAPERF_A", HSW, HSW, 0x2800, 45, 0, 4, ALL, 0},
    {"OAPERF_B", HSW, HSW, 0x28b4, 8, 0, 4, ALL, 0},
    /* 002 to 004 */
    {"OACTXCONTROL", BDW, LKF, 0x2360, 0, 0, 0, 0xff, 0},
    {"OACTXID", BDW, LKF, 0x2364, 0, 0, 0, ALL, 0},
    {"OABUFFER_UDW", BDW, LKF, 0x23b4, 0, 0, 0, ALL, 0},
    {"OAPERF_A@_UPPER", BDW, LKF, 0x2804, 32, 0, 8, 0xff, 0},
    {"OAPERF_A", BDW, LKF, 0x2800, 32, 0, 8, ALL, 0},
    {"OAPERF_A", BDW, LKF, 0x2900, 4, 32, 4, ALL, 0},
    {"GPU_TICKS", BDW, LKF, 0x2910, 0, 0, 0, 0, 0},
    {"OAPERF_B", BDW, LKF, 0x2920, 8, 0, 4, ALL, 0},
    {"OAPERF_C", BDW, LKF, 0x2940, 8, 0, 4, ALL, 0},
    {"OAPERF_A4_LOWER_FREE", SKL, LKF, 0x2960, 0, 0, 0, 0, 0},
    {"OAPERF_A4_UPPER_FREE", SKL, LKF, 0x2964, 0, 0, 0, 0, 0},
    {"OAPERF_A6_LOWER_FREE", SKL, LKF, 0x2968, 0, 0, 0, 0, 0},
    {"OAPERF_A6_UPPER_FREE", SKL, LKF, 0x296c, 0, 0, 0, 0, 0},
    {"OAPERF_A19_LOWER_FREE", SKL, LKF, 0x2970, 0, 0, 0, 0, 0},
    {"OAPERF_A19_UPPER_FREE", SKL, LKF, 0x2974, 0, 0, 0, 0, 0},
    {"OAPERF_A20_LOWER_FREE", SKL, LKF, 0x2978, 0, 0, 0, 0, 0},
    {"OAPERF_A20_UPPER_FREE", SKL, LKF, 0x297c, 0, 0, 0, 0, 0},
    {"OACONTROL", BDW, LKF, 0x2b00, 0, 0, 0, 0x1f, 0},
    {"OA_DEBUG", SKL, LKF, 0x2b04, 0, 0, 0, 0, 0}, /* masked writes */
    {"OASTATUS", BDW, LKF, 0x2b08, 0, 0, 0, 0x3000f, 0},
    {"OAHEADPTR", BDW, LKF, 0x2b0c, 0, 0, 0, 0xffffffc0, 0},
    {"OATAILPTR", BDW, LKF, 0x2b10, 0, 0, 0, 0xffffffc0, 0},
    {"OABUFFER", BDW, LKF, 0x2b14, 0, 0, 0, ALL, 0},
    {"OA_IMR", BDW, LKF, 0x2b20, 0, 0, 0, ALL, ALL},
    {"EU_PERF_CNT_CTL", BDW, LKF, 0xe458, 4, 0, 0x100, ALL, 0},
    {"EU_PERF_CNT_CTL", BDW, LKF, 0xe45c, 3, 4, 0x100, ALL, 0},
};
/* clang-format on */
const size_t oa_document_register_count =
    sizeof oa_document_registers / sizeof *oa_document_registers;

/* Returns whether a name matches a row's, where @ is the number; without @ the number is at the
 * end. */
static bool match(const struct oa_document_register *row, const char *name, unsigned *number)
{
    const char *at = strchr(row->name, '@');
    size_t length = at ? (size_t)(at - row->name) : strlen(row->name);
    char *end;
    *number = row->number;
    if (!row->count)
        return !strcmp(row->name, name);
    if (strncmp(row->name, name, length) != 0 || name[length] < '0' || name[length] > '9')
        return false;
    *number = (unsigned)strtoul(name + length, &end, 10);
    return !strcmp(end, at ? at + 1 : "") && *number >= row->number &&
           *number < row->number + row->count;
}

const struct oa_document_register *oa_document_find(const char *name, enum oa_platform platform,
                                                    uint32_t *address)
{
    bool old = platform <= HSW;
    if (!strcmp(name, "HEAD"))
        name = old ? "OASTATUS2" : "OAHEADPTR";
    else if (!strcmp(name, "TAIL"))
        name = old ? "OASTATUS1" : "OATAILPTR";
    else if (!strcmp(name, "STATUS"))
        name = old ? "OASTATUS1" : "OASTATUS";
    for (size_t i = 0; i < oa_document_register_count; i++) {
        const struct oa_document_register *row = &oa_document_registers[i];
        unsigned number;
        if (platform < row->first || platform > row->last || !match(row, name, &number))
            continue;
        *address = row->address + (uint32_t)((int)(number - row->number) * row->stride);
        return row;
    }
    return NULL;
}

int oa_document_field(const char *name, enum oa_platform platform)
{
    /* clang-format off */
    static const struct {
        const char *name;
        enum oa_platform first, last;
        int at;
    } fields[] = {
        {"ENABLE", SNB, LKF, 0},   /* OACONTROL */
        {"SPECIFIC", SNB, LKF, 1},
        {"SELECT", SNB, LKF, 2},
        {"TIMER", SNB, HSW, 5},
        {"PERIOD", SNB, HSW, 6},
        {"CONTEXT", SNB, HSW, 12},
        {"RESUME", BDW, LKF, 0},   /* OACTXCONTROL */
        {"TIMER", BDW, LKF, 1},
        {"PERIOD", BDW, LKF, 2},
        {"LOST", SNB, LKF, 0},     /* OASTATUS1, OASTATUS */
        {"BUFFER_OVERFLOW", SNB, LKF, 1},
        {"COUNTER_OVERFLOW", SNB, LKF, 2},
        {"OVERRUN", BDW, LKF, 3},
        {"SIZE", SNB, LKF, 3},     /* OASTATUS1, OABUFFER */
        {"FUNCTION", SNB, LKF, 0}, /* CECn-0 */
        {"COMPARE", SNB, LKF, 3},
        {"SOURCE", SNB, LKF, 19},
        {"NEGATE", BDW, LKF, 21},
        {"MASK", SNB, LKF, 0},     /* CECn-1 */
        {"DELAY", SNB, LKF, 16},
        {"INVERT_A", SNB, LKF, 0}, /* ...TRIG2, 6 */
        {"INVERT_B", SNB, LKF, 16},
        {"INVERT_C", SNB, LKF, 20},
        {"INVERT_D", SNB, LKF, 22},
        {"THRESHOLD_ENABLE", SNB, LKF, 23},
        {"EVENTS", SNB, LKF, 28},
        {"TRIGGER_ENABLE", SNB, LKF, 31},
        {"OCCURRENCE", SNB, LKF, 16}, /* OAREPORTTRIG1 */
        {"INCREMENT", BDW, LKF, 0},   /* EU_PERF_CNT_CTL, even event */
        {"COARSE", BDW, LKF, 4},
        {"FINE", BDW, LKF, 8},
        {"INCREMENT1", BDW, LKF, 12}, /* odd event */
        {"COARSE1", BDW, LKF, 16},
        {"FINE1", BDW, LKF, 20},
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (platform >= fields[i].first && platform <= fields[i].last &&
            !strcmp(name, fields[i].name))
            return fields[i].at;
    return -1;
}
