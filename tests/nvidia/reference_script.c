/* SPDX-License-Identifier: MIT */
/* The interpreter of .pct scripts. It takes valid scripts only, so that what it accepts is one. */
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 8 };

struct interpreter {
    struct reference *ref; /* NULL before `chipset` */
    FILE *out;
    bool divided;  /* a `domains` came */
    bool clocked;  /* a `clock` or `trailer` came: no more `domains` */
    bool commands; /* a command other than set-up came: no more set-up */
    char *words[MAX_WORDS];
    unsigned count;
};

/* ---- words --------------------------------------------------------------------------------- */

static bool number(const char *text, uint64_t *value)
{
    bool hex = text[0] == '0' && text[1] == 'x';
    unsigned base = hex ? 16 : 10;
    text += hex ? 2 : 0;
    if (!*text)
        return false;
    for (*value = 0; *text; text++) {
        const char *digits = "0123456789abcdef";
        char lower = *text >= 'A' && *text <= 'F' ? (char)(*text - 'A' + 'a') : *text;
        const char *digit = strchr(digits, lower);
        uint64_t d = digit ? (uint64_t)(digit - digits) : base;
        if (d >= base || *value > (UINT64_MAX - d) / base)
            return false;
        *value = *value * base + d;
    }
    return true;
}

/* Word i as a number from low to high. */
static bool argument(const struct interpreter *in, unsigned i, uint64_t low, uint64_t high,
                     uint64_t *value)
{
    return i < in->count && number(in->words[i], value) && *value >= low && *value <= high;
}

static bool domain_argument(const struct interpreter *in, unsigned i, unsigned *dom)
{
    uint64_t value;
    if (!argument(in, i, 0, in->ref->domains - 1, &value))
        return false;
    *dom = (unsigned)value;
    return true;
}

/* ---- set-up -------------------------------------------------------------------------------- */

static bool do_chipset(struct interpreter *in)
{
    static const char *const names[REF_CHIPSETS] = {"nv10", "nv15", "nv20",  "nv30", "nv40",
                                                    "g84",  "g92",  "gt215", "gf100"};
    if (in->ref || in->count != 2)
        return false;
    for (unsigned i = 0; i < REF_CHIPSETS; i++)
        if (!strcmp(in->words[1], names[i]))
            in->ref = reference_new((enum reference_chipset)i);
    return in->ref;
}

/* Finds a domain set by its name: gpc0..gpc31, part0..part15, hub. */
static bool find_set(const char *name, uint64_t *domain_block, uint64_t *address)
{
    static const struct {
        const char *name;
        unsigned count;
        uint64_t domain_block, address;
    } rows[] = {{"gpc", 32, 0x180000, 0x1b8000}, {"part", 16, 0x1a0000, 0x1bc000}};
    *domain_block = 0x1b0000;
    *address = 0x1be000;
    if (!strcmp(name, "hub"))
        return true;
    for (size_t i = 0; i < 2; i++)
        for (unsigned unit = 0; unit < rows[i].count; unit++) {
            char text[16];
            snprintf(text, sizeof text, "%s%u", rows[i].name, unit);
            *domain_block = rows[i].domain_block + unit * 0x1000;
            *address = rows[i].address + unit * 0x200;
            if (!strcmp(name, text))
                return true;
        }
    return false;
}

static bool do_domains(struct interpreter *in)
{
    struct reference *ref = in->ref;
    bool sets = ref->chipset == REF_GF100;
    uint64_t most = ref->chipset <= REF_NV15 ? 1 : ref->chipset <= REF_NV30 ? 2 : 8;
    uint64_t domains, domain_block, address;
    if (in->clocked || in->count < 2 || in->count > 2u + sets ||
        !argument(in, 1, 1, most, &domains))
        return false;
    if (!find_set(in->count > 2 ? in->words[2] : "gpc0", &domain_block, &address))
        return false;
    if (!in->divided || !sets)
        reference_remove_domains(ref); /* the default */
    in->divided = true;
    for (unsigned i = 0; i < ref->set_count; i++)
        if (ref->set[i].address == address)
            return false;
    if (ref->domains + domains > REF_DOMAINS)
        return false;
    reference_add_set(ref, (unsigned)domains, domain_block, address);
    return true;
}

static bool do_clock(struct interpreter *in)
{
    unsigned dom;
    uint64_t period, phase = 0;
    in->clocked = true;
    if (in->count > 4 || !domain_argument(in, 1, &dom) || !argument(in, 2, 1, UINT32_MAX, &period))
        return false;
    if (in->count == 4 && !argument(in, 3, 0, period - 1, &phase))
        return false;
    reference_set_clock(in->ref, dom, period, phase);
    return true;
}

