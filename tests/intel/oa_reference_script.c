/* SPDX-License-Identifier: MIT */
/* The interpreter of .oat scripts. It accepts valid scripts only. */
#include "oa_reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- words --------------------------------------------------------------------------------- */

bool oa_reference_number(const char *text, uint64_t *value)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    unsigned base = hex ? 16 : 10;
    text += hex ? 2 : 0;
    if (!*text)
        return false;
    for (*value = 0; *text; text++) {
        char lower = *text >= 'A' && *text <= 'F' ? (char)(*text - 'A' + 'a') : *text;
        const char *digits = "0123456789abcdef";
        const char *digit = strchr(digits, lower);
        uint64_t d = digit ? (uint64_t)(digit - digits) : base;
        if (d >= base || *value > (UINT64_MAX - d) / base)
            return false;
        *value = *value * base + d;
    }
    return true;
}

bool oa_reference_argument(const struct oa_reference_script *in, unsigned i, uint64_t most,
                           uint64_t *value)
{
    return i < in->count && oa_reference_number(in->words[i], value) && *value <= most;
}

/* Word i as <first>[-<last>], all of them below limit. */
static bool range_argument(const struct oa_reference_script *in, unsigned i, unsigned limit,
                           unsigned *first, unsigned *last)
{
    uint64_t from, to;
    if (i >= in->count)
        return false;
    char *dash = strchr(in->words[i], '-');
    if (dash)
        *dash = '\0';
    if (!oa_reference_number(in->words[i], &from) ||
        !oa_reference_number(dash ? dash + 1 : in->words[i], &to) || from > to || to >= limit)
        return false;
    *first = (unsigned)from;
    *last = (unsigned)to;
    return true;
}

static bool word_is(const struct oa_reference_script *in, unsigned i, const char *text)
{
    return i < in->count && !strcmp(in->words[i], text);
}

/* ---- set-up -------------------------------------------------------------------------------- */

static bool do_platform(struct oa_reference_script *in)
{
    static const char *const names[OA_REF_PLATFORMS] = {"snb", "ivb", "vlv", "hsw", "bdw",
                                                        "chv", "skl", "icl", "lkf", "tgl"};
    static const struct {
        const char *name;
        enum oa_reference_platform platform;
        unsigned reserved_a, subslice_eus;
    } skus[] = {
        {"ivb", OA_REF_IVB, 33, 0}, /* OA-E33 */
        {"ivb/gt1", OA_REF_IVB, 0, 0}, {"ivb/gt2", OA_REF_IVB, 33, 0},
        {"bdw/gt1", OA_REF_BDW, 0, 6}, {"chv/2x6", OA_REF_CHV, 0, 6},
        {"skl/gt1", OA_REF_SKL, 0, 6}, {"skl/gt1.5", OA_REF_SKL, 0, 6},
    };
    if (in->ref || in->count != 2)
        return false;
    for (unsigned i = 0; i < OA_REF_PLATFORMS; i++)
        if (word_is(in, 1, names[i]))
            in->ref = oa_reference_new((enum oa_reference_platform)i);
    for (size_t i = 0; i < sizeof skus / sizeof *skus; i++) {
        if (!word_is(in, 1, skus[i].name))
            continue;
        in->ref = in->ref ? in->ref : oa_reference_new(skus[i].platform);
        if (!in->ref)
            return false;
        in->ref->reserved_a = skus[i].reserved_a;
        in->ref->subslice_eus = skus[i].subslice_eus ? skus[i].subslice_eus : in->ref->subslice_eus;
    }
    return in->ref;
}

static bool do_timestamp(struct oa_reference_script *in)
{
    uint64_t period, start = 0;
    if (in->count > 3 || !oa_reference_argument(in, 1, UINT32_MAX, &period) || period == 0)
        return false;
    if (in->count == 3 && !oa_reference_argument(in, 2, 0xfffffffff, &start))
        return false;
    in->ref->period = period;
    in->ref->timestamp = start;
    in->ref->previous_timestamp = start; /* OA-D17 */
    return true;
}

