/* SPDX-License-Identifier: MIT */
#include "vm/guest/elf.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"

/* The file, and where its parts are. No struct is laid over the bytes: they are unaligned, and may
 * be of a host with another byte order. */
struct elf {
    const char *path;
    const uint8_t *bytes;
    size_t size;
    struct tally_error *error;
};

#define FIELD(type, member) offsetof(type, member)

static int malformed(const struct elf *elf, const char *what)
{
    return fail(elf->error, -EBADMSG, "%s: not a valid ELF file: %s", elf->path, what);
}

/* Whether `size` bytes at `offset` are in the file. */
static bool is_inside(const struct elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset;
}

/* Returns the string at `offset` of the file, or NULL if it does not end in the file. */
static const char *string_at(const struct elf *elf, uint64_t offset)
{
    if (offset >= elf->size || !memchr(elf->bytes + offset, '\0', elf->size - offset))
        return NULL;
    return (const char *)elf->bytes + offset;
}

struct segment {
    uint32_t type;
    uint64_t offset, address, size;
};

static struct segment segment_at(const struct elf *elf, uint64_t offset)
{
    const uint8_t *at = elf->bytes + offset;
    return (struct segment){
        load_le32(at + FIELD(Elf64_Phdr, p_type)), load_le64(at + FIELD(Elf64_Phdr, p_offset)),
        load_le64(at + FIELD(Elf64_Phdr, p_vaddr)), load_le64(at + FIELD(Elf64_Phdr, p_filesz))};
}

/* The table of program headers. */
struct headers {
    uint64_t offset, size;
    unsigned count;
};

static int find_headers(const struct elf *elf, struct headers *headers)
{
    headers->offset = load_le64(elf->bytes + FIELD(Elf64_Ehdr, e_phoff));
    headers->size = load_le16(elf->bytes + FIELD(Elf64_Ehdr, e_phentsize));
    headers->count = load_le16(elf->bytes + FIELD(Elf64_Ehdr, e_phnum));
    if (headers->count && headers->size < sizeof(Elf64_Phdr))
        return malformed(elf, "its program headers are too small");
    if (!is_inside(elf, headers->offset, headers->size * headers->count))
        return malformed(elf, "its program headers are outside the file");
    return 0;
}

/* Returns the offset in the file of an address of the loaded program; UINT64_MAX: not in the file.
 */
static uint64_t offset_of(const struct elf *elf, const struct headers *headers, uint64_t address)
{
    for (unsigned i = 0; i < headers->count; i++) {
        struct segment segment = segment_at(elf, headers->offset + i * headers->size);
        if (segment.type == PT_LOAD && address >= segment.address &&
            address - segment.address < segment.size)
            return segment.offset + (address - segment.address);
    }
    return UINT64_MAX;
}

static int read_entry(const struct elf *elf, uint64_t tag, const char *text,
                      struct elf_needs *needs)
{
    if (!text)
        return malformed(elf, "a name in its dynamic section is outside the file");
    if (tag == DT_RPATH)
        needs->rpath = text;
    if (tag == DT_RUNPATH)
        needs->runpath = text;
    if (tag != DT_NEEDED)
        return 0;
    if (needs->count == ELF_NEEDED_MAX)
        return malformed(elf, "it needs more than 128 libraries");
    needs->needed[needs->count++] = text;
    return 0;
}

static int read_dynamic(const struct elf *elf, const struct headers *headers,
                        const struct segment *dynamic, struct elf_needs *needs)
{
    if (!is_inside(elf, dynamic->offset, dynamic->size))
        return malformed(elf, "its dynamic section is outside the file");
    const uint8_t *entries = elf->bytes + dynamic->offset;
    size_t count = dynamic->size / sizeof(Elf64_Dyn);
    uint64_t strings = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *entry = entries + i * sizeof(Elf64_Dyn);
        if (load_le64(entry) == DT_NULL)
            count = i;
        else if (load_le64(entry) == DT_STRTAB)
            strings = offset_of(elf, headers, load_le64(entry + FIELD(Elf64_Dyn, d_un)));
    }
    for (size_t i = 0; i < count; i++) {
        const uint8_t *entry = entries + i * sizeof(Elf64_Dyn);
        uint64_t tag = load_le64(entry), value = load_le64(entry + FIELD(Elf64_Dyn, d_un));
        if (tag != DT_NEEDED && tag != DT_RPATH && tag != DT_RUNPATH)
            continue;
        const char *text = strings < elf->size && value < elf->size - strings
                               ? string_at(elf, strings + value)
                               : NULL;
        int result = read_entry(elf, tag, text, needs);
        if (result < 0)
            return result;
    }
    return 0;
}

