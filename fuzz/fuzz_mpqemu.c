/* SPDX-License-Identifier: MIT */
/*
 * Reads the input as a message of QEMU's x-pci-proxy-dev: its first byte is the number of
 * descriptors. Checks that a message that is accepted has the size that its header announces, and
 * that its regions have the descriptors.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "vm/transport.h"

#define FIRST_FD 1000 /* they are not accessed */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t message[VM_MESSAGE_BYTES] = {0};
    struct vm_request request = {0};
    struct tally_error error = {0};
    int fds[VM_REGIONS_MAX];
    if (size < 1 + MPQEMU_HEADER_BYTES || size - 1 > sizeof message)
        return 0;
    unsigned count = *data % (VM_REGIONS_MAX + 1);
    for (unsigned i = 0; i < VM_REGIONS_MAX; i++)
        fds[i] = FIRST_FD + (int)i;
    memcpy(message, data + 1, size - 1);
    int bytes = mpqemu_body_bytes(message, &error);
    CHECK(bytes == -EBADMSG || (bytes >= 0 && MPQEMU_HEADER_BYTES + bytes <= VM_MESSAGE_BYTES));
    int result = mpqemu_decode(message, fds, count, &request, &error);
    CHECK(bytes >= 0 || result == -EBADMSG);
    CHECK(result == 0 || (result == -EBADMSG && *error.message));
    if (result < 0)
        return 0;
    CHECK(request.count == count && request.kind <= VM_RESET);
    for (unsigned i = 0; i < count; i++)
        CHECK(request.fds[i] == fds[i] &&
              (request.kind != VM_MAP_MEMORY || request.regions[i].fd == fds[i]));
    return 0;
}