static bool do_eus(struct oa_reference_script *in)
{
    uint64_t eus;
    if (in->ref->map != OA_REF_MAP_C || in->count != 2 ||
        !oa_reference_argument(in, 1, OA_REF_EUS, &eus))
        return false;
    in->ref->eus = (unsigned)eus;
    return true;
}

/* ---- inputs -------------------------------------------------------------------------------- */

static bool do_noa(struct oa_reference_script *in)
{
    unsigned first, last;
    struct oa_reference_wave wave;
    if (!range_argument(in, 1, OA_REF_NOA, &first, &last) ||
        !oa_reference_parse_wave(in, 2, 0, &wave))
        return false;
    oa_reference_assign(in->ref, &in->ref->noa[first], last - first + 1, 1, wave);
    return true;
}

static bool do_a(struct oa_reference_script *in)
{
    unsigned first, last;
    struct oa_reference_wave wave;
    if (!range_argument(in, 1, in->ref->a_count, &first, &last) ||
        !oa_reference_parse_wave(in, 2, UINT32_MAX, &wave))
        return false;
    if (in->ref->map == OA_REF_MAP_C && first <= 20 && last >= 7)
        return false;
    oa_reference_assign(in->ref, &in->ref->a[first], last - first + 1, 1, wave);
    return true;
}

static bool do_eu(struct oa_reference_script *in)
{
    static const struct {
        const char *name;
        uint64_t most; /* 0: a bit */
    } signals[EU_SIGNALS] = {
        [EU_FPU0] = {"fpu0", 0},       [EU_FPU1] = {"fpu1", 0}, [EU_SEND] = {"send", 0},
        [EU_THREADS] = {"threads", 8}, [EU_FF] = {"ff", 6},     [EU_KIND] = {"kind", 5},
    };
    unsigned first, last, signal = 0;
    struct oa_reference_wave wave;
    if (!range_argument(in, 1, in->ref->eus, &first, &last))
        return false;
    while (signal < EU_SIGNALS && !word_is(in, 2, signals[signal].name))
        signal++;
    if (signal == EU_SIGNALS || !oa_reference_parse_wave(in, 3, signals[signal].most, &wave))
        return false;
    oa_reference_assign(in->ref, &in->ref->eu[first][signal], last - first + 1, EU_SIGNALS, wave);
    return true;
}

static bool do_csource(struct oa_reference_script *in)
{
    uint64_t i;
    unsigned tap;
    if (in->ref->map == OA_REF_MAP_A || in->count != 3 ||
        !oa_reference_argument(in, 1, in->ref->c_count - 1, &i))
        return false;
    in->ref->c_tap[i] = word_is(in, 2, "tap");
    if (in->ref->c_tap[i])
        return oa_reference_tap_of(in->ref, (unsigned)i, &tap);
    return word_is(in, 2, "noa");
}

static bool do_context(struct oa_reference_script *in)
{
    uint64_t id = 0;
    bool none = word_is(in, 1, "none");
    if (in->count != 2 || (!none && !oa_reference_argument(in, 1, UINT32_MAX, &id)))
        return false;
    in->ref->context_active = !none;
    in->ref->context = (uint32_t)id;
    in->ref->state.context_event = true;
    return true;
}

static bool do_go(struct oa_reference_script *in)
{
    uint64_t level;
    if (in->ref->map != OA_REF_MAP_C || in->count != 2 || !oa_reference_argument(in, 1, 1, &level))
        return false;
    if (in->ref->go && !level)
        in->ref->state.go_event = true;
    in->ref->go = level;
    return true;
}

static bool do_freq(struct oa_reference_script *in)
{
    uint64_t slice, unslice;
    if (in->ref->platform < OA_REF_SKL || in->count != 3 ||
        !oa_reference_argument(in, 1, 511, &slice) || !oa_reference_argument(in, 2, 511, &unslice))
        return false;
    in->ref->slice_ratio = (uint32_t)slice;
    in->ref->unslice_ratio = (uint32_t)unslice;
    in->ref->state.ratio_event = true;
    return true;
}

/* A command of one 32-bit number that is stored. */
static bool do_store(struct oa_reference_script *in, uint32_t *where)
{
    uint64_t value;
    if (in->count != 2 || !oa_reference_argument(in, 1, UINT32_MAX, &value))
        return false;
    *where = (uint32_t)value;
    return true;
}

