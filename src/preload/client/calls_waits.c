/* SPDX-License-Identifier: MIT */
/*
 * Interposed functions that wait for another thread with a timeout. With a virtual clock
 * (EMULATE_CLOCK) a timeout is of the program's clock: the thread sleeps in the server, in a list
 * of this process from which the functions that wake threads wake it.
 *
 * Condition variables, futexes and semaphores of one process wake by the list alone. Others can be
 * posted by other processes, and locks are not in the list: those who wait for them look again
 * after a time that begins with FIRST_LOOK_NS and doubles up to LAST_LOOK_NS. Waits without a
 * timeout are libc's.
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "preload/client/client.h"

#define FIRST_LOOK_NS 10000u
#define LAST_LOOK_NS  10000000u

/* ---- the list -------------------------------------------------------------------------------- */

struct waiter {
    struct waiter *next;
    const void *address; /* what it waits for */
    long thread;
    uint64_t number; /* of its sleep */
    bool woken;
};

static struct waiter *first;
static unsigned waiter_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Only the thread that called fork() is in the child. */
static void forget_threads(void)
{
    pthread_mutex_init(&lock, NULL);
    first = NULL;
    waiter_count = 0;
}

__attribute__((constructor)) static void find_forks(void)
{
    pthread_atfork(NULL, NULL, forget_threads);
}

/* Signal handlers may post a semaphore. */
static void lock_list(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
    pthread_mutex_lock(&lock);
}

static void unlock_list(const sigset_t *before)
{
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void begin_wait(struct waiter *waiter, const void *address)
{
    static uint64_t numbers;
    sigset_t before;
    lock_list(&before);
    *waiter = (struct waiter){.address = address, .thread = channel_thread(), .number = ++numbers};
    struct waiter **at = &first;
    while (*at)
        at = &(*at)->next;
    *at = waiter;
    __atomic_store_n(&waiter_count, waiter_count + 1, __ATOMIC_SEQ_CST);
    unlock_list(&before);
}

/* Returns whether it was woken. */
static bool end_wait(struct waiter *waiter)
{
    sigset_t before;
    lock_list(&before);
    struct waiter **at = &first;
    while (*at && *at != waiter)
        at = &(*at)->next;
    if (*at) {
        *at = waiter->next;
        __atomic_store_n(&waiter_count, waiter_count - 1, __ATOMIC_SEQ_CST);
    }
    unlock_list(&before);
    return waiter->woken;
}

/* Wakes up to `max` threads that wait for an address, the first ones first. Returns how many. */
static int wake(const void *address, int max)
{
    sigset_t before;
    int count = 0;
    if (!__atomic_load_n(&waiter_count, __ATOMIC_SEQ_CST))
        return 0;
    lock_list(&before);
    for (struct waiter *w = first; w && count < max; w = w->next) {
        if (w->address != address || w->woken)
            continue;
        w->woken = true;
        channel_wake(w->thread, w->number);
        count++;
    }
    unlock_list(&before);
    return count;
}

/* Returns the end of a wait that looks again: after `*look` or at the deadline. */
static uint64_t next_look(uint64_t deadline, uint64_t now, uint64_t *look)
{
    uint64_t end = now + *look;
    *look = *look < LAST_LOOK_NS / 2 ? 2 * *look : LAST_LOOK_NS;
    return end < deadline ? end : deadline;
}

/* Gets the deadline of an absolute time. False: the wait is the machine's. */
static bool find_deadline(clockid_t clock, const struct timespec *time, uint64_t *out)
{
    int64_t offset;
    if (!time || !time_offset(clock, &offset) || !time_is_valid(time))
        return false;
    *out = time_deadline(time, offset);
    return true;
}

/* ---- condition variables --------------------------------------------------------------------- */

/* Bits of glibc's struct: shared between processes; its clock is CLOCK_MONOTONIC. */
#define IS_SHARED    1u
#define IS_MONOTONIC 2u

struct cond_wait {
    struct waiter waiter;
    pthread_mutex_t *mutex;
    uint64_t end_ns;
    bool woken;
};

/* Also at a cancellation. */
static void end_cond_wait(void *closure)
{
    struct cond_wait *wait = closure;
    wait->woken = end_wait(&wait->waiter);
    pthread_mutex_lock(wait->mutex);
}

static int wait_cond(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline)
{
    struct cond_wait wait = {.mutex = mutex, .end_ns = deadline};
    bool shared = cond->__data.__wrefs & IS_SHARED;
    uint64_t look = LAST_LOOK_NS;
    int64_t result;
    int saved = errno;
    if (shared) /* another process may wake it: it wakes by itself, as is allowed */
        wait.end_ns = next_look(deadline, (uint64_t)time_now_ns(), &look);
    begin_wait(&wait.waiter, cond);
    int unlocked = pthread_mutex_unlock(mutex);
    if (unlocked) {
        end_wait(&wait.waiter);
        return unlocked;
    }
    pthread_cleanup_push(end_cond_wait, &wait);
    do
        result = channel_sleep(wait.end_ns, wait.waiter.number);
    while (result == -EINTR && !__atomic_load_n(&wait.waiter.woken, __ATOMIC_RELAXED));
    pthread_cleanup_pop(1);
    errno = saved;
    return wait.woken || result || wait.end_ns < deadline ? 0 : ETIMEDOUT;
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                                  const struct timespec *restrict time)
{
    bool monotonic = cond->__data.__wrefs & IS_MONOTONIC;
    uint64_t deadline;
    return find_deadline(monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, time, &deadline)
               ? wait_cond(cond, mutex, deadline)
               : NEXT(pthread_cond_timedwait)(cond, mutex, time);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                                  clockid_t clock, const struct timespec *restrict time)
{
    uint64_t deadline;
    return find_deadline(clock, time, &deadline)
               ? wait_cond(cond, mutex, deadline)
               : NEXT(pthread_cond_clockwait)(cond, mutex, clock, time);
}

/* One of those that wait is enough. */
EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
    return wake(cond, 1) ? 0 : NEXT(pthread_cond_signal)(cond);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
    wake(cond, INT32_MAX);
    return NEXT(pthread_cond_broadcast)(cond);
}

