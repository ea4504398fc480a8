/* SPDX-License-Identifier: MIT */
/*
 * PCOUNTER's registers in its three layouts. Where two registers share an address, the first one
 * counts (PC-D20). Fields give the writable bits of PCT-6.
 */
#include "nvidia/pcounter/registers.h"

#include "base/bits.h"
#include "nvidia/revisions.h"

#define FROM(revision) (ALL & ~(BIT(revision) - 1))
#define BIT(revision)  (1u << TALLY_PCOUNTER_##revision)
#define ALL            ((1u << TALLY_PCOUNTER_REVISIONS) - 1)
#define NV10_NV30      (BIT(NV10) | BIT(NV15) | BIT(NV20))
#define NV10_LAYOUT    (NV10_NV30 | BIT(NV30))
#define NV40_LAYOUT    (BIT(NV40) | BIT(G84) | BIT(G92) | BIT(GT215))
#define NV30_UP        FROM(NV30)
#define G84_LAYOUT     (BIT(G84) | BIT(G92) | BIT(GT215))
#define G92_UP         FROM(G92)
#define G92_GF100      (BIT(G92) | BIT(GT215))

#define RW REG_READ_WRITE
#define RO REG_READ
#define WO REG_WRITE

// clang-format off

/* ---- fields ---------------------------------------------------------------------------------- */

static const struct reg_field src_fields[] = {
    {"SIGNAL0", 0, 7, RW, 0, ALL, NULL, "signal of argument 0"},
    {"SIGNAL1", 8, 15, RW, 0, ALL, NULL, "signal of argument 1"},
    {"SIGNAL2", 16, 23, RW, 0, ALL, NULL, "signal of argument 2"},
    {"SIGNAL3", 24, 31, RW, 0, ALL, NULL, "signal of argument 3"},
    {0},
};

#define OP_COMMON \
    {"LOGIC", 0, 15, RW, 0, ALL, NULL, "truth table: bit a0 + 2 a1 + 4 a2 + 8 a3 is the result"}, \
    {"ARG0_DELAY", 16, 16, RW, 0, ALL, NULL, "argument 0 is SRC[0] one clock ago"}, \
    {"ARG1_DELAY", 17, 17, RW, 0, ALL, NULL, "argument 1 is SRC[1] one clock ago"}

static const struct reg_field op_fields[] = {
    OP_COMMON,
    {"ARG2_SRC0", 18, 18, RW, 0, G92_UP, NULL, "argument 2 is SRC[0] one clock ago"},
    {"ARG3_SRC1", 19, 19, RW, 0, G92_UP, NULL, "argument 3 is SRC[1] one clock ago"},
    {0},
};

static const struct reg_field chained_op_fields[] = {
    OP_COMMON,
    {"ARG3_SETFLAG", 18, 18, RW, 0, NV30_UP, NULL, "argument 3 is the SETFLAG input"},
    {"ARG2_SRC0", 19, 19, RW, 0, G92_UP, NULL, "argument 2 is SRC[0] one clock ago"},
    {"ARG3_SRC1", 20, 20, RW, 0, G92_UP, NULL, "argument 3 is SRC[1] one clock ago, unless SETFLAG"},
    {0},
};

static const struct reg_field spec_src_fields[] = {
    {"SWAP", 0, 7, RW, 0, ALL, NULL, "signal that swaps the counter sets (from G84)"},
    {"UNK8", 8, 15, RW, 0, ALL, NULL, "unknown"},
    {0},
};

static const struct reg_field swap_src_fields[] = {
    {"SWAP", 0, 7, RW, 0, ALL, NULL, "signal that swaps the counter sets"},
    {0},
};

static const struct reg_field high_fields[] = {
    {"HIGH", 0, 7, RW, 0, ALL, NULL, "bits 32-39"},
    {0},
};

static const struct reg_field counter_high_fields[] = {
    {"HIGH", 0, 7, RO, 0, ALL, NULL, "bits 32-39"},
    {0},
};

