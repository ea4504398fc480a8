/* SPDX-License-Identifier: MIT */
/* Opening, reading and writing a real GPU. */
#include "card/card.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <pciaccess.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/ratio.h"
#include "card/rules.h"
#include "card/state.h"
#include "driver/domains.h"
#include "nvidia/gpu/errors.h"
#include "nvidia/pcounter/engine.h"
#include "nvidia/pcounter/registers.h"

#define PCI_VENDOR         0u /* offsets in configuration space (PCI Local Bus Specification) */
#define PCI_COMMAND        4u
#define PCI_COMMAND_MEMORY 2u
#define POWER_CONTROL      "power/control"
#define ALL_ONES           UINT32_MAX /* what a read returns if no device responds */

struct card {
    struct card_settings settings;
    struct card_info info;
    struct pci_device *device; /* of libpciaccess */
    uint32_t *registers;       /* BAR 0 */
    struct card_rules rules;
    struct state state;
    int device_lock;           /* config in sysfs, locked against other users' processes; -1 */
    struct tally_error failed; /* the first write that was dropped */
};

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t peek(const struct card *card, uint32_t address)
{
    return address % 4 || address >= card->info.bytes
               ? ALL_ONES
               : le32toh(*(const volatile uint32_t *)(card->registers + address / 4));
}

static void poke(struct card *card, uint32_t address, uint32_t value)
{
    if (address % 4 == 0 && address < card->info.bytes)
        *(volatile uint32_t *)(card->registers + address / 4) = htole32(value);
}

static uint32_t read32(void *closure, uint32_t address)
{
    return peek(closure, address);
}

/* Whether the device is still on the bus. */
static bool responds(const struct card *card)
{
    uint16_t vendor = UINT16_MAX;
    return pci_device_cfg_read_u16(card->device, &vendor, PCI_VENDOR) == 0 && vendor != UINT16_MAX;
}

/* Whether a register is of Intel's GT, and no power domain that it needs is awake: it reads 0. */
static bool sleeps(struct card *card, uint32_t address)
{
    const struct intel_platform *platform = card->rules.platform;
    uint32_t domains = platform ? wake_domains_at(platform, address) : 0;
    const struct driver_io io = card_io(card);
    for (unsigned i = 0; i < WAKE_DOMAINS; i++)
        if ((domains >> i & 1) && wake_domain_is_awake(&wake_domains[i], &io))
            return false;
    return domains != 0;
}

/* Saves the bits that a write may change. A value that is not the register's is none to put back.
 */
static int save(struct card *card, uint32_t address, uint32_t value, struct tally_error *error)
{
    struct state_entry entry;
    if (card->settings.permanent || !card_rule(&card->rules, address, value, &entry))
        return 0;
    uint32_t before = peek(card, address);
    const char *name = card->info.entry.address;
    const char *word =
        card->info.chipset && card->info.chipset->gpcs ? nvidia_error_word(before) : NULL;
    if (word)
        return fail(error, -EIO,
                    "pci:%s: 0x%06" PRIx32 " was not written: it reads 0x%08" PRIx32
                    " (%s), which cannot be put back",
                    name, address, before, word);
    if (before == ALL_ONES && !responds(card))
        return fail(error, -ENODEV,
                    "pci:%s: 0x%06" PRIx32 " was not written: the card does not respond", name,
                    address);
    if (!before && sleeps(card, address))
        return fail(error, -EIO,
                    "pci:%s: 0x%06" PRIx32
                    " was not written: its power domain sleeps; --wake keeps "
                    "it awake",
                    name, address);
    entry.value = before & entry.mask;
    return state_add(&card->state, &entry, error);
}

static void write32(void *closure, uint32_t address, uint32_t value)
{
    struct card *card = closure;
    struct tally_error error = {0};
    if (!card->settings.writable)
        fail(&error, -EACCES, "%s: opened for reading only", card->info.entry.address);
    else if (save(card, address, value, &error) == 0)
        poke(card, address, value);
    if (error.code && !card->failed.code)
        card->failed = error;
}

static uint64_t now_ns(void *closure)
{
    (void)closure;
    return clock_ns(CLOCK_MONOTONIC);
}

static int sleep_ns(void *closure, uint64_t ns, bool interruptible)
{
    struct timespec left = timespec_of_ns(ns);
    (void)closure;
    while (ns && nanosleep(&left, &left) < 0 && errno == EINTR)
        if (interruptible)
            return -EINTR;
    return 0;
}

