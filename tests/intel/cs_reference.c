/* SPDX-License-Identifier: MIT */
/* The reference's submissions, rings, steps and faults. */
#include "intel/cs_reference.h"

/* ---- engines (OA-11.10) ---------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum reference_engine kind;
    unsigned first, last; /* versions */
    uint32_t base;
    const char *without; /* a platform of these versions that does not have it */
} engines[] = {
    {"rcs0", REFERENCE_RCS, 60, 120, 0x2000, NULL},
    {"bcs0", REFERENCE_BCS, 60, 120, 0x22000, NULL},
    {"vcs0", REFERENCE_VCS, 60, 100, 0x12000, NULL},
    {"vcs0", REFERENCE_VCS, 110, 120, 0x1c0000, NULL},
    {"vcs1", REFERENCE_VCS, 80, 100, 0x1c000, "chv"},
    {"vcs2", REFERENCE_VCS, 110, 120, 0x1d0000, NULL},
    {"vecs0", REFERENCE_VECS, 75, 100, 0x1a000, NULL},
    {"vecs0", REFERENCE_VECS, 110, 120, 0x1c8000, NULL},
};

/* Whether the engine of a row is on a platform. */
static bool has(const struct tally_platform *platform, size_t row)
{
    return platform->version >= engines[row].first && platform->version <= engines[row].last &&
           !(engines[row].without && !strcmp(platform->name, engines[row].without));
}

bool cs_reference_name(size_t n, char name[REFERENCE_NAME])
{
    for (size_t i = 0; i < tally_platform_count(); i++) {
        const struct tally_platform *platform = tally_platform_at(i);
        for (size_t k = 0; k < COUNT(engines); k++) {
            if (!has(platform, k) || n--)
                continue;
            snprintf(name, REFERENCE_NAME, "%s/%s", platform->name, engines[k].name);
            return true;
        }
    }
    return false;
}

size_t cs_reference_engines(void)
{
    char name[REFERENCE_NAME];
    size_t count = 0;
    while (cs_reference_name(count, name))
        count++;
    return count;
}

static void set_engine(struct cs_reference *r, const char *name)
{
    for (size_t i = 0; i < COUNT(engines); i++) {
        if (strcmp(engines[i].name, name) != 0 || !has(r->machine.platform, i))
            continue;
        r->engine = engines[i].name;
        r->kind = engines[i].kind;
        r->base = engines[i].base;
    }
}

/* ---- submissions ----------------------------------------------------------------------------- */

void cs_reference_init(struct cs_reference *r, const char *platform)
{
    memset(r, 0, sizeof *r);
    machine_init(&r->machine, platform);
    r->version = r->machine.platform->version;
    r->slices = tally_sku_find(r->machine.platform->name)->slices;
    set_engine(r, strchr(platform, '/') + 1);
    r->arbitration = true;
}

void cs_reference_begin(struct cs_reference *r, const struct streamer_submission *submission)
{
    r->waiting = true;
    r->id = submission->id;
    r->ppgtt = submission->ppgtt;
    r->has_ring = submission->ring_size != 0;
    r->has_first = !r->has_ring;
    r->ring_start = submission->ring_start;
    r->ring_head = submission->ring_head;
    r->ring_tail = submission->ring_tail;
    r->ring_ctl = r->has_ring ? submission->ring_size - 0x1000 + 1 : 0;
    if (!r->has_ring)
        r->place[1] = (struct reference_place){submission->batch.address, submission->batch.space,
                                               submission->batch.privileged};
}

static void pass_time(struct cs_reference *r, uint32_t clocks)
{
    r->machine.clocks += clocks;
    r->machine.timestamp += r->machine.ticking ? clocks : 0;
}

/* Between submissions and in the ring: whether something else than a command is next. */
static bool is_between(struct cs_reference *r, enum streamer_status *status)
{
    bool empty = reference_ring_offset(r) == r->ring_tail % reference_ring_size(r);
    if (r->waiting) { /* it begins */
        r->waiting = false;
        r->running = true;
        r->level = r->has_ring ? 0 : 1;
        r->activity = STREAMER_SWITCHES;
        r->machine.callbacks.context_switch(&r->machine, true, r->id);
        pass_time(r, 64);
        *status = STREAMER_RAN;
        return true;
    }
    if (r->running && (!r->has_ring || empty)) { /* it ends when its work is done */
        *status = reference_busy(r) ? STREAMER_WAITS : STREAMER_ENDED;
        if (!reference_busy(r)) {
            r->running = false;
            r->ring_ctl &= r->has_ring ? ~1u : UINT32_MAX;
            r->machine.callbacks.complete(&r->machine, r->id,
                                          r->has_ring ? reference_ring_offset(r) : 0);
            r->machine.callbacks.context_switch(&r->machine, false, r->id);
        }
        pass_time(r, 8);
        return true;
    }
    *status = STREAMER_IDLE;
    return cs_reference_is_idle(r);
}

