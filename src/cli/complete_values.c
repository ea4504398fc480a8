/* SPDX-License-Identifier: MIT */
/* The candidates of each kind of value: names from the tables, the search paths and the files that
 * the words before name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/capture.h>
#include <tally/metrics.h>
#include <tally/packets.h>
#include <tally/workload.h>

#include "base/bits.h"
#include "card/sysfs.h"
#include "cli/chip.h"
#include "cli/complete.h"
#include "cli/list.h"
#include "cli/model.h"
#include "emulation/emulation.h"
#include "emulation/faults/faults.h"

/* ---- GPUs ------------------------------------------------------------------------------------ */

static void offer_platforms(struct completion *completion)
{
    for (size_t i = 0; i < tally_platform_count(); i++)
        offer(completion, tally_platform_at(i)->name, tally_platform_at(i)->title);
}

static void offer_chipsets(struct completion *completion)
{
    for (size_t i = 0; i < tally_chipset_count(); i++)
        offer(completion, tally_chipset_at(i)->name, tally_chipset_at(i)->title);
}

/* Offers modelled GPUs: platforms, their SKUs, and chipsets. `perf`: of Intel's, those with i915
 * perf. */
static void offer_models(struct completion *completion, bool perf)
{
    const char *platform;
    const struct tally_sku *sku;
    char name[64];
    for (size_t i = 0; (platform = emulation_platform(i, perf)); i++) {
        snprintf(name, sizeof name, MODEL_PREFIX "%s", platform);
        offer(completion, name, tally_platform_find(platform)->title);
    }
    for (size_t i = 0; (platform = emulation_platform(i, perf)); i++)
        for (size_t k = 0; (sku = tally_sku_at(k)); k++) {
            snprintf(name, sizeof name, MODEL_PREFIX "%s/%s", platform, sku->name);
            if (!strcmp(sku->platform, platform))
                offer(completion, name, sku->title);
        }
    for (size_t i = 0; i < tally_chipset_count(); i++) {
        const struct tally_chipset *chipset = tally_chipset_at(i);
        snprintf(name, sizeof name, MODEL_PREFIX "%s", chipset->name);
        if (chipset->presence != TALLY_ABSENT)
            offer(completion, name, chipset->title);
    }
}

static void offer_emulated(struct completion *completion)
{
    offer_models(completion, true);
}

static void offer_served(struct completion *completion)
{
    offer_models(completion, false);
    offer(completion, "none", "No GPU");
}

static void offer_card(void *closure, const struct card_entry *entry)
{
    char name[64];
    if (!card_is_gpu(entry))
        return;
    snprintf(name, sizeof name, "pci:%s", entry->address);
    offer(closure, name, NULL);
}

static void offer_node(void *closure, const struct tally_capture_device *device)
{
    if (!device->modelled)
        offer(closure, device->name, device->title);
}

static void offer_devices(struct completion *completion)
{
    offer(completion, "list", "Print the devices");
    tally_capture_list(offer_node, completion);
    card_list("", offer_card, completion);
    offer_models(completion, false);
}

/* Finds the chip that --device, --platform, --chipset or a device among the operands names. */
static bool find_chip(const struct completion *completion, struct chip *chip)
{
    static const enum option_id options[] = {OPTION_DEVICE, OPTION_PLATFORM, OPTION_CHIPSET};
    const struct arguments *arguments = &completion->arguments;
    const char *name = NULL;
    for (size_t i = 0; i < ARRAY_COUNT(options) && !name; i++)
        name = arguments->values[options[i]];
    for (size_t i = 0; i < arguments->operand_count && !name; i++)
        if (is_model(arguments->operands[i]))
            name = arguments->operands[i];
    if (!name)
        return false;
    name += is_model(name) ? strlen(MODEL_PREFIX) : 0;
    return chip_of_name(name, chip);
}

