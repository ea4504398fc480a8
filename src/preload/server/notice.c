/* SPDX-License-Identifier: MIT */
/* The notice: what all programs may read without a call (struct emulate_notice of protocol.h). */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "preload/server/server.h"

#define FUTURE_WRITE 0x10 /* F_SEAL_FUTURE_WRITE, since Linux 5.1 */

/* Only the mapping that is made before the seal can be written. */
int notice_make(struct server *server, struct tally_error *error)
{
    int fd = memfd_create("notice", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *memory = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, sizeof *server->notice) == 0)
        memory = mmap(NULL, sizeof *server->notice, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory != MAP_FAILED && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0) {
        server->notice = memory;
        server->notice_fd = fd;
        fcntl(fd, F_ADD_SEALS, FUTURE_WRITE | F_SEAL_SEAL);
        return 0;
    }
    int code = errno;
    if (memory != MAP_FAILED)
        munmap(memory, sizeof *server->notice);
    if (fd >= 0)
        close(fd);
    return fail(error, -code, "a memory file: %s", strerror(code));
}

void notice_free(struct server *server)
{
    if (!server->notice)
        return;
    munmap(server->notice, sizeof *server->notice);
    close(server->notice_fd);
}

/* Returns the slot that has a value; NULL: none. */
static uint64_t *slot_of(const struct server *server, uint64_t value)
{
    for (size_t i = 0; i < EMULATE_DEVICES; i++)
        if (server->notice->devices[i] == value)
            return &server->notice->devices[i];
    return NULL;
}

/* Order: the slot is written before programs look at it. */
void notice_add_device(struct server *server, uint64_t inode)
{
    struct emulate_notice *notice = server->notice;
    uint64_t *slot = slot_of(server, 0);
    if (!slot || !inode) {
        __atomic_store_n(&notice->slots, EMULATE_DEVICES + 1, __ATOMIC_SEQ_CST);
        return;
    }
    __atomic_store_n(slot, inode, __ATOMIC_SEQ_CST);
    uint32_t slots = (uint32_t)(slot - notice->devices) + 1;
    if (slots > notice->slots)
        __atomic_store_n(&notice->slots, slots, __ATOMIC_SEQ_CST);
}

void notice_remove_device(struct server *server, uint64_t inode)
{
    uint64_t *slot = inode ? slot_of(server, inode) : NULL;
    if (slot)
        __atomic_store_n(slot, 0, __ATOMIC_SEQ_CST);
}