static bool do_trailer(struct interpreter *in)
{
    unsigned dom;
    uint64_t base, most = in->ref->chipset == REF_GF100 ? 0xc0 : 0xe0;
    in->clocked = true;
    if (in->count != 3 || !domain_argument(in, 1, &dom) || !argument(in, 2, 0, most, &base))
        return false;
    in->ref->domain[dom].trailer = (unsigned)base;
    return base % 0x20 == 0;
}

/* ---- signals ------------------------------------------------------------------------------- */

static bool signal_range(char *text, uint64_t *first, uint64_t *last)
{
    char *dash = strchr(text, '-');
    if (dash)
        *dash = '\0';
    if (!number(text, first) || !number(dash ? dash + 1 : text, last))
        return false;
    return *first <= *last && *last < REF_SIGNALS;
}

static bool parse_wave(const struct interpreter *in, struct reference_wave *wave)
{
    const char *kind = in->words[3];
    if (!strcmp(kind, "const")) {
        wave->kind = WAVE_CONST;
        return in->count == 5 && argument(in, 4, 0, 1, &wave->a);
    }
    if (!strcmp(kind, "pattern") || !strcmp(kind, "once")) {
        if (in->count != 5)
            return false;
        wave->kind = kind[0] == 'p' ? WAVE_PATTERN : WAVE_ONCE;
        wave->bits = in->words[4];
        wave->bit_count = strlen(wave->bits);
        return strspn(wave->bits, "01") == wave->bit_count;
    }
    if (!strcmp(kind, "every")) {
        wave->kind = WAVE_EVERY;
        return in->count == 6 && argument(in, 4, 1, UINT64_MAX, &wave->a) &&
               argument(in, 5, 0, wave->a - 1, &wave->b);
    }
    if (!strcmp(kind, "prng")) {
        wave->kind = WAVE_PRNG;
        return in->count == 6 && argument(in, 4, 0, UINT64_MAX, &wave->a) &&
               argument(in, 5, 0, 256, &wave->b);
    }
    wave->kind = WAVE_USER;
    return !strcmp(kind, "user") && in->ref->chipset == REF_GT215 && in->count == 5 &&
           argument(in, 4, 0, 1, &wave->a);
}

static bool do_sig(struct interpreter *in)
{
    struct reference_wave wave = {.kind = WAVE_CONST};
    unsigned dom;
    uint64_t first, last;
    if (in->count < 5 || !domain_argument(in, 1, &dom) ||
        !signal_range(in->words[2], &first, &last) || !parse_wave(in, &wave))
        return false;
    for (uint64_t i = first; i <= last; i++) {
        reference_set_wave(in->ref, dom, (unsigned)i, wave);
        if (wave.kind == WAVE_PRNG)
            wave.a++;
    }
    return true;
}

/* ---- registers, time, memory --------------------------------------------------------------- */

static bool do_latency(struct interpreter *in)
{
    uint64_t latency;
    if (in->count != 2 || !argument(in, 1, 1, UINT32_MAX, &latency))
        return false;
    in->ref->latency = (uint32_t)latency;
    return true;
}

static bool do_wr(struct interpreter *in)
{
    uint64_t address, value;
    if (in->count != 3 || !argument(in, 1, 0, UINT64_MAX, &address) || address % 4 ||
        !argument(in, 2, 0, UINT32_MAX, &value))
        return false;
    reference_write(in->ref, address, (uint32_t)value);
    return true;
}

static bool do_rd(struct interpreter *in)
{
    uint64_t address;
    if (in->count != 2 || !argument(in, 1, 0, UINT64_MAX, &address) || address % 4)
        return false;
    fprintf(in->out, "rd 0x%06" PRIx64 " = 0x%08" PRIx32 "\n", address,
            reference_read(in->ref, address));
    return true;
}

static bool do_run(struct interpreter *in)
{
    uint64_t ticks;
    if (in->count != 2 || !argument(in, 1, 0, UINT64_MAX, &ticks))
        return false;
    reference_ticks(in->ref, ticks);
    return true;
}

static bool do_mem(struct interpreter *in)
{
    const uint64_t mask = (UINT64_C(1) << 40) - 1;
    uint64_t address, length;
    if (in->count != 3 || !argument(in, 1, 0, mask, &address) ||
        !argument(in, 2, 0, 1 << 20, &length))
        return false;
    for (uint64_t i = 0; i < length; i++) {
        uint64_t at = (address + i) & mask;
        if (i % 16 == 0)
            fprintf(in->out, "mem 0x%010" PRIx64 " = ", at);
        fprintf(in->out, "%02x", reference_memory_byte(in->ref, at));
        if (i % 16 == 15 || i == length - 1)
            fputc('\n', in->out);
    }
    return true;
}

static bool do_fault(struct interpreter *in)
{
    uint64_t address;
    if (in->count != 2 || !argument(in, 1, 0, (UINT64_C(1) << 40) - 1, &address))
        return false;
    return reference_memory_fault(in->ref, address, in->words[0][0] == 'f');
}

