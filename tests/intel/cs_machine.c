/* SPDX-License-Identifier: MIT */
#include "intel/cs_machine.h"

#include <tally/error.h>

void machine_log(struct machine *machine, const char *format, ...)
{
    size_t room = sizeof machine->log - machine->log_size;
    va_list arguments;
    va_start(arguments, format);
    int used =
        snprintf(machine->log + machine->log_size, room, "%s", machine->log_size ? "; " : "");
    if (used >= 0 && (size_t)used < room)
        used += vsnprintf(machine->log + machine->log_size + used, room - (size_t)used, format,
                          arguments);
    va_end(arguments);
    machine->log_size += used < 0 ? 0 : (size_t)used < room ? (size_t)used : room - 1;
}

void machine_trace(struct machine *machine, uint64_t value)
{
    machine->trace = (machine->trace ^ value) * UINT64_C(0x100000001b3);
}

static bool read32(void *closure, uint32_t space, uint64_t address, uint32_t *out)
{
    struct machine *machine = closure;
    if (space >= MACHINE_SPACES || address >= MACHINE_BYTES || address % 4)
        return false;
    *out = machine->memory[space][address / 4];
    return true;
}

static bool write32(void *closure, uint32_t space, uint64_t address, uint32_t value)
{
    struct machine *machine = closure;
    if (space >= MACHINE_SPACES || address >= MACHINE_BYTES || address % 4)
        return false;
    machine->memory[space][address / 4] = value;
    machine_log(machine, "%u:%" PRIx64 "=%x", space, address, value);
    return true;
}

/* A register that was not written reads as its address with 5a in front. */
static uint32_t mmio_read(void *closure, uint32_t address)
{
    struct machine *machine = closure;
    for (unsigned i = 0; i < machine->register_count; i++)
        if (machine->registers[i].address == address)
            return machine->registers[i].value;
    return 0x5a000000 | address;
}

static void mmio_write(void *closure, uint32_t address, uint32_t value)
{
    struct machine *machine = closure;
    unsigned i = 0;
    while (i < machine->register_count && machine->registers[i].address != address)
        i++;
    if (i < COUNT(machine->registers)) {
        machine->registers[i].address = address;
        machine->registers[i].value = value;
        machine->register_count += i == machine->register_count;
    }
    machine_log(machine, "r%x=%x", address, value);
}

/* CS_GPR, the predicates, and one that is not the streamer's. */
static bool may_write_register(void *closure, uint32_t address)
{
    const struct machine *machine = closure;
    uint32_t offset = address - machine->streamer.engine->map.base;
    return machine->may_write_all || (offset >= 0x600 && offset < 0x680) ||
           (offset >= 0x400 && offset < 0x420) || offset == 0x340;
}

static void report(void *closure, const struct streamer_report *r)
{
    machine_log(closure, "report %u:%" PRIx64 " %x%s%s", r->space, r->address, r->id,
                r->core_mode ? " core" : "", r->id_corrupt ? " corrupt" : "");
}

static void context_switch(void *closure, bool valid, uint32_t id)
{
    struct machine *machine = closure;
    if (machine->quiet_contexts)
        return;
    if (valid)
        machine_log(machine, "switch %x", id);
    else
        machine_log(machine, "leave %x", id);
}

static void complete(void *closure, uint32_t id, uint32_t head)
{
    struct machine *machine = closure;
    if (!machine->quiet_contexts)
        machine_log(machine, "done %x at %x", id, head);
}

static void force_wakeup(void *closure, uint32_t request)
{
    machine_log(closure, "force wakeup %x", request);
}

static uint64_t timestamp(void *closure)
{
    return ((struct machine *)closure)->timestamp;
}

static void interrupt(void *closure, enum streamer_interrupt which)
{
    struct machine *machine = closure;
    machine->interrupts[which]++;
    machine_log(machine, which == STREAMER_NOTIFY ? "notify" : "user interrupt");
}

static void trace_command(struct machine *machine, const struct streamer_work *w)
{
    machine_trace(machine, w->address);
    machine_trace(machine, w->space);
    machine_trace(machine, w->count);
    machine_trace(machine, w->dwords[w->count - 1]);
}