static const struct reg_value single_states[] = {
    {0, "INACTIVE"}, {1, "WAIT_PRE"}, {2, "WAIT_START"}, {3, "COUNTING"}, {0},
};
static const struct reg_value quad_states[] = {{0, "EMPTY"}, {1, "VALID"}, {3, "OVERFLOW"}, {0}};
static const struct reg_value modes[] = {{0, "SINGLE"}, {1, "QUAD"}, {2, "RECORD"}, {0}};
static const struct reg_value periods[] = {{0, "ONE"}, {1, "ALL"}, {0}};
static const struct reg_value counter_modes[] = {
    {0, "SIMPLE"}, {1, "EVENT_B4"}, {2, "EVENT_B6"}, {3, "EXTRA_B4"}, {4, "EXTRA_B6_EVENT_B2"}, {0},
};
static const struct reg_value import_modes[] = {{0, "CONTINUOUS"}, {1, "PULSE"}, {0}};
static const struct reg_value formats[] = {{0, "LONG"}, {1, "SHORT"}, {0}};
static const struct reg_value periodic_periods[] = {
    {0, "disabled"}, {1, "0x400 clocks"}, {2, "0x800 clocks"}, {3, "0x1000 clocks"},
    {4, "0x2000 clocks"}, {5, "0x4000 clocks"}, {6, "0x8000 clocks"}, {7, "0x10000 clocks"}, {0},
};

static const struct reg_field nv10_ctrl_fields[] = {
    {"TVOUT_DEBUG_SEL", 0, 0, RW, 0, ALL, NULL, "which signals go to the TV-out debug port"},
    {"TVOUT_DEBUG_ENABLE", 1, 1, RW, 0, ALL, NULL, "debug pins in place of the TV encoder"},
    {"CTR_MODE", 2, 2, RW, 0, ALL, counter_modes, "counter mode of all domains"},
    {"DOM0_SINGLE_STATE", 3, 4, RO, 0, ALL, single_states, NULL},
    {"DOM1_SINGLE_STATE", 5, 6, RO, 1, FROM(NV20), single_states, NULL},
    {"DOM0_EVENT_CTR_PERIOD", 8, 8, RW, 0, FROM(NV15), periods, "CTR_EVENT over one or all periods"},
    {"DOM1_EVENT_CTR_PERIOD", 9, 9, RW, 1, FROM(NV20), periods, "CTR_EVENT over one or all periods"},
    {"DOM0_MODE", 16, 16, RW, 0, FROM(NV30), modes, "counting mode"},
    {"DOM1_MODE", 18, 18, RW, 1, FROM(NV30), modes, "counting mode"},
    {"DOM0_QUAD_STATE", 24, 25, RO, 0, FROM(NV30), quad_states, NULL},
    {"DOM1_QUAD_STATE", 26, 27, RO, 1, FROM(NV30), quad_states, NULL},
    {0},
};

static const struct reg_field nv40_ctrl_fields[] = {
    {"MODE", 0, 1, RW, 0, ALL, modes, "counting mode"},
    {"CTR_MODE", 4, 6, RW, 0, ALL, counter_modes, "counter mode"},
    {"EVENT_CTR_PERIOD", 8, 8, RW, 0, ALL, periods, "CTR_EVENT over one or all periods"},
    {"EVENT_IMPORT_MODE", 11, 11, RW, 0, ALL, import_modes, "EVENT of other domains"},
    {"FLAG_IMPORT_MODE", 13, 13, RW, 0, ALL, import_modes, "FLAG of other domains"},
    {"UNK16", 16, 16, RW, 0, ALL, NULL, "unknown"},
    {"RECORD_FORMAT", 20, 20, RW, 0, FROM(G84), formats, "packet format of record mode"},
    {"PERIODIC_PERIOD", 21, 23, RW, 0, FROM(G84), periodic_periods, "period of PERIODIC"},
    {"QUAD_STATE", 24, 25, RO, 0, ALL, quad_states, NULL},
    {"FAULT_CLEAR", 27, 27, WO, 0, ALL, NULL, "1 clears RECORD_STATUS.FAULT, and nothing else"},
    {"SINGLE_STATE", 28, 29, RO, 0, ALL, single_states, NULL},
    {"UNK30", 30, 30, RW, 0, FROM(G92), NULL, "unknown"},
    {0},
};