/* libc's own calls of these do not reach ours. */
EXPORT int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
                         const struct timespec *restrict time)
{
    uint64_t deadline;
    if (!find_deadline(CLOCK_REALTIME, time, &deadline))
        return NEXT(cnd_timedwait)(cond, mutex, time);
    int result = wait_cond((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, deadline);
    return result == 0 ? thrd_success : result == ETIMEDOUT ? thrd_timedout : thrd_error;
}

EXPORT int cnd_signal(cnd_t *cond)
{
    return wake(cond, 1) ? thrd_success : NEXT(cnd_signal)(cond);
}

EXPORT int cnd_broadcast(cnd_t *cond)
{
    wake(cond, INT32_MAX);
    return NEXT(cnd_broadcast)(cond);
}

/* ---- semaphores ------------------------------------------------------------------------------ */

/* Whether only this process can post a semaphore: glibc's `private` is 0. */
static bool is_private(const sem_t *sem)
{
#ifdef __LP64__
    return !((const int *)sem)[2];
#else
    (void)sem;
    return false;
#endif
}

/* Waits for a post, or for the next look. Returns 0, or an errno. */
static int wait_post(sem_t *sem, uint64_t deadline, uint64_t *look)
{
    struct waiter waiter;
    int64_t now = time_now_ns(), result = -ENODEV;
    if (now < 0 || (uint64_t)now >= deadline)
        return ETIMEDOUT;
    begin_wait(&waiter, sem);
    bool taken = sem_trywait(sem) == 0; /* it may have been posted before */
    uint64_t end = is_private(sem) ? deadline : next_look(deadline, (uint64_t)now, look);
    if (!taken)
        result = channel_sleep(end, waiter.number);
    if (end_wait(&waiter) && taken)
        wake(sem, 1); /* by a post that is still there */
    return taken ? -1 : result == -EINTR ? EINTR : 0;
}

/* Returns as sem_timedwait(). */
static int wait_sem(sem_t *sem, uint64_t deadline)
{
    uint64_t look = FIRST_LOOK_NS;
    int saved = errno;
    while (sem_trywait(sem) < 0) {
        int result = wait_post(sem, deadline, &look);
        errno = result > 0 ? result : saved;
        if (result)
            return result > 0 ? -1 : 0;
    }
    errno = saved;
    return 0;
}

EXPORT int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict time)
{
    uint64_t deadline;
    return find_deadline(CLOCK_REALTIME, time, &deadline) ? wait_sem(sem, deadline)
                                                          : NEXT(sem_timedwait)(sem, time);
}

