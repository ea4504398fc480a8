/* SPDX-License-Identifier: MIT */
/*
 * Runs the input as a batch or ring of the command streamer. The first byte selects the platform
 * and which of two video engines, the second the options with the engine; commands follow. Checks
 * that each step takes time unless the streamer is idle or stopped, that a copy made in between
 * behaves as the original, and that the commands can be disassembled.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include <tally/error.h>

#include "base/bits.h"
#include "intel/cs/streamer.h"
#include "intel/platforms.h"

#define BYTES 0x4000
#define STEPS 600

enum { PRIVILEGED = 1, IN_GGTT = 2, QUIRK = 4, IN_RING = 8, NO_PPGTT = 16, WORK = 32 };

struct gpu {
    struct streamer streamer;
    uint32_t memory[2][BYTES / 4];
    uint64_t clocks, busy_until, hash;
    bool works;
};

static void note(struct gpu *gpu, uint64_t value)
{
    gpu->hash = (gpu->hash ^ value) * UINT64_C(0x100000001b3);
}

static bool read32(void *closure, uint32_t space, uint64_t address, uint32_t *out)
{
    const struct gpu *gpu = closure;
    CHECK(address % 4 == 0 && address < UINT64_C(1) << 48);
    CHECK(gpu->streamer.platform->wide_addresses || address <= UINT32_MAX);
    if (space > 1 || address >= BYTES)
        return false;
    *out = gpu->memory[space][address / 4];
    return true;
}

static bool write32(void *closure, uint32_t space, uint64_t address, uint32_t value)
{
    struct gpu *gpu = closure;
    uint32_t old;
    if (!read32(closure, space, address, &old))
        return false;
    gpu->memory[space][address / 4] = value;
    return true;
}

static uint32_t mmio_read(void *closure, uint32_t address)
{
    (void)closure;
    CHECK(address % 4 == 0);
    return address * 0x9e3779b1u;
}

static void mmio_write(void *closure, uint32_t address, uint32_t value)
{
    CHECK(address % 4 == 0);
    note(closure, (uint64_t)address << 32 | value);
}

static bool may_write_register(void *closure, uint32_t address)
{
    (void)closure;
    return address & 8;
}

static void report(void *closure, const struct streamer_report *r)
{
    CHECK(r->address % 64 == 0 && r->space <= 1);
    note(closure, r->address ^ r->id);
}

static void context_switch(void *closure, bool valid, uint32_t id)
{
    note(closure, valid * UINT64_C(0x100000000) + id);
}

static void complete(void *closure, uint32_t id, uint32_t head)
{
    note(closure, (uint64_t)id << 32 | head);
}

static uint64_t timestamp(void *closure)
{
    return ((struct gpu *)closure)->clocks;
}

static void force_wakeup(void *closure, uint32_t request)
{
    note(closure, request);
}

static void interrupt(void *closure, enum streamer_interrupt which)
{
    note(closure, which);
}

static void work(void *closure, const struct streamer_work *w)
{
    struct gpu *gpu = closure;
    CHECK(w->count && w->count <= w->length);
    CHECK(w->length >= w->command->min_dwords && w->length <= w->command->max_dwords);
    note(gpu, w->dwords[w->count - 1]);
    gpu->busy_until = gpu->works ? gpu->clocks + 40 : 0;
}

static void state(void *closure, const struct streamer_work *w)
{
    CHECK(w->count && w->count <= w->length);
    note(closure, w->dwords[w->count - 1]);
}

static bool busy(void *closure)
{
    const struct gpu *gpu = closure;
    return gpu->clocks < gpu->busy_until;
}

/* Returns the number of steps taken. */
static unsigned run(struct gpu *gpu, unsigned steps)
{
    const struct streamer_callbacks callbacks = {
        .closure = gpu,
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
        .state = state,
        .busy = busy,
    };
    for (unsigned i = 0; i < steps; i++) {
        uint64_t executed = gpu->streamer.executed;
        uint32_t clocks;
        enum streamer_status status = streamer_step(&gpu->streamer, &callbacks, &clocks);
        struct tally_error error = {0};
        bool still = status == STREAMER_IDLE || status == STREAMER_STOPPED;
        CHECK(still ? !clocks : clocks >= 1 && clocks < 100000);
        CHECK(gpu->streamer.executed <= executed + 1);
        CHECK((status == STREAMER_STOPPED) == (gpu->streamer.fault != STREAMER_NO_FAULT));
        CHECK(streamer_explain(&gpu->streamer, &error) == (status == STREAMER_STOPPED ? -EIO : 0));
        CHECK(error.code == 0 || strstr(error.message, "expected"));
        gpu->clocks += clocks;
        if (still)
            return i;
    }
    return steps;
}

static void check_text(const struct tally_platform *platform, const uint32_t *dwords, size_t count)
{
    struct buffer text = {0};
    uint32_t *exact = malloc(count * sizeof *exact + 1); /* so that a read beyond it is noticed */
    CHECK(exact);
    memcpy(exact, dwords, count * sizeof *exact);
    size_t done = cs_disassemble(platform, exact, count, 0, &text), lines = 0;
    free(exact);
    for (size_t i = 0; i < text.size; i++)
        lines += text.bytes[i] == '\n';
    CHECK(text.broken || (done <= lines && lines <= count && !lines == !count));
    buffer_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct gpu gpu, copy;
    if (size < 2)
        return 0;
    const struct tally_platform *platform = tally_platform_at(data[0] % tally_platform_count());
    static const uint8_t engines[2][4] = {{CS_RCS0, CS_BCS0, CS_VCS0, CS_VECS0},
                                          {CS_RCS0, CS_BCS0, CS_VCS2, CS_VECS0}};
    uint8_t options = data[1];
    unsigned instance = data[0] / (unsigned)tally_platform_count() % 2;
    enum cs_engine_id engine = (enum cs_engine_id)engines[instance][options >> 6];
    size_t count = (size - 2) / 4;
    count = count < BYTES / 4 ? count : BYTES / 4;
    memset(&gpu, 0, sizeof gpu);
    for (size_t i = 0; i < count; i++)
        gpu.memory[0][i] = gpu.memory[1][i] = load_le32(data + 2 + 4 * i);
    check_text(platform, gpu.memory[0], count);
    if (streamer_init(&gpu.streamer, platform, engine)) {
        CHECK(!cs_supports(platform) || engine != CS_RCS0);
        return 0;
    }
    gpu.streamer.id_quirk = options & QUIRK;
    gpu.works = options & WORK;
    struct streamer_submission submission = {
        .id = data[0],
        .ppgtt = options & NO_PPGTT ? STREAMER_GGTT : 1,
        .batch = {0, options & IN_GGTT ? STREAMER_GGTT : 1, options & PRIVILEGED},
    };
    if (options & IN_RING) {
        submission.ring_size = BYTES;
        submission.ring_tail = (uint32_t)(count * 4 % BYTES) & ~7u;
    }
    CHECK(streamer_submit(&gpu.streamer, &submission) == 0);
    run(&gpu, (unsigned)(hash_bytes(data, size) % 64));
    copy = gpu;
    run(&gpu, STEPS);
    run(&copy, STEPS);
    CHECK(!memcmp(&gpu, &copy, sizeof gpu));
    return 0;
}