struct driver_io card_io(struct card *card)
{
    return (struct driver_io){read32, write32, now_ns, sleep_ns, card};
}

const struct card_info *card_info(const struct card *card)
{
    return &card->info;
}

/* ---- putting back ---------------------------------------------------------------------------- */

static int put_back(struct card *card, const struct state_entry *entry)
{
    uint32_t others = 0;
    int result = 0;
    switch ((enum state_kind)entry->kind) {
    case STATE_REGISTER:
        if (~entry->mask)
            others = peek(card, entry->address) & ~entry->mask;
        poke(card, entry->address, others | entry->value);
        break;
    case STATE_MASKED:
        poke(card, entry->address, entry->mask << 16 | entry->value);
        break;
    case STATE_CONFIG:
        result = -pci_device_cfg_write_u16(card->device, (uint16_t)entry->value, entry->address);
        break;
    case STATE_POWER:
        result = card_set_attribute("", card->info.entry.address, POWER_CONTROL, entry->text);
        break;
    case STATE_KINDS:
        break;
    }
    return result;
}

static bool is_register(const struct state_entry *entry)
{
    return entry->kind == STATE_REGISTER || entry->kind == STATE_MASKED;
}

/* The newest change first, and the registers before what makes them accessible. Continues after an
 * error, and returns the first one. */
static int put_all_back(struct card *card, struct tally_error *error)
{
    const struct state *state = &card->state;
    int result = 0;
    for (size_t i = state->count; i-- && card->registers;)
        if (is_register(&state->entries[i]))
            put_back(card, &state->entries[i]);
    if (card->registers)
        peek(card, PMC_BOOT_0); /* a read completes the writes before it, on any PCI device */
    if (state->count && !responds(card))
        return fail(error, -ENODEV, "%s: nothing was put back: the card does not respond",
                    state->path);
    for (size_t i = state->count; i--;) {
        const struct state_entry *entry = &state->entries[i];
        int failed = is_register(entry) ? 0 : put_back(card, entry);
        if (failed < 0 && !result)
            result = fail(error, -EIO, "%s: %s is not put back: %s", state->path,
                          entry->kind == STATE_POWER ? POWER_CONTROL : "the PCI command",
                          strerror(-failed));
    }
    return result;
}

static void free_card(struct card *card)
{
    if (card->registers)
        pci_device_unmap_range(card->device, card->registers, card->info.bytes);
    if (card->device_lock >= 0)
        close(card->device_lock);
    pci_system_cleanup();
    tally_pcounter_free(card->rules.engine);
    free(card);
}