EXPORT int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict time)
{
    uint64_t deadline;
    return find_deadline(clock, time, &deadline) ? wait_sem(sem, deadline)
                                                 : NEXT(sem_clockwait)(sem, clock, time);
}

EXPORT int sem_post(sem_t *sem)
{
    int result = NEXT(sem_post)(sem);
    if (result == 0)
        wake(sem, 1);
    return result;
}

/* ---- locks and threads ----------------------------------------------------------------------- */

static int try_mutex(void *object)
{
    return pthread_mutex_trylock(object);
}

static int try_read(void *object)
{
    return pthread_rwlock_tryrdlock(object);
}

static int try_write(void *object)
{
    return pthread_rwlock_trywrlock(object);
}

static int wait_lock(int (*attempt)(void *object), void *object, uint64_t deadline)
{
    uint64_t look = FIRST_LOOK_NS;
    int result;
    while ((result = attempt(object)) == EBUSY) {
        int64_t now = time_now_ns();
        if (now < 0 || (uint64_t)now >= deadline)
            return ETIMEDOUT;
        channel_sleep(next_look(deadline, (uint64_t)now, &look), 0);
    }
    return result;
}

#define TIMED(function, object_type, clock, attempt)                                               \
    EXPORT int function(object_type *restrict object, const struct timespec *restrict time)        \
    {                                                                                              \
        uint64_t deadline;                                                                         \
        return find_deadline(clock, time, &deadline) ? wait_lock(attempt, object, deadline)        \
                                                     : NEXT(function)(object, time);               \
    }
#define CLOCKED(function, object_type, attempt)                                                    \
    EXPORT int function(object_type *restrict object, clockid_t clock,                             \
                        const struct timespec *restrict time)                                      \
    {                                                                                              \
        uint64_t deadline;                                                                         \
        return find_deadline(clock, time, &deadline) ? wait_lock(attempt, object, deadline)        \
                                                     : NEXT(function)(object, clock, time);        \
    }

TIMED(pthread_mutex_timedlock, pthread_mutex_t, CLOCK_REALTIME, try_mutex)
TIMED(pthread_rwlock_timedrdlock, pthread_rwlock_t, CLOCK_REALTIME, try_read)
TIMED(pthread_rwlock_timedwrlock, pthread_rwlock_t, CLOCK_REALTIME, try_write)
CLOCKED(pthread_mutex_clocklock, pthread_mutex_t, try_mutex)
CLOCKED(pthread_rwlock_clockrdlock, pthread_rwlock_t, try_read)
CLOCKED(pthread_rwlock_clockwrlock, pthread_rwlock_t, try_write)

EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict time)
{
    uint64_t deadline;
    if (!find_deadline(CLOCK_REALTIME, time, &deadline))
        return NEXT(mtx_timedlock)(mutex, time);
    int result = wait_lock(try_mutex, mutex, deadline);
    return result == 0 ? thrd_success : result == ETIMEDOUT ? thrd_timedout : thrd_error;
}

static int join_until(pthread_t thread, void **value, uint64_t deadline)
{
    uint64_t look = FIRST_LOOK_NS;
    int result;
    while ((result = pthread_tryjoin_np(thread, value)) == EBUSY) {
        int64_t now = time_now_ns();
        if (now < 0 || (uint64_t)now >= deadline)
            return ETIMEDOUT;
        channel_sleep(next_look(deadline, (uint64_t)now, &look), 0);
    }
    return result;
}

EXPORT int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *time)
{
    uint64_t deadline;
    return find_deadline(CLOCK_REALTIME, time, &deadline)
               ? join_until(thread, value, deadline)
               : NEXT(pthread_timedjoin_np)(thread, value, time);
}

EXPORT int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock,
                                const struct timespec *time)
{
    uint64_t deadline;
    return find_deadline(clock, time, &deadline)
               ? join_until(thread, value, deadline)
               : NEXT(pthread_clockjoin_np)(thread, value, clock, time);
}

/* ---- signals --------------------------------------------------------------------------------- */

