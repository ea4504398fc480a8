/* SPDX-License-Identifier: MIT */
/* Reports that a batch asks for. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

#define REPORT_ID 0xdeadbeefu
#define UNTOUCHED 0x80808080u

static void report_command(struct device *device)
{
    static struct batch batch;
    struct object page = new_object(device, 4096, true);
    uint32_t context = new_context(device);
    int stream = open_stream(device, 0, sampling(device, 0));
    memset(page.map, 0x80, 4096);
    batch_begin(&batch, device);
    emit_report(&batch, &page, 0, REPORT_ID);
    batch_run(&batch, context, device->platform == HSW ? 0 : UAPI_EXEC_RENDER, true);
    set_domain(device, &page);
    CHECK(page.map[0] == REPORT_ID, "id 0x%08x", page.map[0]);
    CHECK(page.map[1], "no timestamp");
    CHECK(page.map[63] != UNTOUCHED, "the last dword was not written");
    CHECK(page.map[64] == UNTOUCHED, "0x%08x behind the report", page.map[64]);
    close(stream);
    free_context(device, context);
    free_object(device, &page);
}

static const struct subtest rows[] = {
    {"mi-rpc", ALL, 0, NULL,
     "MI_REPORT_PERF_COUNT in a context writes 256 bytes: the id, a timestamp, all to the last "
     "dword and nothing behind it",
     report_command, false, false},
    {"gen12-mi-rpc", NONE, 0, NULL, "MI_REPORT_PERF_COUNT with a context's own counters", NULL,
     false, false},
    {"gen12-oa-tlb-invalidate", NONE, 0, NULL, "reports go on after disabling and enabling", NULL,
     false, false},
    {"gen12-invalid-class-instance", NONE, 6, NULL, "engines that are not there", NULL, false,
     false},
    {"gen12-group-exclusive-stream-sample-oa", NONE, 0, NULL, "one stream a group", NULL, false,
     false},
    {"gen12-group-exclusive-stream-ctx-handle", NONE, 0, NULL,
     "one stream a group, of a context, too", NULL, false, false},
    {"gen12-group-concurrent-oa-buffer-read", NONE, 6, NULL, "groups side by side", NULL, false,
     false},
};
GROUP(commands_group, rows);
