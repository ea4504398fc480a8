/* SPDX-License-Identifier: MIT */
#include "vm/guest/cpio.h"

#include <string.h>
#include <sys/stat.h>

#define MAGIC     "070701"
#define TRAILER   "TRAILER!!!"
#define ALIGNMENT 4

struct entry {
    unsigned mode;
    unsigned major, minor; /* of a device */
    const void *bytes;
    size_t size;
};

static void align(struct cpio *cpio)
{
    while (cpio->bytes.size % ALIGNMENT && !cpio->bytes.broken)
        buffer_char(&cpio->bytes, '\0');
}

/* A header is thirteen numbers of eight hexadecimal digits, then the name with its NUL. */
static void write_entry(struct cpio *cpio, const char *path, const struct entry *entry)
{
    size_t name_size = strlen(path) + 1;
    if (entry->size > CPIO_FILE_MAX || name_size > UINT16_MAX)
        cpio->bytes.broken = true;
    const uint32_t fields[13] = {
        ++cpio->entries, /* inode number: no two entries are links of one file */
        entry->mode,
        0, /* uid */
        0, /* gid */
        1, /* links */
        0, /* time */
        (uint32_t)entry->size,
        0, /* device of the file system, major and minor */
        0,
        entry->major,
        entry->minor,
        (uint32_t)name_size,
        0, /* checksum: not in this format */
    };
    buffer_text(&cpio->bytes, MAGIC);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        buffer_printf(&cpio->bytes, "%08X", fields[i]);
    buffer_append(&cpio->bytes, path, name_size);
    align(cpio);
    buffer_append(&cpio->bytes, entry->bytes, entry->size);
    align(cpio);
}

void cpio_directory(struct cpio *cpio, const char *path, unsigned mode)
{
    write_entry(cpio, path, &(struct entry){.mode = S_IFDIR | mode});
}

void cpio_file(struct cpio *cpio, const char *path, unsigned mode, const void *bytes, size_t size)
{
    write_entry(cpio, path, &(struct entry){.mode = S_IFREG | mode, .bytes = bytes, .size = size});
}

void cpio_symlink(struct cpio *cpio, const char *path, const char *target)
{
    write_entry(cpio, path,
                &(struct entry){.mode = S_IFLNK | 0777, .bytes = target, .size = strlen(target)});
}

void cpio_character_device(struct cpio *cpio, const char *path, unsigned mode, unsigned major,
                           unsigned minor)
{
    write_entry(cpio, path,
                &(struct entry){.mode = S_IFCHR | mode, .major = major, .minor = minor});
}

void cpio_end(struct cpio *cpio)
{
    write_entry(cpio, TRAILER, &(struct entry){0});
}
