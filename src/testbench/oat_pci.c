/* SPDX-License-Identifier: MIT */
/* `.oat` scripts that drive a whole GPU: the PCI device. */
#include <inttypes.h>
#include <string.h>

#include <tally/gpu.h>

#include "base/bits.h"
#include "testbench/oat_state.h"

/* ---- configuration space --------------------------------------------------------------------- */

/* Parses "2" or "2.1". */
static int take_device(const struct word *word, uint64_t *device, uint64_t *function,
                       struct tally_error *error)
{
    struct word first = *word, second = *word;
    const char *dot = memchr(word->text, '.', word->size);
    *function = 0;
    if (dot) {
        first.size = (size_t)(dot - word->text);
        second = (struct word){dot + 1, word->size - first.size - 1};
    }
    int result = word_number(&first, 0, 31, "a device", device, error);
    if (result == 0 && dot)
        result = word_number(&second, 0, 7, "a function", function, error);
    return result;
}

/* Parses a number of bytes: 1, 2, 4, and 8 if `max` is 8. */
static int take_bytes(const struct word *word, unsigned max, uint64_t *bytes,
                      struct tally_error *error)
{
    const char *what = max == 8 ? "1, 2, 4 or 8 bytes" : "1, 2 or 4 bytes";
    int result = word_number(word, 1, max, what, bytes, error);
    return result == 0 && (*bytes & (*bytes - 1)) ? word_error(error, word, "%s", what) : result;
}

static int check_alignment(const struct word *word, uint64_t address, uint64_t bytes,
                           struct tally_error *error)
{
    return address % bytes ? word_error(error, word, "a multiple of the %u bytes", (unsigned)bytes)
                           : 0;
}

static int command_pci(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t device, function, offset, bytes;
    uint32_t value;
    struct tally_gpu *gpu = oat_gpu_model(oat);
    int result = take_device(&words->at[1], &device, &function, error);
    if (result < 0 ||
        (result = word_number(&words->at[2], 0, 0xfff, "an offset", &offset, error)) < 0 ||
        (result = take_bytes(&words->at[3], 4, &bytes, error)) < 0 ||
        (result = check_alignment(&words->at[2], offset, bytes, error)) < 0)
        return result;
    if (words->count == 4)
        return oat_put(oat, "pci %.*s 0x%03x = 0x%0*" PRIx32 "\n", (int)words->at[1].size,
                       words->at[1].text, (unsigned)offset, (int)bytes * 2,
                       tally_gpu_pci_function_read(gpu, (unsigned)device, (unsigned)function,
                                                   (unsigned)offset, (unsigned)bytes));
    if ((result = oat_take_value(&words->at[4], &value, error)) == 0)
        tally_gpu_pci_function_write(gpu, (unsigned)device, (unsigned)function, (unsigned)offset,
                                     (unsigned)bytes, value);
    return result;
}

static int command_mchbar(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t address, bytes, value;
    int result = word_number(&words->at[1], 0, UINT32_MAX, "an address", &address, error);
    if (result < 0 || (result = word_number(&words->at[2], 1, 8, "bytes", &bytes, error)) < 0 ||
        (result = word_number(&words->at[3], 0, UINT64_MAX, "a value", &value, error)) < 0)
        return result;
    return tally_gpu_set_mchbar(oat_gpu_model(oat), (uint32_t)address, (unsigned)bytes, value) < 0
               ? word_error(error, &words->at[1],
                            "1, 2, 4 or 8 aligned bytes of 0x140000 to 0x147fff")
               : 0;
}

/* ---- addresses and ports --------------------------------------------------------------------- */

/* "read ADDRESS BYTES" or "write ADDRESS BYTES VALUE", behind the name of the command. */
struct access {
    bool write;
    uint64_t address, bytes, value;
};

static int take_access(const struct words *words, bool io, struct access *access,
                       struct tally_error *error)
{
    unsigned max = io ? 4 : 8;
    const char *what = io ? "a port" : "an address";
    access->write = word_is(&words->at[1], "write");
    if (!access->write && !word_is(&words->at[1], "read"))
        return word_error(error, &words->at[1], "read or write");
    if (words->count != (access->write ? 5 : 4))
        return word_error(
            error, &words->at[1],
            access->write ? "write with %s, bytes and a value" : "read with %s and bytes", what);
    int result =
        word_number(&words->at[2], 0, io ? 0xffff : UINT64_MAX, what, &access->address, error);
    if (result < 0 || (result = take_bytes(&words->at[3], max, &access->bytes, error)) < 0 ||
        (result = check_alignment(&words->at[2], access->address, access->bytes, error)) < 0)
        return result;
    return access->write ? word_number(&words->at[4], 0, low_bits((unsigned)access->bytes * 8),
                                       "a value of these bytes", &access->value, error)
                         : 0;
}

static int command_phys(struct oat *oat, const struct words *words, struct tally_error *error)
{
    struct access access;
    struct tally_gpu *gpu = oat_gpu_model(oat);
    int result = take_access(words, false, &access, error);
    if (result < 0)
        return result;
    if (!access.write)
        return oat_put(oat, "phys 0x%010" PRIx64 " = 0x%0*" PRIx64 "\n", access.address,
                       (int)access.bytes * 2,
                       tally_gpu_physical_read(gpu, access.address, (unsigned)access.bytes));
    tally_gpu_physical_write(gpu, access.address, (unsigned)access.bytes, access.value);
    return 0;
}

static int command_io(struct oat *oat, const struct words *words, struct tally_error *error)
{
    struct access access;
    struct tally_gpu *gpu = oat_gpu_model(oat);
    int result = take_access(words, true, &access, error);
    if (result < 0)
        return result;
    uint32_t port = (uint32_t)access.address;
    if (!access.write)
        return oat_put(oat, "io 0x%04" PRIx32 " = 0x%0*" PRIx32 "\n", port, (int)access.bytes * 2,
                       tally_gpu_port_read(gpu, port, (unsigned)access.bytes));
    tally_gpu_port_write(gpu, port, (unsigned)access.bytes, (uint32_t)access.value);
    return 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct oat_command oat_pci_commands[] = {
    {"pci", "<device>[.<function>] <offset> <bytes> [<value>]", 3, 4, false, 0, command_pci},
    {"phys", "read <addr> <bytes>|write <addr> <bytes> <value>", 3, 4, false, 0, command_phys},
    {"io", "read <port> <bytes>|write <port> <bytes> <value>", 3, 4, false, 0, command_io},
    {"mchbar", "<addr> <bytes> <value>", 3, 3, false, OAT_STEERING, command_mchbar},
};

const size_t oat_pci_command_count = ARRAY_COUNT(oat_pci_commands);