static const struct reg_field src_status_fields[] = {
    {"PRE_SRC", 0, 3, RO, 0, ALL, NULL, "present values of its four signals"},
    {"START_SRC", 4, 7, RO, 0, ALL, NULL, "present values of its four signals"},
    {"EVENT_SRC", 8, 11, RO, 0, ALL, NULL, "present values of its four signals"},
    {"STOP_SRC", 12, 15, RO, 0, ALL, NULL, "present values of its four signals"},
    {0},
};

static const struct reg_field nv30_ack_fields[] = {
    {"DOM0", 0, 0, WO, 0, ALL, NULL, "1 lowers QUAD_STATE of domain 0 by one"},
    {"DOM1", 8, 8, WO, 1, ALL, NULL, "1 lowers QUAD_STATE of domain 1 by one"},
    {0},
};

static const struct reg_field ack_fields[] = {
    {"ACK", 0, 0, WO, 0, ALL, NULL, "1 lowers QUAD_STATE by one"},
    {0},
};

static const struct reg_field tesla_user_fields[] = {
    {"USER_0", 0, 0, WO, 0, ALL, NULL, "value of the signal"},
    {"USER_1", 1, 1, WO, 0, ALL, NULL, "value of the signal"},
    {"USER_0_PULSE", 2, 2, WO, 0, ALL, NULL, "back to 0 after one clock"},
    {"USER_1_PULSE", 3, 3, WO, 0, ALL, NULL, "back to 0 after one clock"},
    {0},
};

static const struct reg_field fermi_user_fields[] = {
    {"USER", 0, 3, RW, 0, ALL, NULL, "values of USER_0 to USER_3"},
    {"USER_PULSE", 4, 7, RW, 0, ALL, NULL, "back to 0 after one clock"},
    {0},
};

static const struct reg_field record_address_fields[] = {
    {"ADDRESS", 4, 31, RW, 0, ALL, NULL, "bits 4-31 of a byte address"},
    {0},
};

static const struct reg_field record_status_fields[] = {
    {"FAULT", 0, 0, RO, 0, ALL, NULL, "a VM fault happened; the domain hangs until reset"},
    {"POSITION", 4, 31, RO, 0, ALL, NULL, "bits 4-31 of the next packet's address"},
    {0},
};

static const struct reg_field record_chan_fields[] = {
    {"CHAN", 0, 29, RW, 0, ALL, NULL, "channel to bind"},
    {"VALID", 31, 31, RW, 0, ALL, NULL, "writing it as 1 binds channel and DMA object"},
    {0},
};

static const struct reg_field record_dma_fields[] = {
    {"DMA", 0, 15, RW, 0, ALL, NULL, "DMA object, bound by RECORD_CHAN"},
    {0},
};

static const struct reg_field gctrl_fields[] = {
    {"RECORD_RESET", 0, 0, RW, 0, ALL, NULL, "1 holds all record counters at 0"},
    {"PERIODIC_RESET", 4, 4, RW, 0, ALL, NULL, "1 holds the PERIODIC generators at their start"},
    {0},
};

static const struct reg_field pmc_enable_fields[] = {
    {"PCOUNTER", 28, 28, RW, 0, ALL, NULL, "0 holds PCOUNTER in reset"},
    {0},
};

/* ---- layouts --------------------------------------------------------------------------------- */

#define DOM2      {{"dom", 2, 0x100}}
#define DOM8      {{"dom", 8, 0x4}}
#define CONFIG    RW, REG_ABORTS, 0
#define COUNTER   RO, REG_ABORTS, 0
#define STATUS    RO, 0, 0
#define TRIGGER   WO, 0, 0
#define PLAIN     RW, 0, 0

