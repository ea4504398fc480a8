/* SPDX-License-Identifier: MIT */
/* Reports requested by a batch (MI_REPORT_PERF_COUNT). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

#define REPORT_ID 0xdeadbeefu
#define UNTOUCHED 0x80808080u

/* Runs MI_REPORT_PERF_COUNT in a context, into a page filled with 80h. */
static struct object report_in(struct device *device, uint32_t context)
{
    static struct batch batch;
    struct object page = new_object(device, 4096, true);
    memset(page.map, 0x80, 4096);
    batch_begin(&batch, device);
    emit_report(&batch, &page, 0, REPORT_ID);
    batch_run(&batch, context, device->platform == HSW ? 0 : I915_EXEC_RENDER, true);
    set_domain(device, &page);
    CHECK(page.map[0] == REPORT_ID, "id 0x%08x", page.map[0]);
    CHECK(page.map[1] && page.map[1] != UNTOUCHED, "no timestamp");
    CHECK(page.map[64] == UNTOUCHED, "0x%08x after the report", page.map[64]);
    return page;
}

static void report_command(struct device *device)
{
    uint32_t context = new_context(device);
    int stream = open_stream(device, 0, sampling(device, 0));
    struct object page = report_in(device, context);
    CHECK(page.map[63] != UNTOUCHED, "the last dword was not written");
    close(stream);
    free_context(device, context);
    free_object(device, &page);
}

static void own_report(struct device *device)
{
    uint32_t context = new_context(device);
    struct properties p = without(sampling(device, 0), DRM_I915_PERF_PROP_SAMPLE_OA);
    int stream = open_stream(device, 0, with(p, DRM_I915_PERF_PROP_CTX_HANDLE, context));
    struct object page = report_in(device, context);
    unsigned b0 = format_of_all(device)->b.at / 4u;
    CHECK(page.map[b0] != UNTOUCHED, "B0 was not written");
    close(stream);
    free_context(device, context);
    free_object(device, &page);
}

static const struct subtest rows[] = {
    {"mi-rpc", ALL & ~GEN12, 0, NULL,
     "MI_REPORT_PERF_COUNT in a context writes 256 bytes: the id, a timestamp, every dword up to "
     "the last, and nothing after it",
     report_command, false, false},
    {"gen12-mi-rpc", GEN12, 0, NULL,
     "MI_REPORT_PERF_COUNT in a context whose stream has no samples writes the id, a timestamp, "
     "B0, "
     "and nothing after the report",
     own_report, true, false},
};
GROUP(commands_group, rows);