static bool do_instaddr(struct oa_reference_script *in)
{
    return do_store(in, &in->ref->instaddr);
}

static bool do_linetime(struct oa_reference_script *in)
{
    return do_store(in, &in->ref->linetime);
}

static bool do_spacing(struct oa_reference_script *in)
{
    return do_store(in, &in->ref->spacing);
}

static bool do_irq(struct oa_reference_script *in)
{
    uint64_t class, instance, data;
    return in->ref->platform == OA_REF_LKF && in->count == 4 &&
           oa_reference_argument(in, 1, 7, &class) && oa_reference_argument(in, 2, 63, &instance) &&
           oa_reference_argument(in, 3, 0xffff, &data) &&
           oa_reference_message(in->ref, (unsigned)class, (unsigned)instance, (uint16_t)data);
}

/* ---- everything else ----------------------------------------------------------------------- */

static bool do_wr(struct oa_reference_script *in)
{
    uint64_t address, value;
    if (in->count != 3 || !oa_reference_argument(in, 1, UINT32_MAX, &address) || address % 4 ||
        !oa_reference_argument(in, 2, UINT32_MAX, &value))
        return false;
    oa_reference_write(in->ref, (uint32_t)address, (uint32_t)value);
    return true;
}

static bool do_rd(struct oa_reference_script *in)
{
    uint64_t address;
    if (in->count != 2 || !oa_reference_argument(in, 1, UINT32_MAX, &address) || address % 4)
        return false;
    fprintf(in->out, "rd 0x%06" PRIx64 " = 0x%08" PRIx32 "\n", address,
            oa_reference_read(in->ref, (uint32_t)address));
    return true;
}

static bool do_mirpc(struct oa_reference_script *in)
{
    uint64_t address, id;
    uint64_t most = in->ref->map == OA_REF_MAP_C ? UINT64_MAX : UINT32_MAX;
    if (in->count != 3 || !oa_reference_argument(in, 1, most, &address) ||
        !oa_reference_argument(in, 2, UINT32_MAX, &id))
        return false;
    oa_reference_mirpc(in->ref, address, (uint32_t)id);
    return true;
}

static bool do_run(struct oa_reference_script *in)
{
    uint64_t clocks;
    if (in->count != 2 || !oa_reference_argument(in, 1, UINT64_MAX, &clocks))
        return false;
    for (; clocks; clocks--)
        oa_reference_step(in->ref);
    return true;
}

static bool do_mem(struct oa_reference_script *in)
{
    uint64_t address, length;
    if (in->count != 3 || !oa_reference_argument(in, 1, UINT64_MAX, &address) ||
        !oa_reference_argument(in, 2, 1u << 20, &length))
        return false;
    for (uint64_t i = 0; i < length; i++) {
        if (i % 16 == 0)
            fprintf(in->out, "mem 0x%016" PRIx64 " = ", address + i);
        fprintf(in->out, "%02x", oa_reference_memory_byte(in->ref, address + i));
        if (i % 16 == 15 || i == length - 1)
            fputc('\n', in->out);
    }
    return true;
}

static bool do_poke(struct oa_reference_script *in)
{
    uint64_t value;
    return in->count == 3 && oa_reference_argument(in, 2, UINT64_MAX, &value) &&
           oa_reference_poke(in->ref, in->words[1], value);
}

static bool do_peek(struct oa_reference_script *in)
{
    uint64_t value;
    if (in->count != 2 || !oa_reference_peek(in->ref, in->words[1], &value))
        return false;
    fprintf(in->out, "peek %s = 0x%010" PRIx64 "\n", in->words[1], value);
    return true;
}

