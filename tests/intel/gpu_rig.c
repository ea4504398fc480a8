/* SPDX-License-Identifier: MIT */
#include "intel/gpu_rig.h"

#include "base/bits.h"
#include "intel/platforms.h"

/* ---- memory ---------------------------------------------------------------------------------- */

static uint8_t *find(const struct gpu_rig *rig, uint32_t space, uint64_t address, size_t bytes)
{
    for (unsigned i = 0; i < rig->space_count; i++)
        if (rig->spaces[i].space == space && address + bytes <= RIG_BYTES)
            return (uint8_t *)rig->spaces[i].bytes + address;
    return NULL;
}

static bool read_memory(void *context, uint32_t space, uint64_t address, void *data, size_t bytes)
{
    struct gpu_rig *rig = context;
    if (rig->before_read)
        rig->before_read(rig, address);
    const uint8_t *at = find(rig, space, address, bytes);
    rig->reads++;
    if (at)
        memcpy(data, at, bytes);
    return at != NULL;
}

static bool write_memory(void *context, uint32_t space, uint64_t address, const void *data,
                         size_t bytes)
{
    uint8_t *at = find(context, space, address, bytes);
    if (at)
        memcpy(at, data, bytes);
    return at != NULL;
}

uint32_t gpu_rig_peek(const struct gpu_rig *rig, uint32_t space, uint32_t address)
{
    const uint8_t *at = find(rig, space, address, 4);
    return at ? load_le32(at) : 0xdeadbeef;
}

void gpu_rig_put(struct gpu_rig *rig, uint32_t space, uint32_t address, const uint32_t *dwords,
                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        store_le32(find(rig, space, address + 4 * i, 4), dwords[i]);
}

void gpu_rig_map(struct gpu_rig *rig, uint32_t space)
{
    assert_true(rig->space_count < RIG_SPACES);
    rig->spaces[rig->space_count++].space = space;
}

/* ---- ears ------------------------------------------------------------------------------------ */

static void hear_line(void *context, bool level)
{
    struct gpu_rig *rig = context;
    rig->rises += level;
    rig->falls += !level;
}

static void hear_vector(void *context, unsigned vector)
{
    ((struct gpu_rig *)context)->vectors[vector]++;
}

static void hear_message(void *context, unsigned function, uint64_t address, uint32_t data)
{
    struct gpu_rig *rig = context;
    rig->messages[function]++;
    rig->message_address = address;
    rig->message_data = data;
}

static void hear_firmware(void *context, bool sci)
{
    ((struct gpu_rig *)context)->firmware_calls[sci]++;
}

static bool read_page_table(void *context, uint64_t offset, void *data, size_t bytes)
{
    const struct gpu_rig *rig = context;
    if (offset + bytes > sizeof rig->page_table)
        return false;
    memcpy(data, rig->page_table + offset, bytes);
    return true;
}

static bool write_page_table(void *context, uint64_t offset, const void *data, size_t bytes)
{
    struct gpu_rig *rig = context;
    if (offset + bytes > sizeof rig->page_table)
        return false;
    memcpy(rig->page_table + offset, data, bytes);
    return true;
}

static uint64_t hear_work(void *context, enum tally_gpu_work_kind kind,
                          const struct tally_gpu_command *command)
{
    struct gpu_rig *rig = context;
    assert_true(command->count && command->length >= command->count && command->name);
    rig->works[kind]++;
    rig->data_space = command->data_space;
    return rig->work_clocks;
}

static void hear_state(void *context, const struct tally_gpu_command *command)
{
    assert_true(command->count > 0);
    ((struct gpu_rig *)context)->states++;
}

static void hear_complete(void *context, uint32_t id, uint32_t head)
{
    struct gpu_rig *rig = context;
    rig->completions++;
    rig->id = id;
    rig->head = head;
}

/* ---- life ------------------------------------------------------------------------------------ */

struct gpu_rig *gpu_rig_new(unsigned line, const struct tally_gpu_config *config)
{
    struct tally_error error = {0};
    struct gpu_rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    rig->model = revision_of(config->platform);
    if (tally_gpu_new(config, &rig->gpu, &error) < 0)
        fail_msg("row %u: %s", line, error.message);
    gpu_rig_map(rig, TALLY_GPU_GGTT);
    tally_gpu_set_bus(rig->gpu, &(struct tally_gpu_bus){.read = read_memory,
                                                        .write = write_memory,
                                                        .interrupt = hear_line,
                                                        .scheduler = hear_vector,
                                                        .work = hear_work,
                                                        .state = hear_state,
                                                        .complete = hear_complete,
                                                        .message = hear_message,
                                                        .firmware = hear_firmware,
                                                        .read_page_table = read_page_table,
                                                        .write_page_table = write_page_table,
                                                        .context = rig});
    return rig;
}

struct gpu_rig *gpu_rig_awake(unsigned line, const char *platform)
{
    return gpu_rig_new(line,
                       &(struct tally_gpu_config){.platform = platform, .always_awake = true});
}

struct gpu_rig *gpu_rig_listed(unsigned line, const char *list, enum intel_revision model)
{
    char name[16];
    const char *word = strstr(list, revision_name(model));
    if (!word)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, " "), word);
    return gpu_rig_awake(line, name);
}

void gpu_rig_free(struct gpu_rig *rig)
{
    tally_gpu_free(rig->gpu);
    free(rig);
}