/* A descriptor of the signals ends the sleep. */
EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                        const struct timespec *restrict time)
{
    static const struct timespec none;
    int64_t now = time && time_is_valid(time) ? time_now_ns() : -1;
    if (now < 0)
        return NEXT(sigtimedwait)(set, info, time);
    uint64_t deadline = time_after((uint64_t)now, time);
    int result = NEXT(sigtimedwait)(set, info, &none);
    while (result < 0 && errno == EAGAIN) {
        struct pollfd entries[2] = {{.fd = signalfd(-1, set, SFD_CLOEXEC), .events = POLLIN}};
        int64_t woken = channel_poll(entries, 1, deadline, NULL);
        NEXT(close)(entries[0].fd);
        result = NEXT(sigtimedwait)(set, info, &none);
        if (result < 0 && woken <= 0) {
            errno = woken == -EINTR ? EINTR : EAGAIN;
            return -1;
        }
    }
    return result;
}

/* ---- syscall() ------------------------------------------------------------------------------- */

static bool has_value(const uint32_t *address, uint32_t value)
{
    uint32_t now;
    return user_read(&now, (uint64_t)(uintptr_t)address, sizeof now) && now == value;
}

/* Returns 0 or a negative errno, as the system call. */
static int wait_futex(const uint32_t *address, uint32_t value, uint64_t deadline, bool private)
{
    uint64_t look = FIRST_LOOK_NS;
    while (has_value(address, value)) {
        struct waiter waiter;
        int64_t now = time_now_ns();
        if (now < 0 || (uint64_t)now >= deadline)
            return -ETIMEDOUT;
        begin_wait(&waiter, address);
        /* Another process may wake it. */
        uint64_t end = private ? deadline : next_look(deadline, (uint64_t)now, &look);
        int64_t result = has_value(address, value) ? channel_sleep(end, waiter.number) : 1;
        if (end_wait(&waiter) || result == 1)
            return 0;
        if (result < 0)
            return (int)result;
    }
    return -EAGAIN;
}

#define FUTEX_FLAGS (FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)

static bool call_futex(const long a[6], long *result)
{
    const uint32_t *address = (const uint32_t *)a[0];
    const struct timespec *time = (const struct timespec *)a[3];
    int command = (int)a[1] & ~FUTEX_FLAGS, count;
    bool realtime = a[1] & FUTEX_CLOCK_REALTIME;
    int64_t now;
    uint64_t deadline;
    switch (command) {
    case FUTEX_WAIT:
        if (!time || !time_is_valid(time) || (now = time_now_ns()) < 0)
            return false;
        *result = wait_futex(address, (uint32_t)a[2], time_after((uint64_t)now, time),
                             a[1] & FUTEX_PRIVATE_FLAG);
        return true;
    case FUTEX_WAIT_BITSET:
        if (!find_deadline(realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, time, &deadline))
            return false;
        *result = wait_futex(address, (uint32_t)a[2], deadline, a[1] & FUTEX_PRIVATE_FLAG);
        return true;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        count = wake(address, (int)a[2]);
        if (!count)
            return false;
        *result = count + NEXT(syscall)(SYS_futex, a[0], a[1], a[2] - count, a[3], a[4], a[5]);
        return true;
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
    case FUTEX_WAKE_OP:
        wake(address, INT32_MAX); /* they look at the value again */
        return false;
    default:
        return false;
    }
}

static long number_of(long result)
{
    return result < 0 ? -errno : result;
}

bool time_syscall(long number, const long a[6], long *out)
{
    long result = 0;
    int saved = errno;
    if (!time_is_virtual())
        return false;
    switch (number) {
    case SYS_futex:
        if (!call_futex(a, &result))
            return false;
        break;
    case SYS_clock_gettime:
        result = number_of(clock_gettime((clockid_t)a[0], (struct timespec *)a[1]));
        break;
    case SYS_gettimeofday:
        result = number_of(gettimeofday((struct timeval *)a[0], (void *)a[1]));
        break;
    case SYS_nanosleep:
        result = number_of(nanosleep((const struct timespec *)a[0], (struct timespec *)a[1]));
        break;
    case SYS_clock_nanosleep:
        result = -clock_nanosleep((clockid_t)a[0], (int)a[1], (const struct timespec *)a[2],
                                  (struct timespec *)a[3]);
        break;
#ifdef SYS_time
    case SYS_time:
        result = time((time_t *)a[0]);
        break;
#endif
#ifdef SYS_poll
    case SYS_poll:
        result = number_of(poll((struct pollfd *)a[0], (nfds_t)a[1], (int)a[2]));
        break;
#endif
    default:
        return false;
    }
    errno = result < 0 ? (int)-result : saved;
    *out = result < 0 ? -1 : result;
    return true;
}
