/* SPDX-License-Identifier: MIT */
#include "vm/guest/bzimage.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"

/* Offsets in the file; "The Linux/x86 Boot Protocol" names the fields. */
#define SETUP_SECTS    0x1f1
#define HEADER         0x202
#define VERSION        0x206
#define KERNEL_VERSION 0x20e /* counts from the end of the boot sector */
#define PAYLOAD_OFFSET 0x248 /* counts from the end of the setup code */
#define PAYLOAD_LENGTH 0x24c
#define HEADER_END     0x250
#define SECTOR         512

#define VERSION_WITH_PAYLOAD 0x208

int bzimage_read(const char *path, const void *bytes, size_t size, struct bzimage *image,
                 struct tally_error *error)
{
    const uint8_t *at = bytes;
    *image = (struct bzimage){0};
    if (size < HEADER_END || memcmp(at + HEADER, "HdrS", 4) != 0)
        return fail(error, -EBADMSG, "%s: not a Linux kernel for x86 (bzImage)", path);
    size_t release = load_le16(at + KERNEL_VERSION) + (size_t)SECTOR;
    if (release > SECTOR && release < size && memchr(at + release, '\0', size - release)) {
        image->release = (const char *)at + release;
        image->release_size = strcspn(image->release, " ");
    }
    size_t setup = at[SETUP_SECTS] ? at[SETUP_SECTS] : 4;
    uint64_t payload = (setup + 1) * SECTOR + (uint64_t)load_le32(at + PAYLOAD_OFFSET);
    uint64_t length = load_le32(at + PAYLOAD_LENGTH);
    if (load_le16(at + VERSION) < VERSION_WITH_PAYLOAD || !length)
        return 0;
    if (payload > size || length > size - payload)
        return fail(error, -EBADMSG, "%s: truncated: its packed kernel ends after the file", path);
    image->payload = at + payload;
    image->payload_size = (size_t)length;
    return 0;
}
