/* SPDX-License-Identifier: MIT */
/* Random programs of MI commands on the command streamer and on the plain reference, on each engine
 * of each platform: the same clocks, memory, registers, positions, log, interrupts and fault. */
#include "intel/cs_programs.h"

#include <errno.h>

#include <tally/error.h>

#define PROGRAMS 20000
#define STEPS    200
#define PATIENCE 4 /* waiting steps until another agent writes what is waited for */

struct totals {
    uint64_t steps, stopped, ended, foreign;
    uint32_t executed[4][NUMBER_VIDEO + 1]; /* by engine and command */
};

struct pair {
    struct machine machine;
    struct cs_reference reference;
    char name[REFERENCE_NAME];
};

/* ---- what is compared ------------------------------------------------------------------------ */

static bool same_registers(const struct streamer *s, const struct cs_reference *r)
{
    return !memcmp(s->gpr, r->gpr, sizeof r->gpr) &&
           !memcmp(s->predicate_source, r->source, sizeof r->source) &&
           s->predicate_data == r->difference && s->predicate_result == r->result &&
           s->predicate_result_1 == r->result_1 && s->predicate_result_2 == r->result_2 &&
           s->excc == r->excc && s->bb_offset == r->bb_offset && s->nopid == r->nopid &&
           s->hws_pga == r->status_page && s->acthd == r->acthd && s->ipehr == r->ipehr &&
           s->sync[0] == r->mailbox[0] && s->sync[2] == r->mailbox[1] &&
           s->sync[1] == r->mailbox[2] && s->predicated == r->noop && s->ccid == r->ccid &&
           s->mi_mode == r->mi_mode && s->arbitration == r->arbitration &&
           s->suspend_flush == r->suspend_flush;
}

static bool same_position(const struct streamer *s, const struct cs_reference *r)
{
    bool same = s->level == r->level && s->running == r->running && s->has_batch == r->has_first &&
                s->ring_head == r->ring_head && s->ring_tail == r->ring_tail &&
                s->ring_start == r->ring_start && s->ring_ctl == r->ring_ctl;
    for (unsigned i = 1; i < COUNT(r->place); i++) {
        struct streamer_place place = streamer_batch(s, i);
        same = same && place.address == r->place[i].address && place.space == r->place[i].space &&
               place.privileged == r->place[i].privileged;
    }
    return same;
}

static bool same_statistics(const struct streamer *s, const struct cs_reference *r)
{
    return s->executed == r->executed && s->noops == r->noops && s->illegal == r->illegal &&
           s->illegal_writes == r->illegal_writes && s->worked == r->worked;
}

static bool same_fault(const struct streamer *s, const struct cs_reference *r)
{
    struct tally_error error = {0};
    char text[320];
    cs_reference_explain(r, text, sizeof text);
    int code = streamer_explain(s, &error);
    bool same = code == (r->fault ? -EIO : 0) && !strcmp(error.message, text);
    if (!same)
        print_error("%s\nexpected: %s\n", error.message, text);
    return same;
}

/* Returns what differs, or NULL. */
static const char *difference(const struct pair *pair)
{
    const struct machine *a = &pair->machine, *b = &pair->reference.machine;
    const struct streamer *s = &a->streamer;
    const struct cs_reference *r = &pair->reference;
    if (!same_fault(s, r))
        return "faults";
    if (!same_position(s, r))
        return "positions";
    if (!same_registers(s, r))
        return "registers";
    if (!same_statistics(s, r))
        return "statistics";
    if (memcmp(a->memory, b->memory, sizeof a->memory) != 0)
        return "memory";
    if (a->register_count != b->register_count ||
        memcmp(a->registers, b->registers, sizeof a->registers) != 0)
        return "other registers";
    if (a->trace != b->trace)
        return "accesses or work";
    if (memcmp(a->interrupts, b->interrupts, sizeof a->interrupts) != 0)
        return "interrupts";
    return strcmp(a->log, b->log) != 0 ? "logs" : NULL;
}

/* ---- running both ---------------------------------------------------------------------------- */