static void work(void *closure, const struct streamer_work *w)
{
    struct machine *machine = closure;
    machine->busy_until = machine->clocks + machine->work_clocks;
    machine_log(machine, "work %s %u", w->command->name, w->length);
    trace_command(machine, w);
}

static void flush(void *closure, const struct streamer_work *w)
{
    trace_command(closure, w);
}

static void accessed(void *closure, bool write, uint32_t address, uint32_t value, bool denied)
{
    machine_trace(closure, (uint64_t)address << 32 | value);
    machine_trace(closure, write | (unsigned)denied << 1);
}

static void state(void *closure, const struct streamer_work *w)
{
    machine_log(closure, "%s %u", w->command->name, w->length);
}

static bool busy(void *closure)
{
    const struct machine *machine = closure;
    return machine->clocks < machine->busy_until;
}

static enum cs_engine_id engine_named(const char *name)
{
    for (size_t i = 0; cs_engine_at(i); i++)
        if (!strcmp(cs_engine_at(i)->name, name))
            return (enum cs_engine_id)cs_engine_at(i)->id;
    fail_msg("no engine is named %s", name);
    return CS_RCS0;
}

void machine_init(struct machine *machine, const char *platform)
{
    char name[16];
    size_t length = strcspn(platform, "/");
    const char *engine = platform[length] ? platform + length + 1 : "rcs0";
    snprintf(name, sizeof name, "%.*s", (int)length, platform);
    memset(machine, 0, sizeof *machine);
    machine->platform = tally_platform_find(name);
    assert_non_null(machine->platform);
    assert_int_equal(streamer_init(&machine->streamer, machine->platform, engine_named(engine)), 0);
    machine->callbacks = (struct streamer_callbacks){
        .closure = machine,
        .read32 = read32,
        .write32 = write32,
        .mmio_read = mmio_read,
        .mmio_write = mmio_write,
        .may_write_register = may_write_register,
        .report = report,
        .context_switch = context_switch,
        .complete = complete,
        .force_wakeup = force_wakeup,
        .timestamp = timestamp,
        .interrupt = interrupt,
        .work = work,
        .flush = flush,
        .accessed = accessed,
        .state = state,
        .busy = busy,
    };
    machine->timestamp = UINT64_C(0x123456789);
}

struct machine *machine_new(const char *platform)
{
    struct machine *machine = malloc(sizeof *machine);
    assert_non_null(machine);
    machine_init(machine, platform);
    return machine;
}

void machine_load(struct machine *machine, uint32_t space, uint32_t address, const uint32_t *dwords,
                  size_t count)
{
    memcpy(&machine->memory[space][address / 4], dwords, count * sizeof *dwords);
}

enum streamer_status machine_run(struct machine *machine, unsigned steps)
{
    enum streamer_status status = STREAMER_IDLE;
    while (steps--) {
        uint32_t clocks;
        status = streamer_step(&machine->streamer, &machine->callbacks, &clocks);
        machine->clocks += clocks;
        machine->timestamp += machine->ticking ? clocks : 0;
        bool still = status == STREAMER_IDLE || status == STREAMER_STOPPED;
        assert_true(still ? clocks == 0 : clocks >= 1);
        if (!still)
            continue;
        struct tally_error error = {0};
        if (streamer_explain(&machine->streamer, &error))
            machine_log(machine, "%s", error.message);
        break;
    }
    return status;
}

enum streamer_status machine_run_batch(struct machine *machine, uint32_t space, bool privileged)
{
    struct streamer_submission batch = {
        .id = MACHINE_ID,
        .ppgtt = 1,
        .batch = {MACHINE_CODE, space, privileged},
    };
    assert_int_equal(streamer_submit(&machine->streamer, &batch), 0);
    return machine_run(machine, 10000);
}

void machine_expect(struct machine *machine, unsigned line, const char *log)
{
    ROW(line, !strcmp(machine->log, log), "%s: %s\nexpected: %s", machine->platform->name,
        machine->log, log);
    machine->log_size = 0;
    machine->log[0] = '\0';
}
