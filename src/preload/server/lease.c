/* SPDX-License-Identifier: MIT */
/* Leases of the virtual clock (protocol.h): a program's only thread reads it without calls. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/minmax.h"
#include "preload/server/server.h"
#include "preload/server/tasks.h"
#include "preload/server/timers.h"

#define LEASE_NS 100000u
#define SEALS    (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

int lease_new(struct session *session)
{
    if (!is_virtual(session->server) || session->lease)
        return -EINVAL;
    int fd = memfd_create("lease", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    void *memory = MAP_FAILED;
    if (ftruncate(fd, EMULATE_LEASE_BYTES) == 0 && fcntl(fd, F_ADD_SEALS, SEALS) == 0)
        memory = mmap(NULL, EMULATE_LEASE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        close(fd);
        return -ENOMEM;
    }
    session->lease = memory;
    return fd;
}

void lease_free(struct session *session)
{
    if (session->server->leased == session)
        lease_end(session->server);
    if (session->lease)
        munmap(session->lease, EMULATE_LEASE_BYTES);
}

/* Whether another session or a timer waits for the clock. */
static bool is_awaited(const struct session *session)
{
    for (const struct session *s = session->server->sessions; s; s = s->next)
        if (s != session && (s->held || s->sleeps || s->waits || s->suspended))
            return true;
    return false;
}

void lease_begin(struct session *session, uint64_t max_ns)
{
    struct server *server = session->server;
    if (!session->lease || server->leased || is_awaited(session) ||
        !tasks_alone(server->tasks, session->caller))
        return;
    uint64_t now = server_now_ns(server);
    uint64_t end = min_u64(now + LEASE_NS, min_u64(max_ns, timers_next_ns(server)));
    if (end < now + EMULATE_CALL_NS)
        return;
    session->lease_from_ns = now;
    session->lease_end_ns = end;
    __atomic_store_n(&session->lease->now_ns, now, __ATOMIC_SEQ_CST);
    __atomic_store_n(&session->lease->end_ns, end, __ATOMIC_SEQ_CST);
    server->leased = session;
}

/* The program can write the memory, too. */
void lease_end(struct server *server)
{
    struct session *session = server->leased;
    if (!session)
        return;
    server->leased = NULL;
    __atomic_store_n(&session->lease->end_ns, 0, __ATOMIC_SEQ_CST);
    uint64_t now = __atomic_load_n(&session->lease->now_ns, __ATOMIC_SEQ_CST);
    if (now <= session->lease_from_ns)
        return;
    server->program_ns = max_u64(server->program_ns, min_u64(now, session->lease_end_ns));
    session->since_ns = server->program_ns;
}