/* Returns the name under which metric sets of the chip are found: "SKLGT2", "g92"; NULL: of all. */
static const char *set_chip(const struct completion *completion)
{
    static const enum option_id options[] = {OPTION_DEVICE, OPTION_PLATFORM, OPTION_CHIPSET};
    const struct arguments *arguments = &completion->arguments;
    const char *name = NULL;
    for (size_t i = 0; i < ARRAY_COUNT(options) && !name; i++)
        name = arguments->values[options[i]];
    if (!name)
        return NULL;
    name += is_model(name) ? strlen(MODEL_PREFIX) : 0;
    const struct tally_sku *sku = tally_sku_find(name);
    const struct tally_chipset *chipset = tally_chipset_find(name);
    return sku ? sku->chipset : chipset ? chipset->name : NULL;
}

/* ---- metric sets and counters ---------------------------------------------------------------- */

/* Sets of a catalog, and the recording that names one of them. */
struct sets {
    struct tally_catalog *catalog;
    struct tally_recording *recording;
    const struct tally_metric_set *const *sets;
    size_t count;
    const struct tally_metric_set *recorded; /* the one of the recording */
};

static void find_recorded(struct sets *sets, const struct completion *completion)
{
    const struct arguments *arguments = &completion->arguments;
    struct tally_error error = {0};
    for (size_t i = 0; i < arguments->operand_count && !sets->recorded; i++) {
        if (!strcmp(arguments->operands[i], "-") ||
            tally_recording_open(arguments->operands[i], NULL, &sets->recording, &error) < 0)
            continue;
        const struct tally_recording_info *info = tally_recording_info(sets->recording);
        const char *symbol = arguments->values[OPTION_SET];
        if (tally_catalog_find(
                sets->catalog, info->device.chipset, symbol ? NULL : info->recorded.set_uuid,
                symbol ? symbol : info->recorded.set_name, &sets->recorded, &error) < 0)
            tally_recording_close(sets->recording);
        if (!sets->recorded)
            sets->recording = NULL;
    }
}

static void open_sets(struct sets *sets, const struct completion *completion)
{
    struct tally_error error = {0};
    *sets =
        (struct sets){.catalog = tally_catalog_new(completion->arguments.values[OPTION_METRICS])};
    if (!sets->catalog)
        return;
    find_recorded(sets, completion);
    const char *chip = sets->recorded ? sets->recorded->chipset : set_chip(completion);
    ptrdiff_t count = tally_catalog_sets(sets->catalog, chip, &sets->sets, &error);
    sets->count = count > 0 ? (size_t)count : 0;
}

static void close_sets(struct sets *sets)
{
    tally_recording_close(sets->recording);
    tally_catalog_free(sets->catalog);
}

/* Whether an earlier set has the symbol. Sets of many chips have the same symbols. */
static bool is_known_set(const struct sets *sets, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(sets->sets[k]->symbol, sets->sets[i]->symbol))
            return true;
    return false;
}

static void offer_sets(struct completion *completion)
{
    struct sets sets;
    open_sets(&sets, completion);
    for (size_t i = 0; i < sets.count; i++)
        if (!is_known_set(&sets, i))
            offer(completion, sets.sets[i]->symbol, sets.sets[i]->name);
    if (completion->command->run == command_record)
        offer(completion, "list", "Print the sets of the device");
    close_sets(&sets);
}

static int by_symbol(const void *x, const void *y)
{
    const struct tally_counter *const *a = x, *const *b = y;
    return strcmp((*a)->symbol, (*b)->symbol);
}

/* Offers the counters of the recorded set, or of all sets, each symbol once. */
static void offer_counters_of(struct completion *completion, const struct sets *sets)
{
    size_t count = 0;
    const struct tally_metric_set *const *from = sets->recorded ? &sets->recorded : sets->sets;
    size_t from_count = sets->recorded ? 1 : sets->count;
    for (size_t i = 0; i < from_count; i++)
        count += from[i]->counter_count;
    const struct tally_counter **all = calloc(count + 1, sizeof(const struct tally_counter *));
    if (!all)
        return;
    count = 0;
    for (size_t i = 0; i < from_count; i++)
        for (size_t k = 0; k < from[i]->counter_count; k++)
            all[count++] = &from[i]->counters[k];
    qsort(all, count, sizeof(const struct tally_counter *), by_symbol);
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(all[i]->symbol, all[i - 1]->symbol) != 0)
            offer(completion, all[i]->symbol, all[i]->name);
    free(all);
}