/* ---- what drivers do ------------------------------------------------------------------------- */

void gpu_rig_functions(struct gpu_rig *rig, unsigned count)
{
    tally_gpu_pci_write(rig->gpu, 2, 0x328, 2, 0);
    tally_gpu_pci_write(rig->gpu, 2, 0x330, 2, count);
    tally_gpu_pci_write(rig->gpu, 2, 0x328, 2, 9); /* VF Enable, VF MSE */
}

uint64_t gpu_rig_value(const struct gpu_rig *rig, const char *name)
{
    uint64_t value = UINT64_MAX;
    assert_int_equal(tally_oa_peek(tally_gpu_oa(rig->gpu), name, &value), 0);
    return value;
}

void gpu_rig_wake(struct gpu_rig *rig, bool on)
{
    static const uint32_t requests[INTEL_REVISIONS][2] = {
        [INTEL_SNB] = {0xa18c},         [INTEL_IVB] = {0xa188},
        [INTEL_VLV] = {0x1300b0},       [INTEL_HSW] = {0xa188},
        [INTEL_BDW] = {0xa188},         [INTEL_CHV] = {0x1300b0},
        [INTEL_SKL] = {0xa188, 0xa278}, [INTEL_ICL] = {0xa188, 0xa278},
        [INTEL_LKF] = {0xa188, 0xa278}, [INTEL_TGL] = {0xa188, 0xa278},
    };
    uint32_t mask = rig->model == INTEL_SNB ? 0 : 0x10000;
    for (unsigned i = 0; i < 2; i++)
        if (requests[rig->model][i])
            tally_gpu_write32(rig->gpu, requests[rig->model][i], mask | on);
}

void gpu_rig_count(struct gpu_rig *rig)
{
    struct tally_number one = tally_number_constant(1);
    struct tally_wave high = tally_wave_constant(true);
    tally_oa_drive_a(tally_gpu_oa(rig->gpu), 0, &one);
    for (unsigned bit = 0; bit < 16; bit++)
        tally_oa_drive_noa(tally_gpu_oa(rig->gpu), bit, &high);
    tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2360), 1);
    if (rig->model >= INTEL_BDW)
        tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2b00), 0x15);
}

bool gpu_rig_finish(struct gpu_rig *rig)
{
    struct tally_error error;
    for (unsigned i = 0; i < 10000; i++) {
        if (tally_gpu_is_idle(rig->gpu) || tally_gpu_fault(rig->gpu, &error) < 0)
            return true;
        tally_gpu_run(rig->gpu, 100);
    }
    return false;
}

/* ---- contexts -------------------------------------------------------------------------------- */

void gpu_rig_context_of(struct gpu_rig *rig, uint32_t base, unsigned n, uint32_t tail)
{
    PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(n) + 0x1000, 0, 0x11001009, base + 0x244, 0, base + 0x34, 0,
        base + 0x30, tail, base + 0x38, RIG_RING(n), base + 0x3c, 1, 0x05000000);
}

void gpu_rig_ring(struct gpu_rig *rig, uint32_t base, unsigned n, const uint32_t *dwords,
                  size_t count)
{
    gpu_rig_put(rig, TALLY_GPU_GGTT, RIG_RING(n), dwords, count);
    gpu_rig_context_of(rig, base, n, (uint32_t)(4 * count));
}

void gpu_rig_context(struct gpu_rig *rig, unsigned n, uint32_t tail, uint32_t control)
{
    gpu_rig_context_of(rig, 0x2000, n, tail);
    PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(n) + 0x1030, 0x11001003, 0x2360, control, 0xe458, 0x00778008,
        0x05000000);
}

uint32_t gpu_rig_saved_control(const struct gpu_rig *rig, unsigned n)
{
    static const uint16_t places[INTEL_REVISIONS] = {
        [INTEL_BDW] = 0x120, [INTEL_CHV] = 0x120, [INTEL_SKL] = 0x128,
        [INTEL_ICL] = 0x124, [INTEL_LKF] = 0x124, [INTEL_TGL] = 0x144};
    return gpu_rig_peek(rig, TALLY_GPU_GGTT, RIG_LRCA(n) + 0x1000 + 4 * (places[rig->model] + 1u));
}

void gpu_rig_write_list(struct gpu_rig *rig, uint32_t base, const uint32_t list[4])
{
    if (rig->model < INTEL_ICL) {
        for (unsigned i = 4; i--;)
            tally_gpu_write32(rig->gpu, base + 0x230, list[i]);
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        tally_gpu_write32(rig->gpu, base + 0x510 + 4 * i, list[i]);
    tally_gpu_write32(rig->gpu, base + 0x550, 1);
}

void gpu_rig_submit_to(struct gpu_rig *rig, uint32_t base, unsigned n0, uint32_t id0, unsigned n1,
                       uint32_t id1)
{
    const uint32_t list[] = {RIG_LRCA(n0) | 1, id0, id1 ? RIG_LRCA(n1) | 1 : 0, id1};
    gpu_rig_write_list(rig, base, list);
}

void gpu_rig_submit(struct gpu_rig *rig, unsigned n0, uint32_t id0, unsigned n1, uint32_t id1)
{
    gpu_rig_submit_to(rig, 0x2000, n0, id0, n1, id1);
}