/* The same values on both sides at the start. */
static void set_state(struct program *p, struct pair *pair)
{
    struct streamer *s = &pair->machine.streamer;
    struct cs_reference *r = &pair->reference;
    for (unsigned i = 0; i < COUNT(r->gpr); i++)
        s->gpr[i] = r->gpr[i] = program_below(p, 2) ? program_data(p) : random_next(&p->rng);
    for (unsigned i = 0; i < COUNT(r->source); i++)
        s->predicate_source[i] = r->source[i] = program_below(p, 3);
    s->predicate_data = r->difference = program_below(p, 3);
    s->predicate_result = r->result = program_below(p, 2);
    s->predicate_result_1 = r->result_1 = program_below(p, 2);
    s->predicate_result_2 = r->result_2 = program_below(p, 2);
    s->bb_offset = r->bb_offset = 4 * program_below(p, 16);
    s->hws_pga = r->status_page = 0x7000;
    s->id_quirk = r->id_quirk = program_below(p, 2);
}

/* Another agent writes what a command waits for. */
static void release(struct program *p, struct pair *pair)
{
    struct streamer *s = &pair->machine.streamer;
    struct cs_reference *r = &pair->reference;
    uint32_t address = r->dword[2] & ~3u, value = r->dword[1] + program_below(p, 3) - 1;
    s->excc = r->excc = 0;
    for (unsigned i = 0; i < COUNT(r->mailbox); i++)
        s->sync[i] = r->mailbox[i] = value;
    for (unsigned space = 0; space < MACHINE_SPACES && address < MACHINE_BYTES; space++)
        pair->machine.memory[space][address / 4] = r->machine.memory[space][address / 4] = value;
}

/* One step on both sides. Returns false when there is nothing more to compare. */
static bool step_both(struct pair *pair, struct totals *totals, enum streamer_status *status)
{
    struct machine *machine = &pair->machine;
    struct cs_reference *r = &pair->reference;
    uint32_t clocks;
    *status = streamer_step(&machine->streamer, &machine->callbacks, &clocks);
    uint64_t noops = r->noops, executed = r->executed;
    enum streamer_status expected = cs_reference_step(r);
    machine->clocks += clocks;
    machine->timestamp += machine->ticking ? clocks : 0;
    totals->steps++;
    if (r->foreign) {
        totals->foreign++;
        return false;
    }
    if (r->executed > executed && r->noops == noops)
        totals->executed[r->kind][r->shape->number]++;
    return ROW(__LINE__,
               *status == expected && machine->clocks == r->machine.clocks &&
                   machine->streamer.activity == r->activity &&
                   streamer_is_idle(&machine->streamer) == cs_reference_is_idle(r),
               "%s: status %d, expected %d; clocks %u, expected %u; command %08x at %" PRIx64,
               pair->name, *status, expected, (unsigned)machine->clocks,
               (unsigned)r->machine.clocks, r->dword[0], r->at.address);
}

static void run_both(struct program *p, struct pair *pair, struct totals *totals)
{
    enum streamer_status status = STREAMER_RAN;
    unsigned waits = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        if (!step_both(pair, totals, &status))
            return;
        waits = status == STREAMER_WAITS ? waits + 1 : 0;
        if (waits > PATIENCE && !reference_busy(&pair->reference))
            release(p, pair);
        if (status == STREAMER_STOPPED || status == STREAMER_IDLE)
            break;
    }
    totals->stopped += status == STREAMER_STOPPED;
    totals->ended += status == STREAMER_IDLE;
    const char *what = difference(pair);
    ROW(__LINE__, !what, "%s: %s differ; last command %08x at %" PRIx64 "\n%s\n%s", pair->name,
        what ? what : "", pair->reference.dword[0], pair->reference.at.address, pair->machine.log,
        pair->reference.machine.log);
}

static void run_program(struct program *p, struct pair *pair, struct totals *totals)
{
    struct machine *machine = &pair->machine;
    struct cs_reference *r = &pair->reference;
    cs_reference_init(r, pair->name);
    make_program(p, r);
    machine_init(machine, pair->name);
    memcpy(machine->memory, r->machine.memory, sizeof machine->memory);
    cs_reference_begin(r, &p->submission);
    set_state(p, pair);
    r->machine.ticking = machine->ticking = program_below(p, 2);
    r->machine.work_clocks = machine->work_clocks = program_below(p, 100);
    assert_int_equal(streamer_submit(&machine->streamer, &p->submission), 0);
    run_both(p, pair, totals);
}