static const struct reg nv10_registers[] = {
    {"CTRL", 0x73c, {{0}}, NV10_LAYOUT, REG_CTRL, CONFIG, nv10_ctrl_fields, "PCOUNTER control", "pcounter-ctrl-nv10"},
    {"QUAD_ACK_TRIGGER", 0x738, {{0}}, BIT(NV30), REG_QUAD_ACK_TRIGGER, TRIGGER, nv30_ack_fields, "acknowledges counter data in quad event mode", "pcounter-quad-ack-trigger-nv30"},
    {"PRE_SRC", 0x400, DOM2, NV10_LAYOUT, REG_PRE_SRC, CONFIG, src_fields, "PRE input selection", "pcounter-pre-src"},
    {"PRE_OP", 0x404, DOM2, NV10_LAYOUT, REG_PRE_OP, PLAIN, op_fields, "PRE logic operation; starts the counting process", "pcounter-pre-op"},
    {"START_SRC", 0x408, DOM2, NV10_LAYOUT, REG_START_SRC, CONFIG, src_fields, "START input selection", "pcounter-start-src"},
    {"START_OP", 0x40c, DOM2, NV10_LAYOUT, REG_START_OP, CONFIG, op_fields, "START logic operation", "pcounter-start-op"},
    {"EVENT_SRC", 0x410, DOM2, NV10_LAYOUT, REG_EVENT_SRC, CONFIG, src_fields, "EVENT input selection", "pcounter-event-src"},
    {"EVENT_OP", 0x414, DOM2, NV10_LAYOUT, REG_EVENT_OP, CONFIG, chained_op_fields, "EVENT logic operation", "pcounter-event-op"},
    {"STOP_SRC", 0x418, DOM2, NV10_LAYOUT, REG_STOP_SRC, CONFIG, src_fields, "STOP input selection", "pcounter-stop-src"},
    {"STOP_OP", 0x41c, DOM2, NV10_LAYOUT, REG_STOP_OP, CONFIG, chained_op_fields, "STOP logic operation", "pcounter-stop-op"},
    {"SETFLAG_SRC", 0x420, DOM2, NV10_NV30, REG_SETFLAG_SRC, CONFIG, src_fields, "SETFLAG input selection", "pcounter-setflag-src"},
    {"SETFLAG_OP", 0x424, DOM2, NV10_LAYOUT, REG_SETFLAG_OP, CONFIG, op_fields, "SETFLAG logic operation", "pcounter-setflag-op"},
    {"CLRFLAG_SRC", 0x428, DOM2, NV10_NV30, REG_CLRFLAG_SRC, CONFIG, src_fields, "CLRFLAG input selection", "pcounter-clrflag-src"},
    {"CLRFLAG_OP", 0x42c, DOM2, NV10_LAYOUT, REG_CLRFLAG_OP, CONFIG, op_fields, "CLRFLAG logic operation", "pcounter-clrflag-op"},
    {"SIG_STATUS", 0x430, {{"dom", 2, 0x100}, {"hi", 2, 0x200}, {"lo", 4, 0x4}}, NV10_LAYOUT, REG_SIG_STATUS, STATUS, NULL, "present values of 32 signals", "pcounter-sig-status"},
    {"CTR_CYCLES", 0x600, DOM2, NV10_LAYOUT, REG_CTR_CYCLES, COUNTER, NULL, "elapsed cycles counter", "pcounter-ctr-cycles"},
    {"CTR_CYCLES_HI", 0x604, DOM2, NV10_NV30, REG_CTR_CYCLES_HI, COUNTER, counter_high_fields, "elapsed cycles counter, high part", "pcounter-ctr-cycles-hi"},
    {"CTR_CYCLES_ALT", 0x608, DOM2, NV10_LAYOUT, REG_CTR_CYCLES, COUNTER, NULL, "elapsed cycles counter copy", "pcounter-ctr-cycles-alt"},
    {"CTR_CYCLES_ALT_HI", 0x60c, DOM2, NV10_NV30, REG_CTR_CYCLES_HI, COUNTER, counter_high_fields, "elapsed cycles counter copy, high part", "pcounter-ctr-cycles-alt-hi"},
    {"CTR_EVENT", 0x610, DOM2, NV10_LAYOUT, REG_CTR_EVENT, COUNTER, NULL, "EVENT counter", "pcounter-ctr-event"},
    {"CTR_EVENT_HI", 0x614, DOM2, NV10_NV30, REG_CTR_EVENT_HI, COUNTER, counter_high_fields, "EVENT counter, high part", "pcounter-ctr-event-hi"},
    {"CTR_START", 0x618, DOM2, NV10_LAYOUT, REG_CTR_START, COUNTER, NULL, "START counter", "pcounter-ctr-start"},
    {"CTR_START_HI", 0x61c, DOM2, NV10_NV30, REG_CTR_START_HI, COUNTER, counter_high_fields, "START counter, high part", "pcounter-ctr-start-hi"},
    {"CTR_PRE", 0x620, DOM2, NV10_LAYOUT, REG_CTR_PRE, CONFIG, NULL, "PRE counter; written: its initial value", "pcounter-ctr-pre"},
    {"CTR_STOP", 0x624, DOM2, NV10_LAYOUT, REG_CTR_STOP, CONFIG, NULL, "STOP counter; written: its initial value", "pcounter-ctr-stop"},
    {"THRESHOLD", 0x628, DOM2, NV10_LAYOUT, REG_THRESHOLD, CONFIG, NULL, "EVENT counter threshold", "pcounter-threshold"},
    {"THRESHOLD_HI", 0x62c, DOM2, NV10_NV30, REG_THRESHOLD_HI, CONFIG, high_fields, "EVENT counter threshold, high part", "pcounter-threshold-hi"},
};