static bool do_option(struct oa_reference_script *in)
{
    bool map_c = in->ref->map == OA_REF_MAP_C, on = word_is(in, 2, "on");
    const struct {
        const char *name;
        bool exists, *value;
    } options[] = {
        {"start-holds-a", true, &in->ref->holds_a},
        {"start-halves", in->ref->map != OA_REF_MAP_A, &in->ref->halves},
        {"no-eu-events", map_c, &in->ref->no_eu_events},
        {"incoherent", in->ref->platform == OA_REF_SNB, &in->ref->incoherent},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (word_is(in, 1, options[i].name) && options[i].exists && in->count == 3) {
            *options[i].value = on;
            return on || word_is(in, 2, "off");
        }
    return false;
}

/* expect <address> [& <mask>] <operator> <value>, or the same with peek <name> */
static bool do_expect(struct oa_reference_script *in)
{
    uint64_t got, mask = UINT64_MAX, value;
    bool peeks = word_is(in, 1, "peek");
    unsigned at = peeks ? 3 : 2;
    if (peeks ? !oa_reference_peek(in->ref, in->words[2], &got)
              : !oa_reference_argument(in, 1, UINT32_MAX, &got))
        return false;
    if (!peeks)
        got = oa_reference_read(in->ref, (uint32_t)got);
    if (word_is(in, at, "&")) {
        if (!oa_reference_argument(in, at + 1, UINT64_MAX, &mask))
            return false;
        at += 2;
    }
    if (in->count != at + 2 || !oa_reference_argument(in, at + 1, UINT64_MAX, &value))
        return false;
    got &= mask;
    bool less = word_is(in, at, "<") || word_is(in, at, "<=") || word_is(in, at, "!=");
    bool more = word_is(in, at, ">") || word_is(in, at, ">=") || word_is(in, at, "!=");
    bool same = word_is(in, at, "=") || word_is(in, at, "<=") || word_is(in, at, ">=");
    bool met = got < value ? less : got > value ? more : same;
    fprintf(in->out, "expect %s\n", met ? "met" : "failed");
    return true;
}

static bool do_reset(struct oa_reference_script *in)
{
    oa_reference_reset(in->ref);
    return in->count == 1;
}

/* ---- lines --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool setup;
    bool (*act)(struct oa_reference_script *in);
} commands[] = {
    {"platform", true, do_platform},
    {"timestamp", true, do_timestamp},
    {"eus", true, do_eus},
    {"noa", false, do_noa},
    {"a", false, do_a},
    {"eu", false, do_eu},
    {"csource", false, do_csource},
    {"context", false, do_context},
    {"go", false, do_go},
    {"freq", false, do_freq},
    {"instaddr", false, do_instaddr},
    {"linetime", false, do_linetime},
    {"spacing", false, do_spacing},
    {"irq", false, do_irq},
    {"wr", false, do_wr},
    {"rd", false, do_rd},
    {"mirpc", false, do_mirpc},
    {"run", false, do_run},
    {"mem", false, do_mem},
    {"poke", false, do_poke},
    {"peek", false, do_peek},
    {"option", false, do_option},
    {"expect", false, do_expect},
    {"reset", false, do_reset},
};

static bool execute(struct oa_reference_script *in)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(in->words[0], commands[i].name))
            continue;
        if (!in->ref && i != 0) /* `platform` comes first */
            return false;
        if (in->running && commands[i].setup)
            return false;
        in->running = !commands[i].setup;
        return commands[i].act(in) && !in->ref->out_of_memory;
    }
    return false;
}

/* One line without its end; it is taken apart in place. */
static bool do_line(struct oa_reference_script *in, char *line)
{
    char *comment = strchr(line, '#');
    if (comment)
        *comment = '\0';
    in->count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (in->count == OA_SCRIPT_WORDS)
            return false;
        in->words[in->count++] = word;
    }
    return in->count == 0 || execute(in);
}

int oa_reference_run(const char *script, size_t size, FILE *out)
{
    struct oa_reference_script in = {.out = out};
    char *text = malloc(size + 1);
    if (!text)
        return 1;
    memcpy(text, script, size);
    text[size] = '\0';
    int number = 0, failed = 0;
    /* A NUL would hide the end of its line. */
    for (char *line = text, *end = text + size, *next; line < end && !failed; line = next) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        next = newline ? newline + 1 : end;
        if (newline)
            *newline = '\0';
        number++;
        size_t length = (size_t)((newline ? newline : end) - line);
        if (strlen(line) != length || !do_line(&in, line))
            failed = number;
    }
    oa_reference_free(in.ref);
    oa_reference_free_lists(&in);
    free(text);
    return failed;
}