static void offer_counters(struct completion *completion)
{
    struct sets sets;
    open_sets(&sets, completion);
    offer_counters_of(completion, &sets);
    close_sets(&sets);
}

/* ---- registers and signals ------------------------------------------------------------------- */

/* Offers the registers of a chip, without the indices of arrays, each name once. */
static void offer_registers(struct completion *completion, const struct chip *chip)
{
    for (unsigned m = 0; m < chip->map_count; m++) {
        const struct reg_map *map = chip->maps[m];
        for (size_t i = 0; i < map->count; i++) {
            bool known = false;
            for (size_t k = 0; k < i && !known; k++)
                known = !strcmp(map->regs[k].name, map->regs[i].name);
            if (!known && is_listed(chip, &map->regs[i], NULL))
                offer(completion, map->regs[i].name, map->regs[i].meaning);
        }
    }
}

static void offer_signals(struct completion *completion, const struct tally_chipset *chipset)
{
    struct tally_signal signal;
    for (size_t i = 0; tally_signal_at(chipset, i, &signal) == 0; i++)
        if (signal.index == signal.group_first && signal.name)
            offer(completion, signal.name, signal.note);
}

/* ---- operands -------------------------------------------------------------------------------- */

static void offer_list_names(struct completion *completion)
{
    const char *name;
    for (size_t i = 0; (name = list_name_at(i)); i++)
        offer(completion, name, NULL);
}

static void offer_list_operands(struct completion *completion)
{
    const struct arguments *arguments = &completion->arguments;
    const char *what = arguments->operand_count ? arguments->operands[0] : NULL;
    struct chip chip;
    if (!what)
        offer_list_names(completion);
    else if (arguments->operand_count > 1)
        return;
    else if (!strcmp(what, "sets") || !strcmp(what, "counters"))
        offer_sets(completion);
    else if (!strcmp(what, "registers") && find_chip(completion, &chip))
        offer_registers(completion, &chip);
}

static void offer_mmio_operands(struct completion *completion)
{
    const struct arguments *arguments = &completion->arguments;
    struct chip chip;
    if (!arguments->operand_count)
        offer_values(completion, "read write dump watch histogram");
    else if (arguments->operand_count == 1) {
        card_list("", offer_card, completion);
        offer_models(completion, false);
    } else if (find_chip(completion, &chip)) {
        if (!strcmp(arguments->operands[0], "histogram") && chip.chipset)
            offer_signals(completion, chip.chipset);
        else
            offer_registers(completion, &chip);
    }
}

/* Offers "CHIP:" or, where a set is complete, the counters of "SET.". */
static void offer_explained(struct completion *completion)
{
    const char *colon = strchr(completion->word, ':'), *dot = strchr(completion->word, '.');
    struct sets sets;
    struct chip chip;
    char text[128];
    if (colon) {
        snprintf(text, sizeof text, "%.*s", (int)(colon - completion->word), completion->word);
        completion->typed = colon + 1;
        if (chip_of_name(text, &chip))
            offer_registers(completion, &chip);
        return;
    }
    open_sets(&sets, completion);
    for (size_t i = 0; i < sets.count; i++) {
        const struct tally_metric_set *set = sets.sets[i];
        size_t size = strlen(set->symbol);
        snprintf(text, sizeof text, "%s.", set->symbol);
        if (!dot && !is_known_set(&sets, i))
            offer(completion, text, set->name);
        if (dot && (size_t)(dot - completion->word) == size &&
            !strncmp(completion->word, set->symbol, size) && !is_known_set(&sets, i)) {
            struct sets one = {.recorded = set};
            completion->typed = dot + 1;
            offer_counters_of(completion, &one);
        }
    }
    if (!dot) {
        completion->no_space = true;
        for (size_t i = 0; i < tally_platform_count(); i++) {
            snprintf(text, sizeof text, "%s:", tally_platform_at(i)->name);
            offer(completion, text, tally_platform_at(i)->title);
        }
        for (size_t i = 0; i < tally_chipset_count(); i++) {
            snprintf(text, sizeof text, "%s:", tally_chipset_at(i)->name);
            offer(completion, text, tally_chipset_at(i)->title);
        }
    }
    close_sets(&sets);
}

