/* SPDX-License-Identifier: MIT */
/*
 * The thread's lease of the virtual clock (protocol.h): one that reads the clock often does so
 * without a call while it is the program's only thread.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <threads.h>
#include <unistd.h>

#include "preload/client/client.h"

#define READINGS 16u /* that are calls, until the thread gets a lease */

static __thread struct {
    struct emulate_lease *memory; /* NULL: none */
    pid_t process;                /* whose memory it is */
    unsigned readings;
} lease;

void lease_forget(void)
{
    if (lease.memory && lease.process == user_process())
        NEXT(munmap)(lease.memory, EMULATE_LEASE_BYTES);
    lease.memory = NULL;
}

/* A child of fork() has no part of the memory: it would be the parent's. */
static void make_lease(void)
{
    struct call call = {.header = {.kind = EMULATE_LEASE},
                        .map_protection = PROT_READ | PROT_WRITE,
                        .map_flags = MAP_SHARED};
    if (channel_call(&call) != 0 || call.mapped <= 0)
        return;
    void *memory = (void *)(intptr_t)call.mapped;
    if (madvise(memory, EMULATE_LEASE_BYTES, MADV_DONTFORK) < 0) {
        NEXT(munmap)(memory, EMULATE_LEASE_BYTES);
        return;
    }
    lease.process = user_process();
    lease.memory = memory;
}

static struct emulate_lease *own_lease(void)
{
    if (lease.memory && lease.process != user_process()) { /* a child */
        lease.memory = NULL;
        lease.readings = 0;
    }
    return lease.memory;
}

void lease_called(void)
{
    if (lease.readings < READINGS && !channel_is_busy() && !own_lease() &&
        ++lease.readings == READINGS)
        make_lease();
}

int64_t lease_now_ns(void)
{
    struct emulate_lease *memory = own_lease();
    if (!memory)
        return -1;
    uint64_t now = __atomic_load_n(&memory->now_ns, __ATOMIC_SEQ_CST), next;
    do { /* a signal's handler may read it, too */
        next = now + EMULATE_CALL_NS;
        if (next > __atomic_load_n(&memory->end_ns, __ATOMIC_SEQ_CST))
            return -1;
    } while (!__atomic_compare_exchange_n(&memory->now_ns, &now, next, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST));
    return (int64_t)next;
}

void lease_end(void)
{
    struct emulate_lease *memory = own_lease();
    if (memory)
        __atomic_store_n(&memory->end_ns, 0, __ATOMIC_SEQ_CST);
}

/* ---- what makes a thread or a process ---------------------------------------------------------
 */

__attribute__((constructor)) static void find_forks(void)
{
    pthread_atfork(lease_end, NULL, NULL);
}

EXPORT int pthread_create(pthread_t *restrict out, const pthread_attr_t *restrict attributes,
                          void *(*function)(void *), void *restrict argument)
{
    lease_end();
    return NEXT(pthread_create)(out, attributes, function, argument);
}

EXPORT int thrd_create(thrd_t *out, thrd_start_t function, void *argument)
{
    lease_end();
    return NEXT(thrd_create)(out, function, argument);
}
