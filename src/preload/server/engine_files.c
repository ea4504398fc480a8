/* SPDX-License-Identifier: MIT */
/* The files of an engine in sysfs, with the values that the kernel starts with (public i915
 * driver). */
#include "preload/server/engine_files.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bits.h"

/* What a file shows. Those from VALUE on can be written. */
enum shown {
    NAME,
    CLASS,
    INSTANCE,
    MMIO_BASE,
    CAPABILITIES,
    KNOWN_CAPABILITIES,
    VALUE,
    PREEMPT_MS
};

static const struct {
    const char *name;
    uint8_t shown; /* enum shown */
    bool preempts; /* only if the engine preempts contexts */
    unsigned value;
} files[] = {
    {"name", NAME, false, 0},
    {"class", CLASS, false, 0},
    {"instance", INSTANCE, false, 0},
    {"mmio_base", MMIO_BASE, false, 0},
    {"capabilities", CAPABILITIES, false, 0},
    {"known_capabilities", KNOWN_CAPABILITIES, false, 0},
    {"max_busywait_duration_ns", VALUE, false, 8000},
    {"stop_timeout_ms", VALUE, false, 100},
    {"heartbeat_interval_ms", VALUE, false, I915_HEARTBEAT_MS},
    {"timeslice_duration_ms", VALUE, true, I915_TIMESLICE_MS},
    {"preempt_timeout_ms", PREEMPT_MS, true, 0},
};

/* Capabilities by class. */
static const struct {
    uint8_t class, bit;
    const char *name;
} capabilities[] = {
    {I915_ENGINE_CLASS_VIDEO, I915_VIDEO_CLASS_CAPABILITY_HEVC, "hevc"},
    {I915_ENGINE_CLASS_VIDEO, I915_VIDEO_AND_ENHANCE_CLASS_CAPABILITY_SFC, "sfc"},
    {I915_ENGINE_CLASS_VIDEO_ENHANCE, I915_VIDEO_AND_ENHANCE_CLASS_CAPABILITY_SFC, "sfc"},
};

/* Writes the names of a class's capabilities, "hevc sfc\n". */
static size_t capabilities_text(unsigned class, uint16_t mask, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < ARRAY_COUNT(capabilities); i++)
        if (capabilities[i].class == class && capabilities[i].bit & mask)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
                                     capabilities[i].name);
    return used ? used + (size_t)snprintf(text + used, size - used, "\n") : 0;
}

/* The values are listed twice: `.defaults` has those that the kernel starts with. */
bool engine_file_at(const struct i915_engine_name *engine, size_t index, struct engine_file *out)
{
    char *text = out->text;
    size_t size = sizeof out->text;
    for (size_t n = 0; n < 2 * ARRAY_COUNT(files); n++) {
        size_t i = n % ARRAY_COUNT(files);
        bool default_ = n >= ARRAY_COUNT(files);
        if ((files[i].preempts && !engine->preempts) || (default_ && files[i].shown < VALUE) ||
            index--)
            continue;
        snprintf(out->name, sizeof out->name, "%s%s", default_ ? ".defaults/" : "", files[i].name);
        out->is_writable = files[i].shown >= VALUE && !default_;
        switch ((enum shown)files[i].shown) {
        case NAME:
            out->size = (size_t)snprintf(text, size, "%s\n", engine->name);
            break;
        case CLASS:
            out->size = (size_t)snprintf(text, size, "%" PRIu16 "\n", engine->engine_class);
            break;
        case INSTANCE:
            out->size = (size_t)snprintf(text, size, "%" PRIu16 "\n", engine->instance);
            break;
        case MMIO_BASE:
            out->size = (size_t)snprintf(text, size, "%#" PRIx32 "\n", engine->mmio_base);
            break;
        case CAPABILITIES:
            out->size = capabilities_text(engine->engine_class, engine->capabilities, text, size);
            break;
        case KNOWN_CAPABILITIES:
            out->size = capabilities_text(engine->engine_class, UINT16_MAX, text, size);
            break;
        case VALUE:
            out->size = (size_t)snprintf(text, size, "%u\n", files[i].value);
            break;
        case PREEMPT_MS:
            out->size = (size_t)snprintf(text, size, "%" PRIu32 "\n", engine->preempt_ms);
            break;
        }
        return true;
    }
    return false;
}