static const struct reg nv40_registers[] = {
    {"PRE_SRC", 0x400, DOM8, NV40_LAYOUT, REG_PRE_SRC, CONFIG, src_fields, "PRE input selection", "pcounter-pre-src"},
    {"PRE_OP", 0x420, DOM8, NV40_LAYOUT, REG_PRE_OP, PLAIN, op_fields, "PRE logic operation; starts the counting process, swaps", "pcounter-pre-op"},
    {"START_SRC", 0x440, DOM8, NV40_LAYOUT, REG_START_SRC, CONFIG, src_fields, "START input selection", "pcounter-start-src"},
    {"START_OP", 0x460, DOM8, NV40_LAYOUT, REG_START_OP, CONFIG, op_fields, "START logic operation", "pcounter-start-op"},
    {"EVENT_SRC", 0x480, DOM8, NV40_LAYOUT, REG_EVENT_SRC, CONFIG, src_fields, "EVENT input selection", "pcounter-event-src"},
    {"EVENT_OP", 0x4a0, DOM8, NV40_LAYOUT, REG_EVENT_OP, CONFIG, chained_op_fields, "EVENT logic operation", "pcounter-event-op"},
    {"STOP_SRC", 0x4c0, DOM8, NV40_LAYOUT, REG_STOP_SRC, CONFIG, src_fields, "STOP input selection", "pcounter-stop-src"},
    {"STOP_OP", 0x4e0, DOM8, NV40_LAYOUT, REG_STOP_OP, CONFIG, chained_op_fields, "STOP logic operation", "pcounter-stop-op"},
    {"SETFLAG_OP", 0x500, DOM8, NV40_LAYOUT, REG_SETFLAG_OP, CONFIG, op_fields, "SETFLAG logic operation", "pcounter-setflag-op"},
    {"CLRFLAG_OP", 0x520, DOM8, NV40_LAYOUT, REG_CLRFLAG_OP, CONFIG, op_fields, "CLRFLAG logic operation", "pcounter-clrflag-op"},
    {"SRC_STATUS", 0x540, DOM8, NV40_LAYOUT, REG_SRC_STATUS, STATUS, src_status_fields, "selected inputs status", "pcounter-src-status"},
    {"SPEC_SRC", 0x560, DOM8, NV40_LAYOUT, REG_SPEC_SRC, CONFIG, spec_src_fields, "SWAP and UNK8 input selection", "pcounter-spec-src"},
    {"USER_TRIGGER", 0x580, DOM8, BIT(GT215), REG_USER_TRIGGER, TRIGGER, tesla_user_fields, "triggers user-controllable signals", "pcounter-user-trigger-tesla"},
    {"CTR_CYCLES", 0x600, DOM8, NV40_LAYOUT, REG_CTR_CYCLES, COUNTER, NULL, "elapsed cycles counter", "pcounter-ctr-cycles"},
    {"CTR_CYCLES_ALT", 0x640, DOM8, NV40_LAYOUT, REG_CTR_CYCLES, COUNTER, NULL, "elapsed cycles counter copy", "pcounter-ctr-cycles-alt"},
    {"CTR_EVENT", 0x680, DOM8, NV40_LAYOUT, REG_CTR_EVENT, COUNTER, NULL, "EVENT counter", "pcounter-ctr-event"},
    {"RECORD_ADDRESS_HIGH", 0x6a0, DOM8, G92_GF100, REG_RECORD_ADDRESS_HIGH, PLAIN, high_fields, "high 8 bits of the record buffer's address", "pcounter-record-address-high"},
    {"CTR_START", 0x6c0, DOM8, NV40_LAYOUT, REG_CTR_START, COUNTER, NULL, "START counter", "pcounter-ctr-start"},
    {"RECORD_STATUS", 0x6e0, DOM8, G84_LAYOUT, REG_RECORD_STATUS, STATUS, record_status_fields, "status and position of the record buffer", "pcounter-record-status"},
    {"CTR_PRE", 0x700, DOM8, NV40_LAYOUT, REG_CTR_PRE, CONFIG, NULL, "PRE counter; written: its initial value", "pcounter-ctr-pre"},
    {"RECORD_LIMIT", 0x720, DOM8, G84_LAYOUT, REG_RECORD_LIMIT, PLAIN, record_address_fields, "highest valid address in the record buffer", "pcounter-record-limit"},
    {"CTR_STOP", 0x740, DOM8, NV40_LAYOUT, REG_CTR_STOP, CONFIG, NULL, "STOP counter; written: its initial value", "pcounter-ctr-stop"},
    {"RECORD_START", 0x760, DOM8, G84_LAYOUT, REG_RECORD_START, PLAIN, record_address_fields, "start of the record buffer; writing it starts recording", "pcounter-record-start"},
    {"THRESHOLD", 0x780, DOM8, NV40_LAYOUT, REG_THRESHOLD, CONFIG, NULL, "EVENT counter threshold", "pcounter-threshold"},
    {"RECORD_CHAN", 0x7a0, {{0}}, G84_LAYOUT, REG_RECORD_CHAN, PLAIN, record_chan_fields, "VM channel for record mode", "pcounter-record-chan"},
    {"RECORD_DMA", 0x7a4, {{0}}, G84_LAYOUT, REG_RECORD_DMA, PLAIN, record_dma_fields, "DMA object for record mode", "pcounter-record-dma"},
    {"GCTRL", 0x7a8, {{0}}, G84_LAYOUT, REG_GCTRL, PLAIN, gctrl_fields, "PCOUNTER global control", "pcounter-gctrl-g84"},
    {"CTRL", 0x7c0, DOM8, NV40_LAYOUT, REG_CTRL, CONFIG, nv40_ctrl_fields, "PCOUNTER domain control", "pcounter-ctrl-nv40"},
    {"QUAD_ACK_TRIGGER", 0x7e0, DOM8, NV40_LAYOUT, REG_QUAD_ACK_TRIGGER, TRIGGER, ack_fields, "acknowledges counter data in quad event mode", "pcounter-quad-ack-trigger-nv40"},
    {"SIG_STATUS", 0x800, {{"dom", 8, 0x20}, {"i", 8, 0x4}}, NV40_LAYOUT, REG_SIG_STATUS, STATUS, NULL, "present values of 32 signals", "pcounter-sig-status"},
};