/* A ring that registers have enabled runs without a submission. */
bool cs_reference_is_idle(const struct cs_reference *r)
{
    bool empty = reference_ring_offset(r) == r->ring_tail % reference_ring_size(r);
    return !r->fault && !r->waiting && !r->running && r->level == 0 &&
           (empty || !(r->ring_ctl & 1));
}

/* ---- steps ----------------------------------------------------------------------------------- */

void reference_pass(struct cs_reference *r)
{
    uint32_t size = reference_ring_size(r), end = reference_ring_offset(r) + 4 * r->length;
    if (r->level == 0) /* bits 31:21 count the wraps */
        r->ring_head = (r->ring_head & 0xffe00000) + end / size * 0x200000 + end % size;
    else
        r->place[r->level].address = reference_address(r, r->length);
}

static enum outcome fetch(struct cs_reference *r)
{
    memset(r->dword, 0, sizeof r->dword);
    r->length = 1;
    r->acthd = r->at.address;
    const uint32_t *dword = reference_find(r, r->at.space, reference_address(r, 0));
    if (!dword)
        return STOP;
    r->dword[0] = r->ipehr = *dword;
    unsigned number = reference_number_of(r->kind, r->dword[0]), type = r->dword[0] >> 29;
    r->shape = reference_shape_on(r->version, r->kind, number);
    r->foreign = number == NUMBER_NONE && (type == 2 || type == 3);
    if (!r->shape)
        return reference_stop(r, STREAMER_UNKNOWN, r->dword[0]);
    if (r->shape->field)
        r->length = (r->dword[0] & ((1u << r->shape->field) - 1)) + 2;
    if (r->length < r->shape->min || r->length > r->shape->max)
        return reference_stop(r, STREAMER_LENGTH, r->dword[0]);
    for (unsigned i = 1; i < r->length && i < COUNT(r->dword); i++) {
        if (!(dword = reference_find(r, r->at.space, reference_address(r, i))))
            return STOP;
        r->dword[i] = *dword;
    }
    return DONE;
}

enum streamer_status cs_reference_step(struct cs_reference *r)
{
    enum streamer_status status;
    if (r->fault)
        return STREAMER_STOPPED;
    r->activity = STREAMER_EXECUTES;
    if (r->level == 0 && is_between(r, &status))
        return status;
    r->at = r->place[r->level];
    if (r->level == 0)
        r->at = (struct reference_place){r->ring_start + reference_ring_offset(r), 0, true};
    r->jumped = false;
    if (fetch(r) == STOP)
        return STREAMER_STOPPED;
    enum outcome outcome = reference_execute(r);
    if (outcome == STOP)
        return STREAMER_STOPPED;
    if (outcome == WAIT) {
        pass_time(r, r->shape->clocks);
        return STREAMER_WAITS;
    }
    if (!r->jumped)
        reference_pass(r);
    r->executed++;
    uint32_t groups = (r->length - r->shape->group_at) / r->shape->group_size;
    pass_time(r, r->shape->clocks + groups * r->shape->group_clocks);
    return STREAMER_RAN;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static const char *space_text(uint32_t space)
{
    static const char *const texts[] = {"GGTT", "PPGTT 1", "PPGTT 2"};
    return texts[space];
}

static const char *unknown_text(const struct cs_reference *r, char *text, size_t size)
{
    unsigned number = reference_number_of(r->kind, r->fault_dword);
    const struct reference_shape *other = reference_shape_of(r->version, number);
    if (other)
        snprintf(text, size, "%s, expected a command that %s has", other->name, r->engine);
    else
        snprintf(text, size, "expected a command of graphics version %u.%u", r->version / 10,
                 r->version % 10);
    return text;
}

static const char *length_text(const struct cs_reference *r, char *text, size_t size)
{
    const struct reference_shape *shape = r->shape;
    if (shape->min == shape->max)
        snprintf(text, size, "%s of %u dwords, expected %u", shape->name, r->length, shape->min);
    else
        snprintf(text, size, "%s of %u dwords, expected %u to %u", shape->name, r->length,
                 shape->min, shape->max);
    return text;
}

static const char *fault_text(const struct cs_reference *r, char *text, size_t size)
{
    switch (r->fault) {
    case STREAMER_UNKNOWN:
        return unknown_text(r, text, size);
    case STREAMER_LENGTH:
        return length_text(r, text, size);
    case STREAMER_UNMAPPED:
        snprintf(text, size, "expected memory at 0x%08" PRIx64 " (%s), nothing is mapped",
                 r->fault_target, space_text(r->fault_space));
        return text;
    case STREAMER_RESERVED:
        return "a reserved value, expected a documented one";
    default:
        return "the end of a batch in the ring, expected it in a batch";
    }
}

void cs_reference_explain(const struct cs_reference *r, char *text, size_t size)
{
    char what[160];
    text[0] = '\0';
    if (r->fault)
        snprintf(text, size, "command streamer %s at 0x%08" PRIx64 " (%s), dword 0x%08x: %s",
                 r->engine, r->fault_at.address, space_text(r->fault_at.space), r->fault_dword,
                 fault_text(r, what, sizeof what));
}
