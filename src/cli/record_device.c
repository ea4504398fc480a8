/* SPDX-License-Identifier: MIT */
/* Which GPU is recorded: one of this machine, or a modelled one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "capture/real.h"
#include "cli/record.h"

#define USUAL_MODEL    "hsw"
#define USUAL_WORKLOAD "triangle"

/* ---- the list -------------------------------------------------------------------------------- */

static void put_node(void *closure, const char *path)
{
    struct output *output = closure;
    struct tally_error error = {0};
    struct device machine;
    struct gpu gpu;
    if (real_device_new("", &machine, &error) < 0)
        return;
    bool usable = gpu_open(&machine, path, &gpu, &error) == 0;
    if (usable)
        output_printf(output, "%-22s %-14s 8086:%04x", path, gpu.device.platform->title,
                      (unsigned)gpu.device.id);
    usable = usable && gpu_permitted(&machine, &error) == 0;
    if (usable)
        output_text(output, "\n");
    else
        output_printf(output, "  (%s)\n", error.message);
    gpu_close(&gpu);
    device_free(&machine);
}

int list_devices(const struct arguments *arguments)
{
    int code = EXIT_DONE;
    (void)arguments; /* -o is the recording's */
    struct output *output = open_output(&(struct arguments){0}, &code);
    if (!output)
        return code;
    if (!real_device_nodes("", put_node, output))
        output_text(output, "(no GPU in this machine)\n");
    for (size_t i = 0; emulated_platform(i); i++) {
        const struct tally_platform *platform = tally_platform_find(emulated_platform(i));
        char name[32];
        snprintf(name, sizeof name, "sim:%s", platform->name);
        output_printf(output, "%-22s %-14s modelled\n", name, platform->title);
    }
    return close_output(output, code);
}

/* ---- a real one ------------------------------------------------------------------------------ */

/* The first that may be recorded; else why the last one may not. */
struct search {
    struct picked_device *picked;
    bool found;
    struct tally_error why;
};

static void try_node(void *closure, const char *path)
{
    struct search *search = closure;
    struct picked_device *picked = search->picked;
    if (search->found)
        return;
    snprintf(picked->name, sizeof picked->name, "%s", path);
    search->found = gpu_open(&picked->machine, picked->name, &picked->gpu, &search->why) == 0 &&
                    gpu_permitted(&picked->machine, &search->why) == 0;
    if (!search->found)
        gpu_close(&picked->gpu);
}

static bool find_real(struct picked_device *picked)
{
    struct search search = {.picked = picked};
    if (real_device_new("", &picked->machine, &search.why) < 0)
        return false;
    int nodes = real_device_nodes("", try_node, &search);
    if (search.found)
        return true;
    device_free(&picked->machine);
    fprintf(stderr, "tally: %s: recording sim:" USUAL_MODEL ", a modelled one\n",
            nodes ? search.why.message : "no GPU in this machine");
    return false;
}

static int open_real(const char *path, struct picked_device *picked)
{
    struct tally_error error = {0};
    int result = real_device_new("", &picked->machine, &error);
    snprintf(picked->name, sizeof picked->name, "%s", path);
    if (result == 0)
        result = gpu_open(&picked->machine, picked->name, &picked->gpu, &error);
    if (result < 0)
        tell_error(&error);
    return result < 0 ? EXIT_NO_DEVICE : EXIT_DONE;
}

/* ---- a modelled one -------------------------------------------------------------------------- */

static void count_note(void *closure, unsigned line, const char *message)
{
    (void)line;
    (void)message;
    ++*(unsigned *)closure;
}

static int open_model(const struct arguments *arguments, const char *platform,
                      struct picked_device *picked)
{
    const char *clock = arguments->values[OPTION_CLOCK];
    const char *workload = arguments->values[OPTION_WORKLOAD];
    struct tally_error error = {0};
    bool alone = arguments->values[OPTION_TIME] && !arguments->operand_count;
    if (clock && strcmp(clock, "wall") != 0 && strcmp(clock, "free") != 0)
        return tell_usage("record: --clock \"%s\", expected wall or free", clock);
    picked->modelled = true;
    picked->workload = workload ? workload : USUAL_WORKLOAD;
    picked->clock = (clock ? !strcmp(clock, "free") : alone) ? EMULATED_FREE : EMULATED_WALL;
    snprintf(picked->name, sizeof picked->name, "sim:%s", platform);
    struct emulated_settings settings = {
        .platform = platform, .workload = picked->workload, .clock = picked->clock};
    unsigned left_out = 0;
    int result = emulated_device_new(&settings, count_note, &left_out, &picked->machine, &error);
    if (result == 0)
        result = gpu_open(&picked->machine, EMULATED_NODE, &picked->gpu, &error);
    picked->gpu.path = picked->name; /* in messages */
    if (result < 0)
        return tell_error(&error);
    if (left_out && !arguments->values[OPTION_QUIET])
        fprintf(stderr,
                "tally: workload %s: nothing counts %u of its activities on %s (tally lint "
                "--platform %s tells)\n",
                picked->workload, left_out, picked->gpu.device.platform->title, platform);
    return EXIT_DONE;
}

/* ---- which ----------------------------------------------------------------------------------- */

int pick_device(const struct arguments *arguments, struct picked_device *picked)
{
    const char *name = arguments->values[OPTION_DEVICE];
    bool model_wanted = arguments->values[OPTION_WORKLOAD] || arguments->values[OPTION_CLOCK];
    *picked = (struct picked_device){.gpu = {.fd = -1}};
    if (!name)
        return !model_wanted && find_real(picked) ? EXIT_DONE
                                                  : open_model(arguments, USUAL_MODEL, picked);
    if (!strncmp(name, "sim:", 4)) {
        for (size_t i = 0; emulated_platform(i); i++)
            if (!strcmp(name + 4, emulated_platform(i)))
                return open_model(arguments, name + 4, picked);
        return tell_usage("record: device \"%s\" has no model with a kernel interface; see tally "
                          "record -d list",
                          name);
    }
    if (!strchr(name, '/'))
        return tell_usage("record: device \"%s\", expected sim:hsw, a path such as "
                          "/dev/dri/renderD128, or list",
                          name);
    if (model_wanted)
        return tell_usage("record: --workload and --clock are for modelled GPUs, and %s is not",
                          name);
    return open_real(name, picked);
}

void release_device(struct picked_device *picked)
{
    gpu_close(&picked->gpu);
    device_free(&picked->machine);
}