static const struct reg gf100_registers[] = {
    {"SIG_STATUS", 0x00, {{"i", 16, 0x4}}, BIT(GF100), REG_SIG_STATUS, STATUS, NULL, "present values of 32 signals", "pcounter-sig-status"},
    {"PRE_SRC", 0x40, {{0}}, BIT(GF100), REG_PRE_SRC, CONFIG, src_fields, "PRE input selection", "pcounter-pre-src"},
    {"PRE_OP", 0x44, {{0}}, BIT(GF100), REG_PRE_OP, PLAIN, op_fields, "PRE logic operation", "pcounter-pre-op"},
    {"START_SRC", 0x48, {{0}}, BIT(GF100), REG_START_SRC, CONFIG, src_fields, "START input selection", "pcounter-start-src"},
    {"START_OP", 0x4c, {{0}}, BIT(GF100), REG_START_OP, CONFIG, op_fields, "START logic operation", "pcounter-start-op"},
    {"EVENT_SRC", 0x50, {{0}}, BIT(GF100), REG_EVENT_SRC, CONFIG, src_fields, "EVENT input selection", "pcounter-event-src"},
    {"EVENT_OP", 0x54, {{0}}, BIT(GF100), REG_EVENT_OP, CONFIG, chained_op_fields, "EVENT logic operation", "pcounter-event-op"},
    {"STOP_SRC", 0x58, {{0}}, BIT(GF100), REG_STOP_SRC, CONFIG, src_fields, "STOP input selection", "pcounter-stop-src"},
    {"STOP_OP", 0x5c, {{0}}, BIT(GF100), REG_STOP_OP, CONFIG, chained_op_fields, "STOP logic operation", "pcounter-stop-op"},
    {"SETFLAG_OP", 0x60, {{0}}, BIT(GF100), REG_SETFLAG_OP, CONFIG, op_fields, "SETFLAG logic operation", "pcounter-setflag-op"},
    {"CLRFLAG_OP", 0x64, {{0}}, BIT(GF100), REG_CLRFLAG_OP, CONFIG, op_fields, "CLRFLAG logic operation", "pcounter-clrflag-op"},
    {"SRC_STATUS", 0x68, {{0}}, BIT(GF100), REG_SRC_STATUS, STATUS, src_status_fields, "selected inputs status", "pcounter-src-status"},
    {"SWAP_SRC", 0x6c, {{0}}, BIT(GF100), REG_SPEC_SRC, CONFIG, swap_src_fields, "SWAP input selection", "pcounter-swap-src"},
    {"QUAD_ACK_TRIGGER", 0xa0, {{0}}, BIT(GF100), REG_QUAD_ACK_TRIGGER, TRIGGER, ack_fields, "acknowledges counter data in quad event mode", "pcounter-quad-ack-trigger-nv40"},
    {"USER_TRIGGER", 0xec, {{0}}, BIT(GF100), REG_USER_TRIGGER, PLAIN, fermi_user_fields, "triggers user-controllable signals", "pcounter-user-trigger-fermi"},
};

static const struct reg pmc_registers[] = {
    {"ENABLE", PMC_ENABLE, {{0}}, BIT(GF100), 0, RW, 0, PMC_ENABLE_PCOUNTER, pmc_enable_fields, "which engines are out of reset", "PMC.ENABLE"},
};

// clang-format on

static const struct reg_map maps[] = {
    {"nv10-pcounter", "NVIDIA PCOUNTER, \"NV10\"", 0xa000, 0x1000, nv10_registers,
     ARRAY_COUNT(nv10_registers)},
    {"nv40-pcounter", "NVIDIA PCOUNTER, \"NV40\"", 0xa000, 0x1000, nv40_registers,
     ARRAY_COUNT(nv40_registers)},
    {"gf100-pcounter-domain", "NVIDIA PCOUNTER, \"GF100\"", 0x180000, GF100_DOMAIN_BYTES,
     gf100_registers, ARRAY_COUNT(gf100_registers)},
};

const struct reg_map pmc_map = {"pmc", "NVIDIA PMC", 0, 0x1000, pmc_registers,
                                ARRAY_COUNT(pmc_registers)};

const struct reg_map *pcounter_registers(enum tally_pcounter_revision revision)
{
    return &maps[pcounter_features[revision].layout];
}