static bool do_reset(struct interpreter *in)
{
    if (in->count != 1)
        return false;
    reference_reset(in->ref);
    return true;
}

/* ---- peek and poke ------------------------------------------------------------------------- */

enum place { VISIBLE, SHADOW, REC_CYCLES, REC_STOP, REC_EVENT, FLAG, RECORD_VALID, BUSY, WEDGED };

struct peek_name {
    const char *name;
    enum reference_chipset first, last;
    enum place place;
    unsigned index;
};

/* clang-format off */
static const struct peek_name peek_names[] = {
    {"cycles", REF_NV10, REF_GF100, VISIBLE, CTR_CYCLES},
    {"event", REF_NV10, REF_GF100, VISIBLE, CTR_EVENT},
    {"start", REF_NV10, REF_GF100, VISIBLE, CTR_START},
    {"pre", REF_NV10, REF_GF100, VISIBLE, CTR_PRE},
    {"stop", REF_NV10, REF_GF100, VISIBLE, CTR_STOP},
    {"sh_cycles", REF_NV30, REF_GF100, SHADOW, CTR_CYCLES},
    {"sh_event", REF_NV30, REF_GF100, SHADOW, CTR_EVENT},
    {"sh_start", REF_NV30, REF_GF100, SHADOW, CTR_START},
    {"sh_pre", REF_NV30, REF_GF100, SHADOW, CTR_PRE},
    {"sh_stop", REF_NV30, REF_GF100, SHADOW, CTR_STOP},
    {"rec_cycles", REF_G84, REF_GT215, REC_CYCLES, 0},
    {"rec_stop", REF_G84, REF_GT215, REC_STOP, 0},
    {"rec0", REF_G84, REF_GT215, REC_EVENT, 0},
    {"rec1", REF_G84, REF_GT215, REC_EVENT, 1},
    {"rec2", REF_G84, REF_GT215, REC_EVENT, 2},
    {"rec3", REF_G84, REF_GT215, REC_EVENT, 3},
    {"rec4", REF_G84, REF_GT215, REC_EVENT, 4},
    {"rec5", REF_G84, REF_GT215, REC_EVENT, 5},
    {"rec6", REF_G84, REF_GT215, REC_EVENT, 6},
    {"rec7", REF_G84, REF_GT215, REC_EVENT, 7},
    {"rec8", REF_G84, REF_GT215, REC_EVENT, 8},
    {"rec9", REF_G84, REF_GT215, REC_EVENT, 9},
    {"rec10", REF_G84, REF_GT215, REC_EVENT, 10},
    {"rec11", REF_G84, REF_GT215, REC_EVENT, 11},
    {"flag", REF_NV10, REF_GF100, FLAG, 0},
    {"valid", REF_G84, REF_GT215, RECORD_VALID, 0},
    {"busy", REF_G84, REF_GT215, BUSY, 0},
    {"wedged", REF_G84, REF_GT215, WEDGED, 0},
};
/* clang-format on */

static const struct peek_name *find_name(const struct reference *ref, const char *name)
{
    for (size_t i = 0; i < sizeof peek_names / sizeof peek_names[0]; i++)
        if (!strcmp(name, peek_names[i].name))
            return ref->chipset >= peek_names[i].first && ref->chipset <= peek_names[i].last
                       ? &peek_names[i]
                       : NULL;
    return NULL;
}

static uint64_t peek(const struct reference_state *state, const struct peek_name *name)
{
    switch (name->place) {
    case VISIBLE:
        return state->visible[name->index];
    case SHADOW:
        return state->shadow[name->index];
    case REC_CYCLES:
        return state->record_cycles;
    case REC_STOP:
        return state->record_stop;
    case REC_EVENT:
        return state->record_events[name->index];
    case FLAG:
        return state->flag;
    case RECORD_VALID:
        return state->record_valid;
    case BUSY:
        return state->packet.busy;
    case WEDGED:
        return state->hung;
    }
    return 0;
}

static bool poke(const struct reference *ref, struct reference_state *state,
                 const struct peek_name *name, uint64_t value)
{
    switch (name->place) {
    case VISIBLE:
        if (ref->chipset <= REF_NV20 && name->index <= CTR_START)
            state->visible[name->index] = value & ((UINT64_C(1) << 40) - 1);
        else
            state->visible[name->index] = (uint32_t)value;
        return true;
    case SHADOW:
        state->shadow[name->index] = (uint32_t)value;
        return true;
    case REC_CYCLES:
        state->record_cycles = value & ((UINT64_C(1) << 48) - 1);
        return true;
    case REC_STOP:
        state->record_stop = value & 0xfff;
        return true;
    case REC_EVENT:
        state->record_events[name->index] = (uint16_t)value;
        return true;
    case FLAG:
    case RECORD_VALID:
    case BUSY:
    case WEDGED:
        break;
    }
    return false;
}

