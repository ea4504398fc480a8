/* SPDX-License-Identifier: MIT */
/* tally doctor: real GPUs as PCI devices, and what keeps their registers from being used. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tally/chipset.h>

#include "card/card.h"
#include "card/state.h"
#include "cli/doctor.h"

/* ---- a card ---------------------------------------------------------------------------------- */

/* Writes what the card is: "10de:0611 G92". */
static void describe(const struct card_entry *entry, const struct card_info *info, char *text,
                     size_t size)
{
    const struct tally_sku *sku =
        entry->vendor == CARD_VENDOR_INTEL ? tally_sku_of_device(entry->device) : NULL;
    char more[96];
    snprintf(more, sizeof more, ", not a known GPU");
    if (sku)
        snprintf(more, sizeof more, " %s", sku->title);
    else if (info && info->chipset)
        snprintf(more, sizeof more, " %s (BOOT_0 0x%08" PRIx32 ")%s", info->chipset->title,
                 info->boot0,
                 info->chipset->presence == TALLY_ABSENT ? ", which has no PCOUNTER" : "");
    else if (info)
        snprintf(more, sizeof more, ", unknown chipset (BOOT_0 0x%08" PRIx32 ")", info->boot0);
    else if (entry->vendor == CARD_VENDOR_NVIDIA)
        snprintf(more, sizeof more, ", NVIDIA; its registers would say which chipset");
    snprintf(text, size, "%04x:%04x%s", entry->vendor, entry->device, more);
}

static void check_driver(struct output *output, const struct card_entry *entry,
                         const struct card_kernel *kernel)
{
    char text[256];
    if (!*entry->driver) {
        put_check(output, true, "  kernel driver", "none");
        return;
    }
    snprintf(
        text, sizeof text, "%s; writes need --force, or: echo %s >/sys/bus/pci/drivers/%s/unbind%s",
        entry->driver, entry->address, entry->driver,
        kernel->strict ? "; CONFIG_IO_STRICT_DEVMEM: nor can it be read, unless the kernel was "
                         "booted with iomem=relaxed"
                       : "");
    put_check(output, false, "  kernel driver", text);
}

static void check_permission(struct output *output, const struct card_entry *entry,
                             const struct card_kernel *kernel)
{
    char text[256];
    if (!entry->bar_bytes)
        snprintf(text, sizeof text, "no BAR 0: the firmware has not assigned its memory");
    else if (kernel->lockdown)
        snprintf(text, sizeof text, "the kernel is locked down: turn secure boot off");
    else if (entry->readable)
        snprintf(text, sizeof text, "BAR 0: %s; run as root", strerror(entry->readable));
    else if (entry->writable)
        snprintf(text, sizeof text, "BAR 0 can be read, but not be written: %s",
                 strerror(entry->writable));
    else
        snprintf(text, sizeof text, "BAR 0, %" PRIu64 " MiB; writes with --allow-mmio",
                 entry->bar_bytes >> 20);
    put_check(output, entry->bar_bytes && !kernel->lockdown && !entry->readable && !entry->writable,
              "  permission", text);
}

static void check_power(struct output *output, const struct card_entry *entry)
{
    char text[128];
    snprintf(text, sizeof text, "%s%s", *entry->power_state ? entry->power_state : "unknown",
             card_sleeps(entry) ? "; its registers do not respond: --wake --allow-mmio" : "");
    put_check(output, !card_sleeps(entry), "  power", text);
}

struct cards_check {
    struct output *output;
    struct card_kernel kernel;
};

static void check_card(void *closure, const struct card_entry *entry)
{
    const struct cards_check *check = closure;
    struct tally_error error = {0};
    struct card *card = NULL;
    char name[64], text[252];
    snprintf(name, sizeof name, "pci:%s", entry->address);
    bool usable = card_open(&(struct card_settings){.name = entry->address}, &card, &error) == 0;
    describe(entry, card ? card_info(card) : NULL, text, sizeof text);
    card_close(card, NULL);
    put_check(check->output, usable, name, text);
    check_driver(check->output, entry, &check->kernel);
    check_permission(check->output, entry, &check->kernel);
    check_power(check->output, entry);
    if (!usable)
        put_check(check->output, false, "  registers", error.message);
}

/* ---- state files ----------------------------------------------------------------------------- */

static void check_state(void *closure, const char *path)
{
    struct output *output = closure;
    struct tally_error error = {0};
    struct state state;
    char text[320];
    int result = state_open(&state, path, &error);
    if (result == 0 && (!state.count || !state_is_current(&state))) { /* nothing is left */
        state_close(&state);
        return;
    }
    if (result < 0)
        snprintf(text, sizeof text, "%s", error.message);
    else
        snprintf(text, sizeof text,
                 "%s: %zu changes of process %ld, which was killed; tally doctor "
                 "--restore puts them back",
                 path, state.count, state.process);
    if (result == 0)
        state_close(&state);
    put_check(output, false, "changes left on a card", text);
}

void check_cards(struct output *output)
{
    struct cards_check check = {output, card_kernel("")};
    if (!card_list("", check_card, &check))
        put_check(output, false, "PCI", "no GPU of Intel or NVIDIA");
    state_list(check_state, output);
}

/* ---- putting back ---------------------------------------------------------------------------- */

struct restoring {
    struct output *output;
    bool force;
    int code;
};

static void restore(void *closure, const char *path)
{
    struct restoring *restoring = closure;
    struct tally_error error = {0};
    int changes = card_restore(path, restoring->force, &error);
    if (changes < 0)
        restoring->code = report_error(&error);
    else
        output_printf(restoring->output, "%s: %d changes put back\n", path, changes);
}

int restore_cards(const struct arguments *arguments)
{
    struct restoring restoring = {.force = arguments->values[OPTION_FORCE] != NULL};
    restoring.output = open_output(arguments, &restoring.code);
    if (!restoring.output)
        return restoring.code;
    if (!state_list(restore, &restoring))
        output_text(restoring.output, "Nothing to put back.\n");
    return close_output(restoring.output, restoring.code);
}