bool elf_is(const void *bytes, size_t size)
{
    return size >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG);
}

static bool is_for_x86_64(const struct elf *elf)
{
    return elf->bytes[EI_CLASS] == ELFCLASS64 && elf->bytes[EI_DATA] == ELFDATA2LSB &&
           load_le16(elf->bytes + FIELD(Elf64_Ehdr, e_machine)) == EM_X86_64;
}

bool elf_is_static(const void *bytes, size_t size)
{
    struct tally_error error;
    const struct elf elf = {"", bytes, size, &error};
    struct headers headers;
    if (!elf_is(bytes, size) || size < sizeof(Elf64_Ehdr) || !is_for_x86_64(&elf) ||
        find_headers(&elf, &headers) < 0)
        return false;
    for (unsigned i = 0; i < headers.count; i++)
        if (segment_at(&elf, headers.offset + i * headers.size).type == PT_INTERP)
            return false;
    return headers.count > 0;
}

int elf_read(const char *path, const void *bytes, size_t size, struct elf_needs *needs,
             struct tally_error *error)
{
    const struct elf elf = {path, bytes, size, error};
    struct headers headers;
    *needs = (struct elf_needs){0};
    if (!elf_is(bytes, size) || size < sizeof(Elf64_Ehdr))
        return malformed(&elf, "it has no ELF header");
    if (!is_for_x86_64(&elf))
        return fail(error, -EINVAL, "%s: built for another processor, expected 64-bit x86", path);
    int result = find_headers(&elf, &headers);
    for (unsigned i = 0; result == 0 && i < headers.count; i++) {
        struct segment segment = segment_at(&elf, headers.offset + i * headers.size);
        if (segment.type == PT_INTERP && !(needs->interpreter = string_at(&elf, segment.offset)))
            result = malformed(&elf, "the name of its interpreter is outside the file");
        if (segment.type == PT_DYNAMIC)
            result = read_dynamic(&elf, &headers, &segment, needs);
    }
    if (result < 0)
        *needs = (struct elf_needs){0};
    return result;
}

/* A note is the sizes of its owner's name and of its contents, a type, and both, each padded to
 * four bytes. */
static bool has_note(const struct elf *elf, const struct segment *notes, const char *owner,
                     uint32_t type)
{
    const uint8_t *at = elf->bytes + notes->offset;
    uint64_t left = notes->size;
    while (left >= sizeof(Elf64_Nhdr)) {
        uint64_t name = load_le32(at + FIELD(Elf64_Nhdr, n_namesz));
        uint64_t contents = load_le32(at + FIELD(Elf64_Nhdr, n_descsz));
        uint64_t size = sizeof(Elf64_Nhdr) + (name + 3) / 4 * 4 + (contents + 3) / 4 * 4;
        if (size > left)
            return false;
        if (load_le32(at + FIELD(Elf64_Nhdr, n_type)) == type && name == strlen(owner) + 1 &&
            !memcmp(at + sizeof(Elf64_Nhdr), owner, name))
            return true;
        at += size;
        left -= size;
    }
    return false;
}

bool elf_has_note(const void *bytes, size_t size, const char *owner, uint32_t type)
{
    const struct elf elf = {"", bytes, size, NULL};
    struct headers headers;
    if (!elf_is(bytes, size) || size < sizeof(Elf64_Ehdr) || find_headers(&elf, &headers) < 0)
        return false;
    for (unsigned i = 0; i < headers.count; i++) {
        struct segment segment = segment_at(&elf, headers.offset + i * headers.size);
        if (segment.type == PT_NOTE && is_inside(&elf, segment.offset, segment.size) &&
            has_note(&elf, &segment, owner, type))
            return true;
    }
    return false;
}