int card_close(struct card *card, struct tally_error *error)
{
    if (!card)
        return 0;
    struct tally_error failed = card->failed, left = {0};
    if (card->state.fd >= 0 && put_all_back(card, &left) == 0)
        state_remove(&card->state);
    else
        state_close(&card->state); /* tally doctor --restore tries again */
    free_card(card);
    if (left.code)
        return fail(error, left.code, "%s", left.message);
    return failed.code ? fail(error, failed.code, "%s", failed.message) : 0;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int check_driver(const struct card_entry *entry, bool force, struct tally_error *error)
{
    if (!*entry->driver || force)
        return 0;
    return fail(error, -EBUSY,
                "pci:%s: the kernel driver %s uses the card: unbind it, or write in spite of it "
                "with --force",
                entry->address, entry->driver);
}

/* Keeps the kernel from powering the device down, which also wakes it. */
static int keep_awake(struct card *card, struct tally_error *error)
{
    const char *address = card->info.entry.address;
    struct state_entry entry = {.kind = STATE_POWER, .mask = UINT32_MAX};
    int result = card_get_attribute("", address, POWER_CONTROL, entry.text, sizeof entry.text);
    if (result == 0)
        result = state_add(&card->state, &entry, error);
    if (result == 0)
        result = card_set_attribute("", address, POWER_CONTROL, "on");
    if (result < 0 && !error->code)
        fail(error, result, "pci:%s: " POWER_CONTROL ": %s", address, strerror(-result));
    return result;
}

static int check_power(struct card *card, struct tally_error *error)
{
    const struct card_settings *settings = &card->settings;
    if (settings->wake && settings->writable)
        return keep_awake(card, error);
    if (!card_sleeps(&card->info.entry))
        return 0;
    return fail(error, -ENODEV,
                "pci:%s: the card sleeps (%s), and its registers do not respond; --wake "
                "--allow-mmio wakes it",
                card->info.entry.address, card->info.entry.power_state);
}

/* Turns on memory accesses of a device that has no driver. */
static int decode_memory(struct card *card, struct tally_error *error)
{
    const char *address = card->info.entry.address;
    struct state_entry entry = {.kind = STATE_CONFIG, .address = PCI_COMMAND, .mask = UINT16_MAX};
    uint16_t command;
    int result = pci_device_cfg_read_u16(card->device, &command, PCI_COMMAND);
    if (result)
        return fail(error, -result, "pci:%s: configuration space: %s", address, strerror(result));
    if (command & PCI_COMMAND_MEMORY)
        return 0;
    if (!card->settings.writable)
        return fail(error, -ENODEV,
                    "pci:%s: the card does not respond to memory accesses (PCI command 0x%04x), "
                    "which --allow-mmio turns on",
                    address, command);
    entry.value = command;
    result = state_add(&card->state, &entry, error);
    if (result < 0)
        return result;
    result = pci_device_cfg_write_u16(card->device, command | PCI_COMMAND_MEMORY, PCI_COMMAND);
    return result
               ? fail(error, -result, "pci:%s: configuration space: %s", address, strerror(result))
               : 0;
}

/* Explains why BAR 0 could not be mapped. */
static int fail_mapping(const struct card *card, int code, struct tally_error *error)
{
    const struct card_entry *entry = &card->info.entry;
    struct card_kernel kernel = card_kernel("");
    const char *why = strerror(code);
    bool denied = code == EACCES || code == EPERM;
    if (denied)
        why = kernel.lockdown ? "the kernel is locked down (secure boot)"
                              : "no permission, expected root";
    else if (*entry->driver && !kernel.lockdown && (kernel.strict || kernel.strict_unknown))
        why = "the kernel protects the memory of a driver; unbind it, or boot with iomem=relaxed";
    return fail(error, denied ? -EACCES : -ENODEV, "pci:%s: BAR 0 cannot be mapped: %s",
                entry->address, why);
}

static int map(struct card *card, struct tally_error *error)
{
    const struct card_entry *entry = &card->info.entry;
    void *registers;
    int result = pci_device_probe(card->device);
    const struct pci_mem_region *bar = &card->device->regions[0];
    if (result)
        return fail(error, -ENODEV, "pci:%s: its BARs cannot be read: %s", entry->address,
                    strerror(result));
    if (!bar->size || bar->is_IO)
        return fail(error, -ENODEV, "pci:%s: BAR 0 is no memory", entry->address);
    result =
        pci_device_map_range(card->device, bar->base_addr, bar->size,
                             card->settings.writable ? PCI_DEV_MAP_FLAG_WRITABLE : 0, &registers);
    if (result)
        return fail_mapping(card, result, error);
    card->registers = registers;
    card->info.bytes = bar->size;
    return 0;
}

static int identify(struct card *card, struct tally_error *error)
{
    struct card_info *info = &card->info;
    if (info->entry.vendor == CARD_VENDOR_INTEL) {
        info->sku = tally_sku_of_device(info->entry.device);
        info->platform = info->sku ? intel_modelled(info->sku->platform) : NULL;
        card->rules.platform = info->platform;
        return 0;
    }
    info->boot0 = peek(card, PMC_BOOT_0);
    if (info->boot0 == ALL_ONES)
        return fail(error, -ENODEV,
                    "pci:%s: the card does not respond: BOOT_0 reads all ones; it sleeps, or is "
                    "gone from the bus",
                    info->entry.address);
    info->chipset = tally_chipset_from_boot0(info->boot0);
    return info->chipset && info->chipset->presence != TALLY_ABSENT
               ? tally_pcounter_new(info->chipset, &card->rules.engine, error)
               : 0;
}

static int find_device(struct card *card, struct tally_error *error)
{
    const struct card_address *where = &card->info.entry.where;
    int result = pci_system_init();
    if (result)
        return fail(error, -ENODEV, "pci:%s: no PCI bus: %s", card->info.entry.address,
                    strerror(result));
    card->device =
        pci_device_find_by_slot(where->domain, where->bus, where->device, where->function);
    return card->device ? 0
                        : fail(error, -ENODEV, "pci:%s: libpciaccess does not find it",
                               card->info.entry.address);
}

/* Locks the card before anything of it changes: the device against processes of all users, and
 * the file of its state. */
static int lock(struct card *card, struct tally_error *error)
{
    const struct card_entry *entry = &card->info.entry;
    if (!card->settings.writable)
        return 0;
    card->device_lock = card_lock("", entry->address);
    if (card->device_lock == -EWOULDBLOCK)
        return fail(error, -EBUSY, "pci:%s: another process uses the card", entry->address);
    if (card->device_lock < 0)
        return fail(error, card->device_lock, "pci:%s: the device cannot be locked: %s",
                    entry->address, strerror(-card->device_lock));
    if (card->state.fd >= 0)
        return 0;
    return state_create(&card->state, entry->address, entry->vendor, entry->device, error);
}

/* Whether the state of a killed process is that of this card: another one may be in its place. */
static int check_same(const struct card *card, struct tally_error *error)
{
    const struct card_entry *entry = &card->info.entry;
    const struct state *state = &card->state;
    if (state->fd < 0 || (entry->vendor == state->vendor && entry->device == state->device))
        return 0;
    return fail(error, -ENODEV, "%s: of another card, %04x:%04x", state->path, state->vendor,
                state->device);
}

/* Checks, in the order in which a user can do something about them. */
static int open_card(struct card *card, struct tally_error *error)
{
    const struct card_settings *settings = &card->settings;
    struct card_address where;
    int result;
    if (!card_parse_address(settings->name, &where))
        return fail(error, -EINVAL, "pci:%s: no PCI address, expected one such as 0000:01:00.0",
                    settings->name);
    result = card_describe("", &where, &card->info.entry, error);
    if (result < 0)
        return result;
    if (!card_is_gpu(&card->info.entry))
        return fail(error, -ENODEV,
                    "pci:%s: %04x:%04x of class %06" PRIx32 ", expected a GPU of Intel or NVIDIA",
                    card->info.entry.address, card->info.entry.vendor, card->info.entry.device,
                    card->info.entry.class_code);
    result = check_same(card, error);
    if (result == 0 && settings->writable)
        result = check_driver(&card->info.entry, settings->force, error);
    if (result == 0)
        result = find_device(card, error);
    if (result == 0)
        result = lock(card, error);
    if (result == 0)
        result = check_power(card, error);
    if (result == 0)
        result = decode_memory(card, error);
    if (result == 0)
        result = map(card, error);
    return result < 0 ? result : identify(card, error);
}

static struct card *new_card(const struct card_settings *settings, struct tally_error *error)
{
    struct card *card = calloc(1, sizeof *card);
    if (!card) {
        fail_memory(error, "a card");
        return NULL;
    }
    card->settings = *settings;
    card->state.fd = -1;
    card->device_lock = -1;
    return card;
}

int card_open(const struct card_settings *settings, struct card **out, struct tally_error *error)
{
    struct card *card = new_card(settings, error);
    if (!card)
        return -ENOMEM;
    int result = open_card(card, error);
    if (result < 0) {
        card_close(card, NULL);
        return result;
    }
    *out = card;
    return 0;
}

/* ---- after a process was killed -------------------------------------------------------------- */

/* Opens the card with the state of a file. If it cannot be opened, the file stays. */
static int restore(struct state *state, bool force, struct tally_error *error)
{
    int changes = (int)state->count;
    struct card *card = new_card(
        &(struct card_settings){.name = state->card, .writable = true, .force = force}, error);
    if (!card)
        return -ENOMEM;
    card->state = *state;
    card->settings.name = card->state.card;
    int result = open_card(card, error);
    if (result == 0) {
        *state = (struct state){.fd = -1};
        result = card_close(card, error);
        return result < 0 ? result : changes;
    }
    *state = card->state;
    free_card(card);
    return result;
}

int card_restore(const char *path, bool force, struct tally_error *error)
{
    struct state state;
    int result = state_open(&state, path, error);
    if (result < 0)
        return result;
    if (!state.count || !state_is_current(&state)) {
        state_remove(&state);
        return 0;
    }
    result = restore(&state, force, error);
    state_close(&state);
    return result;
}