static bool do_peek(struct interpreter *in)
{
    unsigned dom;
    if (in->count != 3 || !domain_argument(in, 1, &dom))
        return false;
    const struct peek_name *name = find_name(in->ref, in->words[2]);
    if (!name)
        return false;
    fprintf(in->out, "peek %u %s = 0x%012" PRIx64 "\n", dom, name->name,
            peek(&in->ref->domain[dom].state, name));
    return true;
}

static bool do_poke(struct interpreter *in)
{
    unsigned dom;
    uint64_t value;
    if (in->count != 4 || !domain_argument(in, 1, &dom) || !argument(in, 3, 0, UINT64_MAX, &value))
        return false;
    const struct peek_name *name = find_name(in->ref, in->words[2]);
    return name && poke(in->ref, &in->ref->domain[dom].state, name, value);
}

/* expect <addr> [& <mask>] <sign> <value>, or the same with peek <dom> <name> */
static bool do_expect(struct interpreter *in)
{
    static const char *const signs[] = {"=", "!=", "<", "<=", ">", ">="};
    uint64_t got, mask = UINT64_MAX, value;
    unsigned at = 2, dom, sign = 0;
    if (in->count > 1 && !strcmp(in->words[1], "peek")) {
        const struct peek_name *name = in->count > 3 ? find_name(in->ref, in->words[3]) : NULL;
        if (!name || !domain_argument(in, 2, &dom))
            return false;
        got = peek(&in->ref->domain[dom].state, name);
        at = 4;
    } else {
        if (!argument(in, 1, 0, UINT64_MAX, &got))
            return false;
        got = reference_read(in->ref, got);
    }
    if (at < in->count && !strcmp(in->words[at], "&")) {
        if (!argument(in, at + 1, 1, UINT64_MAX, &mask))
            return false;
        at += 2;
    }
    if (in->count != at + 2 || !argument(in, at + 1, 0, UINT64_MAX, &value))
        return false;
    while (sign < 6 && strcmp(in->words[at], signs[sign]) != 0)
        sign++;
    got &= mask;
    const bool met[] = {got == value, got != value, got<value, got <= value, got> value,
                        got >= value};
    if (sign == 6)
        return false;
    fprintf(in->out, "expect %s\n", met[sign] ? "met" : "failed");
    return true;
}

/* ---- lines --------------------------------------------------------------------------------- */

static bool do_line(struct interpreter *in)
{
    static const struct {
        const char *name;
        bool (*command)(struct interpreter *in);
        bool setup;
    } commands[] = {
        {"chipset", do_chipset, true}, {"domains", do_domains, true},
        {"clock", do_clock, true},     {"trailer", do_trailer, true},
        {"sig", do_sig, false},        {"latency", do_latency, false},
        {"wr", do_wr, false},          {"rd", do_rd, false},
        {"run", do_run, false},        {"mem", do_mem, false},
        {"fault", do_fault, false},    {"unfault", do_fault, false},
        {"poke", do_poke, false},      {"peek", do_peek, false},
        {"reset", do_reset, false},    {"expect", do_expect, false},
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(in->words[0], commands[i].name) != 0)
            continue;
        if (!in->ref && commands[i].command != do_chipset)
            return false;
        if (commands[i].setup && in->commands)
            return false;
        in->commands |= !commands[i].setup;
        return commands[i].command(in);
    }
    return false;
}

/* Splits a line into words, in place. Returns false if there are more than any command has. */
static bool split(struct interpreter *in, char *line)
{
    in->count = 0;
    line[strcspn(line, "#")] = '\0';
    for (;;) {
        line += strspn(line, " \t");
        if (!*line)
            return true;
        if (in->count == MAX_WORDS)
            return false;
        in->words[in->count++] = line;
        line += strcspn(line, " \t");
        if (*line)
            *line++ = '\0';
    }
}

int reference_run(const char *script, size_t size, FILE *out)
{
    struct interpreter in = {.out = out};
    char *text = malloc(size + 1); /* bit strings point into it until the end */
    int bad = 0, line_number = 0;
    if (!text)
        return 1;
    memcpy(text, script, size);
    text[size] = '\0';

    for (char *line = text, *next; line < text + size && !bad; line = next) {
        size_t length = strcspn(line, "\n");
        bool whole = line[length] == '\n' || line + length == text + size; /* no NUL within */
        line[length] = '\0';
        next = line + length + 1;
        line_number++;
        if (!whole || !split(&in, line) || (in.count && !do_line(&in)))
            bad = line_number;
    }
    if (in.ref)
        reference_free(in.ref);
    free(text);
    return bad;
}
