/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_SERVER_ENGINE_FILES_H
#define TALLY_PRELOAD_SERVER_ENGINE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/i915/i915.h"

struct engine_file {
    char name[48];
    char text[64];
    size_t size;
    bool is_writable;
};

/* Gives the index-th file of an engine's directory in sysfs; false past the end. */
bool engine_file_at(const struct i915_engine_name *engine, size_t index, struct engine_file *out);

#endif