/* ---- the tests ------------------------------------------------------------------------------- */

/* Each engine has executed each of its commands of some version. */
static void check_coverage(const struct totals *totals)
{
    static const unsigned versions[] = {60, 70, 75, 80, 90, 100, 110, 120};
    for (unsigned engine = 0; engine < 4; engine++)
        for (unsigned number = 0; number <= NUMBER_VIDEO; number++) {
            bool has = false;
            for (size_t i = 0; i < COUNT(versions); i++)
                has = has || reference_shape_on(versions[i], (enum reference_engine)engine, number);
            ROW(__LINE__, !has || totals->executed[engine][number] >= 20,
                "engine %u has executed command %x %u times", engine, number,
                totals->executed[engine][number]);
        }
}

static void test_against_reference(void **state)
{
    (void)state;
    struct pair *pair = malloc(sizeof *pair);
    struct program *program = malloc(sizeof *program);
    struct totals totals = {0};
    unsigned rounds = random_cases(PROGRAMS);
    size_t engines = cs_reference_engines();
    program->rng = random_start(11);
    for (unsigned round = 0; round < rounds; round++) {
        assert_true(cs_reference_name(round % engines, pair->name));
        run_program(program, pair, &totals);
    }
    ROW(__LINE__, totals.steps > 10 * rounds && totals.foreign * 20 <= rounds + 19,
        "%u steps, %u stopped, %u ended, %u foreign", (unsigned)totals.steps,
        (unsigned)totals.stopped, (unsigned)totals.ended, (unsigned)totals.foreign);
    if (rounds >= PROGRAMS)
        check_coverage(&totals);
    free(pair);
    free(program);
    ROWS_DONE();
}

/* The model has the engines of the reference, and no others. */
static void test_engines(void **state)
{
    (void)state;
    char name[REFERENCE_NAME];
    unsigned found = 0;
    for (size_t i = 0; i < tally_platform_count(); i++) {
        struct streamer streamer;
        for (unsigned id = 0; id < CS_ENGINES; id++)
            found += !streamer_init(&streamer, tally_platform_at(i), (enum cs_engine_id)id);
    }
    ROW(__LINE__, found == cs_reference_engines(), "%u engines, expected %u", found,
        (unsigned)cs_reference_engines());
    for (size_t n = 0; cs_reference_name(n, name); n++) {
        struct machine *machine = machine_new(name);
        ROW(__LINE__, !strcmp(machine->streamer.engine->name, strchr(name, '/') + 1), "%s", name);
        for (uint32_t half = 0; half < 8; half += 4) { /* without a clock TIMESTAMP is 0 */
            static const struct streamer_callbacks none = {0};
            uint32_t base = machine->streamer.engine->map.base, value = 5;
            ROW(__LINE__,
                streamer_read(&machine->streamer, &none, base + 0x358 + half, &value) && !value,
                "%s: TIMESTAMP", name);
        }
        free(machine);
    }
    ROWS_DONE();
}

/* Each class of engines has the memory interface commands of the reference. */
static void test_commands_of_engines(void **state)
{
    static const unsigned versions[] = {60, 70, 75, 80, 90, 100, 110, 120};
    (void)state;
    for (size_t v = 0; v < COUNT(versions); v++)
        for (unsigned engine = 0; engine < CS_CLASSES; engine++)
            for (uint32_t number = 0; number < 0x40; number++) {
                const struct cs_command *command =
                    cs_find(versions[v], (enum cs_class)engine, number << 23);
                const struct reference_shape *shape =
                    reference_shape_on(versions[v], (enum reference_engine)engine, number);
                ROW(__LINE__,
                    !command == !shape && (!command || !strcmp(command->name, shape->name)),
                    "version %u, engine %u, command %02x: %s, not %s", versions[v], engine, number,
                    command ? command->name : "none", shape ? shape->name : "none");
                if (command)
                    ROW(__LINE__, cs_classes(command, versions[v]) >> engine & 1, "%s",
                        command->name);
            }
    ROWS_DONE();
}

int test_cs_compare(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_commands_of_engines),
        cmocka_unit_test(test_against_reference),
    };
    return cmocka_run_group_tests_name("cs compare", tests, NULL, NULL);
}