static void offer_explain_operands(struct completion *completion)
{
    const struct arguments *arguments = &completion->arguments;
    const struct tally_chipset *chipset =
        arguments->operand_count ? tally_chipset_find(arguments->operands[0]) : NULL;
    if (!arguments->operand_count)
        offer_explained(completion);
    else if (chipset)
        offer_signals(completion, chipset);
    else
        completion->no_space = completion->files = true; /* FILE@REPORT */
}

static void offer_why_operands(struct completion *completion)
{
    if (!completion->arguments.operand_count)
        offer_counters(completion);
    else
        completion->files = completion->arguments.operand_count == 1;
}

/* ---- names in search paths ------------------------------------------------------------------- */

/* Offers the base name of a file in a search path, without its suffix. */
static void offer_name(void *closure, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char text[128];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(name, "."), name);
    offer(closure, text, NULL);
}

static void offer_workloads(struct completion *completion)
{
    tally_workload_list(offer_name, completion);
    completion->files = true;
}

static void offer_faults(struct completion *completion)
{
    faults_list(offer_name, completion);
    completion->files = true;
}

/* ---- the other kinds ------------------------------------------------------------------------- */

static void offer_domains(struct completion *completion)
{
    for (unsigned i = 0; i < TALLY_DOMAINS; i++)
        offer(completion, tally_domain_name(i), NULL);
}

static void offer_layouts(struct completion *completion)
{
    char name[64];
    for (size_t i = 0; i < tally_layout_count(); i++) {
        snprintf(name, sizeof name, "%s/%s", tally_layout_at(i)->family, tally_layout_at(i)->name);
        offer(completion, name, NULL);
    }
    for (unsigned i = TALLY_PACKET_LONG; i <= TALLY_PACKET_SHORT; i++)
        offer(completion, tally_packet_format_name((enum tally_packet_format)i), NULL);
}

static void offer_command_names(struct completion *completion)
{
    for (size_t i = 0; i < command_count && !completion->arguments.operand_count; i++)
        offer(completion, commands[i].name, commands[i].summary);
}

static void offer_files(struct completion *completion)
{
    completion->files = true;
}

static void offer_directories(struct completion *completion)
{
    completion->directories = true;
}

/* The operations of tally store, then files. */
static void offer_store_operands(struct completion *completion)
{
    const char *name;
    if (completion->arguments.operand_count) {
        completion->files = true;
        return;
    }
    for (size_t i = 0; (name = store_operation_at(i)); i++)
        offer(completion, name, NULL);
}

/* mmio, or mmio=FILE. */
static void offer_trace(struct completion *completion)
{
    if (!strncmp(completion->typed, "mmio=", 5)) {
        completion->typed += 5;
        completion->files = true;
        return;
    }
    offer(completion, "mmio", "Register accesses, to standard error");
    offer(completion, "mmio=", "Register accesses, to a file");
    completion->no_space = true;
}

static void offer_words(struct completion *completion, const char *words)
{
    char word[64];
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)size, at);
        offer(completion, word, NULL);
        completion->no_space |= size && at[size - 1] == '=';
        at += size;
    }
}

void offer_values(struct completion *completion, const char *values)
{
    static const struct {
        const char *kind;
        void (*offer)(struct completion *completion);
    } kinds[] = {
        {"<chipset>", offer_chipsets},
        {"<command>", offer_command_names},
        {"<counter>", offer_counters},
        {"<device>", offer_devices},
        {"<directory>", offer_directories},
        {"<domain>", offer_domains},
        {"<emulated>", offer_emulated},
        {"<explain>", offer_explain_operands},
        {"<faults>", offer_faults},
        {"<file>", offer_files},
        {"<layout>", offer_layouts},
        {"<list>", offer_list_operands},
        {"<store>", offer_store_operands},
        {"<mmio>", offer_mmio_operands},
        {"<platform>", offer_platforms},
        {"<served>", offer_served},
        {"<set>", offer_sets},
        {"<trace>", offer_trace},
        {"<why>", offer_why_operands},
        {"<workload>", offer_workloads},
    };
    if (!values)
        return;
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
        if (!strcmp(values, kinds[i].kind)) {
            kinds[i].offer(completion);
            return;
        }
    offer_words(completion, values);
}
