/* SPDX-License-Identifier: MIT */
#include "preload/server/trace.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "preload/server/samples.h"
#include "preload/server/server.h"
#include "preload/server/trace_log.h"

/* ---- fields ---------------------------------------------------------------------------------- */

static const struct trace_field common[] = {
    {"unsigned short", "common_type", 0, 2, false, true},
    {"unsigned char", "common_flags", 2, 1, false, true},
    {"unsigned char", "common_preempt_count", 3, 1, false, true},
    {"int", "common_pid", 4, 4, true, true},
};

bool trace_find(uint64_t id, enum i915_tracepoint *out)
{
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++)
        if (trace_id((enum i915_tracepoint)i) == id)
            return *out = (enum i915_tracepoint)i, true;
    return false;
}

bool trace_field_at(const struct i915_trace_info *info, unsigned index, struct trace_field *out)
{
    if (index < ARRAY_COUNT(common)) {
        *out = common[index];
        return true;
    }
    index -= (unsigned)ARRAY_COUNT(common);
    if (index >= info->field_count)
        return false;
    const struct i915_trace_field *field = &info->fields[index];
    *out = (struct trace_field){
        field->type,  field->name, (uint8_t)(TRACE_COMMON_BYTES + field->offset),
        field->bytes, false,       false};
    return true;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void put_field(const struct trace_field *field, struct buffer *out)
{
    buffer_printf(out, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", field->type,
                  field->name, field->offset, field->bytes, field->is_signed);
}

static void put_head(const char *name, uint32_t id, struct buffer *out)
{
    buffer_printf(out, "name: %s\nID: %" PRIu32 "\nformat:\n", name, id);
    for (size_t i = 0; i < ARRAY_COUNT(common); i++)
        put_field(&common[i], out);
    buffer_text(out, "\n");
}

void trace_format_text(enum i915_tracepoint tracepoint, struct buffer *out)
{
    const struct i915_trace_info *info = i915_tracepoint_info(tracepoint);
    struct trace_field field;
    put_head(info->name, trace_id(tracepoint), out);
    for (unsigned i = ARRAY_COUNT(common); trace_field_at(info, i, &field); i++)
        put_field(&field, out);
    buffer_printf(out, "\nprint fmt: \"%s\"", info->format);
    for (unsigned i = 0; i < I915_TRACE_ARGS && info->args[i]; i++)
        buffer_printf(out, ", REC->%s", info->args[i]);
    buffer_text(out, "\n");
}

void trace_marker_format_text(struct buffer *out)
{
    static const struct trace_field fields[] = {
        {"unsigned long", "ip", TRACE_COMMON_BYTES, 8, false, false},
        {"char", "buf[]", TRACE_COMMON_BYTES + 8, 0, false, false},
    };
    put_head("print", TRACE_MARKER_ID, out);
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++)
        put_field(&fields[i], out);
    buffer_text(out, "\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n");
}

static uint64_t value_of(const struct i915_trace_info *info, const uint8_t *record,
                         const char *name)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < info->field_count; i++) {
        const struct i915_trace_field *field = &info->fields[i];
        for (unsigned b = 0; b < field->bytes && !strcmp(field->name, name); b++)
            value |= (uint64_t)record[TRACE_COMMON_BYTES + field->offset + b] << 8 * b;
    }
    return value;
}

/* The formats have %u, %llu, %x and %p. */
void trace_event_text(enum i915_tracepoint tracepoint, const uint8_t *record, struct buffer *out)
{
    const struct i915_trace_info *info = i915_tracepoint_info(tracepoint);
    const char *at = info->format;
    for (unsigned arg = 0; *at;) {
        size_t plain = strcspn(at, "%");
        buffer_append(out, at, plain);
        at += plain;
        if (!*at)
            break;
        at += 1 + strspn(at + 1, "l");
        uint64_t value = value_of(info, record, info->args[arg++]);
        if (*at == 'p')
            buffer_printf(out, "%016" PRIx64, value);
        else if (*at == 'x')
            buffer_printf(out, "%" PRIx64, value);
        else
            buffer_printf(out, "%" PRIu64, value);
        at++;
    }
}

/* ---- listening ------------------------------------------------------------------------------- */

uint64_t trace_now_ns(struct server *server)
{
    uint64_t now = server->origin_ns + emulation_now_ns(server->emulation);
    return server->traced_ns = max_u64(server->traced_ns, now);
}

/* The driver's work outside of calls is the idle task's. */
static void hear(void *closure, enum i915_tracepoint tracepoint, const void *record)
{
    struct server *server = closure;
    const struct i915_trace_info *info = i915_tracepoint_info(tracepoint);
    const struct session *session = server->serving;
    struct trace_event event = {.tracepoint = tracepoint,
                                .bytes = TRACE_COMMON_BYTES + info->bytes};
    if (session) {
        event.process = session->pid;
        event.thread = session->caller ? session->caller : session->pid;
    }
    event.ns = trace_now_ns(server);
    store_le16(event.record, (uint16_t)trace_id(tracepoint));
    store_le32(event.record + 4, (uint32_t)event.thread);
    memcpy(event.record + TRACE_COMMON_BYTES, record, info->bytes);
    samples_hear(server, &event);
    trace_log_hear(server, &event);
}

void trace_start(struct server *server)
{
    trace_log_start(&server->trace_log);
    if (server->emulation->device)
        i915_device_set_trace(server->emulation->device, hear, server);
}
