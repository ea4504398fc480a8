/* SPDX-License-Identifier: MIT */
/*
 * Reads the input as an ELF file. Checks that all strings are in the file, that an error has a
 * message, and that notes are found whatever follows the file.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "vm/guest/elf.h"

static void check_string(const uint8_t *data, size_t size, const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    CHECK(!text ||
          (at >= data && at < data + size && memchr(at, '\0', size - (size_t)(at - data))));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct elf_needs needs;
    struct tally_error error = {0};
    int result = elf_read("file", data, size, &needs, &error);
    CHECK(result == error.code && (result == 0 || result == -EBADMSG || result == -EINVAL));
    CHECK(result == 0 || !strncmp(error.message, "file: ", 6));
    CHECK(result != 0 || elf_is(data, size));
    CHECK(needs.count <= ELF_NEEDED_MAX && (result == 0 || !needs.count));
    check_string(data, size, needs.interpreter);
    check_string(data, size, needs.rpath);
    check_string(data, size, needs.runpath);
    for (size_t i = 0; i < needs.count; i++)
        check_string(data, size, needs.needed[i]);
    if (result == 0)
        CHECK(elf_is_static(data, size) ? !needs.interpreter : true);
    bool found = elf_has_note(data, size, "Xen", 18);
    CHECK(!found || memmem(data, size, "Xen", 4));
    return 0;
}
