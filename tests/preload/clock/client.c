/* SPDX-License-Identifier: MIT */
/*
 * A client of the virtual clock of tally emulate, for tests/e2e/test_clock.py.
 *
 *     clock_client waits     prints how long each wait took, by CLOCK_MONOTONIC and CLOCK_REALTIME
 *     clock_client threads   threads that sleep, wait for each other, and print when
 *     clock_client signals   when the signals of timers arrive
 *     clock_client spin      a thread that makes no calls until another has slept
 *     clock_client early     waits that something else than their timeout ends
 *     clock_client turns     the order in which two threads read the clock
 *     clock_client polling   when a signal interrupts a loop that reads the clock
 *     clock_client readings  what a loop that reads the clock reads, and how often it sleeps
 *     clock_client starts    how often a thread and a process can read the clock that start another
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * SECOND + now.tv_nsec;
}

static struct timespec spec(int64_t ns)
{
    return (struct timespec){ns / SECOND, ns % SECOND};
}

static struct timespec after(clockid_t clock, int64_t ns)
{
    return spec(now_ns(clock) + ns);
}

static void expect(const char *what, long result, long expected)
{
    if (result != expected) {
        printf("%s: %ld, expected %ld, errno %d\n", what, result, expected, errno);
        exit(1);
    }
}

/* ---- waits ----------------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static void wait_cond(void)
{
    struct timespec end = after(CLOCK_REALTIME, 3 * SECOND);
    pthread_mutex_lock(&mutex);
    expect("timedwait", pthread_cond_timedwait(&cond, &mutex, &end), ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
}

static void wait_cond_monotonic(void)
{
    pthread_condattr_t attributes;
    pthread_cond_t own;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&own, &attributes);
    struct timespec end = after(CLOCK_MONOTONIC, 3 * SECOND);
    pthread_mutex_lock(&mutex);
    expect("monotonic", pthread_cond_timedwait(&own, &mutex, &end), ETIMEDOUT);
    expect("past", pthread_cond_timedwait(&own, &mutex, &end), ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
}

static void wait_cond_clock(void)
{
    struct timespec end = after(CLOCK_MONOTONIC, 3 * SECOND);
    pthread_mutex_lock(&mutex);
    expect("clockwait", pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &end), ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
}

static void wait_cnd(void)
{
    cnd_t own;
    mtx_t lock;
    cnd_init(&own);
    mtx_init(&lock, mtx_timed);
    struct timespec end = after(CLOCK_REALTIME, 3 * SECOND);
    mtx_lock(&lock);
    expect("cnd", cnd_timedwait(&own, &lock, &end), thrd_timedout);
    mtx_unlock(&lock);
}

static void wait_sem(void)
{
    struct timespec end = after(CLOCK_REALTIME, 3 * SECOND);
    expect("sem", sem_timedwait(&semaphore, &end), -1);
    expect("sem errno", errno, ETIMEDOUT);
}

static void wait_sem_clock(void)
{
    struct timespec end = after(CLOCK_MONOTONIC, 3 * SECOND);
    expect("sem_clockwait", sem_clockwait(&semaphore, CLOCK_MONOTONIC, &end), -1);
}

static void wait_mutex(void)
{
    struct timespec end = after(CLOCK_REALTIME, 3 * SECOND);
    pthread_mutex_lock(&mutex);
    expect("mutex", pthread_mutex_timedlock(&mutex, &end), ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
}

static void *read_lock(void *end)
{
    expect("rwlock", pthread_rwlock_timedrdlock(&rwlock, end), ETIMEDOUT);
    return NULL;
}

static void wait_rwlock(void)
{
    pthread_t thread;
    struct timespec end = after(CLOCK_REALTIME, 3 * SECOND);
    pthread_rwlock_wrlock(&rwlock);
    pthread_create(&thread, NULL, read_lock, &end);
    pthread_join(thread, NULL);
    pthread_rwlock_unlock(&rwlock);
}

static void *sleep_long(void *seconds)
{
    sleep((unsigned)(uintptr_t)seconds);
    return NULL;
}

static void wait_join(void)
{
    pthread_t thread;
    struct timespec end = after(CLOCK_REALTIME, 3 * SECOND);
    pthread_create(&thread, NULL, sleep_long, (void *)(uintptr_t)5);
    expect("join", pthread_timedjoin_np(thread, NULL, &end), ETIMEDOUT);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}

static void wait_signal(void)
{
    sigset_t set;
    struct timespec time = {3, 0};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    expect("sigtimedwait", sigtimedwait(&set, NULL, &time), -1);
    expect("sigtimedwait errno", errno, EAGAIN);
}

static void wait_futex(void)
{
    uint32_t word = 7;
    struct timespec time = {3, 0};
    expect("other value", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 8, &time), -1);
    expect("other value errno", errno, EAGAIN);
    expect("futex", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 7, &time), -1);
    expect("futex errno", errno, ETIMEDOUT);
}

static void wait_shared_futex(void)
{
    uint32_t word = 7;
    struct timespec end = after(CLOCK_MONOTONIC, 3 * SECOND);
    expect("futex", syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 7, &end, NULL, ~0u), -1);
    expect("futex errno", errno, ETIMEDOUT);
}

static void wait_syscall(void)
{
    struct timespec time = {3, 0};
    syscall(SYS_nanosleep, &time, NULL);
}

static void wait_poll(void)
{
    int ends[2];
    expect("pipe", pipe(ends), 0);
    struct pollfd entry = {.fd = ends[0], .events = POLLIN};
    expect("poll", poll(&entry, 1, 3000), 0);
    struct pollfd ready = {.fd = ends[1], .events = POLLOUT};
    expect("a ready one", poll(&ready, 1, 3000), 1);
    close(ends[0]);
    close(ends[1]);
}

static void wait_select(void)
{
    struct timeval time = {3, 0};
    expect("select", select(0, NULL, NULL, NULL, &time), 0);
}

static void wait_pselect(void)
{
    struct timespec time = {3, 0};
    expect("pselect", pselect(0, NULL, NULL, NULL, &time, NULL), 0);
}

static void wait_epoll(void)
{
    struct epoll_event event;
    int fd = epoll_create1(0);
    expect("epoll", epoll_wait(fd, &event, 1, 3000), 0);
    close(fd);
}

static int timer(int flags, int64_t ns, int64_t period_ns)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, flags);
    struct itimerspec time = {.it_value = spec(ns), .it_interval = spec(period_ns)};
    expect("settime", timerfd_settime(fd, 0, &time, NULL), 0);
    return fd;
}

static void wait_timerfd(void)
{
    uint64_t count = 0;
    int fd = timer(0, SECOND, SECOND);
    for (unsigned i = 0; i < 3; i++) {
        expect("read", read(fd, &count, sizeof count), sizeof count);
        expect("count", (long)count, 1);
    }
    close(fd);
}

static void wait_timerfd_absolute(void)
{
    uint64_t count = 0;
    int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
    struct itimerspec left, time = {.it_value = after(CLOCK_REALTIME, 3 * SECOND)};
    expect("settime", timerfd_settime(fd, TFD_TIMER_ABSTIME, &time, NULL), 0);
    expect("read", read(fd, &count, sizeof count), -1);
    expect("read errno", errno, EAGAIN);
    expect("gettime", timerfd_gettime(fd, &left), 0);
    expect("left", left.it_value.tv_sec, 2);
    struct pollfd entry = {.fd = fd, .events = POLLIN};
    expect("poll", poll(&entry, 1, -1), 1);
    expect("read", read(fd, &count, sizeof count), sizeof count);
    expect("gettime", timerfd_gettime(fd, &left), 0);
    expect("left", left.it_value.tv_sec + left.it_value.tv_nsec, 0);
    close(fd);
}

static void wait_timerfd_epoll(void)
{
    uint64_t count = 0;
    int fd = timer(TFD_NONBLOCK, SECOND, SECOND), list = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(list, EPOLL_CTL_ADD, fd, &event);
    sleep(2);
    expect("epoll", epoll_wait(list, &event, 1, -1), 1);
    expect("read", read(fd, &count, sizeof count), sizeof count);
    expect("count", (long)count, 2);
    expect("epoll", epoll_wait(list, &event, 1, -1), 1);
    expect("read", read(fd, &count, sizeof count), sizeof count);
    close(list);
    close(fd);
}

static void wait_thrd_sleep(void)
{
    struct timespec time = {3, 0};
    thrd_sleep(&time, NULL);
}

static void wait_absolute(void)
{
    struct timespec end = after(CLOCK_REALTIME, 3 * SECOND);
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &end, NULL);
}

static void print_waits(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } rows[] = {
        {"pthread_cond_timedwait", wait_cond},
        {"pthread_cond_timedwait monotonic", wait_cond_monotonic},
        {"pthread_cond_clockwait", wait_cond_clock},
        {"cnd_timedwait", wait_cnd},
        {"sem_timedwait", wait_sem},
        {"sem_clockwait", wait_sem_clock},
        {"pthread_mutex_timedlock", wait_mutex},
        {"pthread_rwlock_timedrdlock", wait_rwlock},
        {"pthread_timedjoin_np", wait_join},
        {"sigtimedwait", wait_signal},
        {"futex", wait_futex},
        {"shared futex", wait_shared_futex},
        {"syscall", wait_syscall},
        {"poll", wait_poll},
        {"select", wait_select},
        {"pselect", wait_pselect},
        {"epoll_wait", wait_epoll},
        {"timerfd", wait_timerfd},
        {"timerfd absolute", wait_timerfd_absolute},
        {"timerfd epoll", wait_timerfd_epoll},
        {"thrd_sleep", wait_thrd_sleep},
        {"clock_nanosleep absolute", wait_absolute},
    };
    sem_init(&semaphore, 0, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t monotonic = now_ns(CLOCK_MONOTONIC), real = now_ns(CLOCK_REALTIME);
        rows[i].run();
        printf("%s: %lld %lld\n", rows[i].name, (long long)(now_ns(CLOCK_MONOTONIC) - monotonic),
               (long long)(now_ns(CLOCK_REALTIME) - real));
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

#define THREADS 4

static char text[1 << 16];
static size_t used;
static unsigned posted;
static int64_t start_ns;

static void note(unsigned thread, const char *what)
{
    int64_t now = now_ns(CLOCK_MONOTONIC) - start_ns;
    pthread_mutex_lock(&mutex);
    used += (size_t)snprintf(text + used, sizeof text - used, "%lld %u %s\n", (long long)now,
                             thread, what);
    pthread_mutex_unlock(&mutex);
}

/* Thread 0 posts and signals every 7 ms; the others wait for it for up to 5 ms, or sleep. */
static void *work(void *closure)
{
    unsigned thread = (unsigned)(uintptr_t)closure;
    for (unsigned i = 0; i < 20; i++) {
        struct timespec end = after(CLOCK_REALTIME, 5000000);
        bool woken = false;
        if (thread == 0) {
            usleep(7000);
            sem_post(&semaphore);
            pthread_mutex_lock(&mutex);
            posted++;
            pthread_cond_signal(&cond);
            pthread_mutex_unlock(&mutex);
        } else if (thread == 1) {
            woken = sem_timedwait(&semaphore, &end) == 0;
        } else if (thread == 2) {
            pthread_mutex_lock(&mutex);
            unsigned before = posted;
            while (posted == before && pthread_cond_timedwait(&cond, &mutex, &end) == 0)
                continue;
            woken = posted != before;
            pthread_mutex_unlock(&mutex);
        } else {
            for (int64_t until = now_ns(CLOCK_MONOTONIC) + 30000; now_ns(CLOCK_MONOTONIC) < until;)
                sched_yield();
            usleep(2999);
        }
        note(thread, woken ? "woken" : "slept");
    }
    return NULL;
}

static void print_threads(void)
{
    pthread_t threads[THREADS];
    sem_init(&semaphore, 0, 0);
    start_ns = now_ns(CLOCK_MONOTONIC);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    fwrite(text, 1, used, stdout);
    printf("end %lld\n", (long long)now_ns(CLOCK_REALTIME));
}

/* ---- signals --------------------------------------------------------------------------------- */

static int64_t came_ns[64];
static int came_value[64];
static volatile sig_atomic_t came;

static void take(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    if (came < 64) {
        came_ns[came] = now_ns(CLOCK_MONOTONIC);
        came_value[came] = info->si_value.sival_int;
        came++;
    }
}

static void print_signals_of(const char *what, int count)
{
    int64_t start = now_ns(CLOCK_MONOTONIC);
    while (came < count)
        pause();
    printf("%s:", what);
    for (int i = 0; i < count; i++)
        printf(" %lld", (long long)((came_ns[i] - start + 500000) / 1000000));
    printf("\n");
    came = 0;
}

static void print_signals(void)
{
    struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO};
    struct itimerval left, period = {{0, 250000}, {1, 0}}, none = {{0, 0}, {0, 0}};
    struct itimerspec spec_of = {.it_value = {2, 0}, .it_interval = {1, 0}}, half;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    timer_t timer;
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    setitimer(ITIMER_REAL, &period, NULL);
    print_signals_of("setitimer", 5);
    setitimer(ITIMER_REAL, &none, &left);
    printf("left: %ld\n", (long)left.it_value.tv_usec / 1000);
    alarm(10);
    expect("alarm", alarm(5), 10);
    print_signals_of("alarm", 1);
    expect("alarm", alarm(0), 0);
    event.sigev_value.sival_int = 77;
    expect("timer_create", timer_create(CLOCK_REALTIME, &event, &timer), 0);
    expect("timer_settime", timer_settime(timer, 0, &spec_of, NULL), 0);
    usleep(500000);
    expect("timer_gettime", timer_gettime(timer, &half), 0);
    printf("left: %ld\n", (long)half.it_value.tv_sec * 1000 + half.it_value.tv_nsec / 1000000);
    print_signals_of("timer_create", 3);
    expect("its value", came_value[2], 77);
    expect("timer_delete", timer_delete(timer), 0);
    expect("timer_delete", timer_delete(timer), -1);
    /* A signal ends a sleep. */
    alarm(3);
    int64_t start = now_ns(CLOCK_MONOTONIC);
    unsigned rest = sleep(10);
    printf("sleep: %lld, rest %u\n", (long long)((now_ns(CLOCK_MONOTONIC) - start) / 1000000),
           rest);
}

/* ---- others ---------------------------------------------------------------------------------- */

static atomic_bool flag;

static void *set_flag(void *closure)
{
    (void)closure;
    usleep(50000);
    atomic_store(&flag, true);
    return NULL;
}

static void spin(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set_flag, NULL);
    while (!atomic_load(&flag))
        continue;
    pthread_join(thread, NULL);
    printf("done\n");
}

#define TURNS 50

static atomic_uint turns;
static char order[2 * TURNS + 1];

static void *read_in_turn(void *name)
{
    for (unsigned i = 0; i < TURNS; i++) {
        now_ns(CLOCK_MONOTONIC);
        order[atomic_fetch_add(&turns, 1)] = *(const char *)name;
    }
    return NULL;
}

static void print_turns(void)
{
    static char names[] = "ab";
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, read_in_turn, &names[0]);
    pthread_create(&threads[1], NULL, read_in_turn, &names[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    puts(order);
}

static void poll_until_signal(void)
{
    struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO};
    struct itimerval once = {{0, 0}, {0, 5000}};
    sigaction(SIGALRM, &action, NULL);
    int64_t start = now_ns(CLOCK_MONOTONIC), now = start;
    setitimer(ITIMER_REAL, &once, NULL);
    while (!came && now < start + SECOND / 2)
        now = now_ns(CLOCK_MONOTONIC);
    printf("%lld\n", (long long)((now - start + 500000) / 1000000));
}

static void *wake_all(void *closure)
{
    uint32_t *word = closure;
    usleep(100000);
    sem_post(&semaphore);
    usleep(100000);
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    usleep(100000);
    *word = 1;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
    usleep(100000);
    kill(getpid(), SIGUSR1);
    return NULL;
}

static void early(void)
{
    static uint32_t word;
    pthread_t thread;
    sigset_t set;
    struct timespec time = {100, 0}, end = after(CLOCK_REALTIME, 100 * SECOND);
    int64_t start = now_ns(CLOCK_MONOTONIC);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, wake_all, &word);
    expect("sem", sem_timedwait(&semaphore, &end), 0);
    pthread_mutex_lock(&mutex);
    expect("cond", pthread_cond_timedwait(&cond, &mutex, &end), 0);
    pthread_mutex_unlock(&mutex);
    expect("futex", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &time), 0);
    expect("signal", sigtimedwait(&set, NULL, &time), SIGUSR1);
    expect("join", pthread_timedjoin_np(thread, NULL, &end), 0);
    printf("%lld\n", (long long)((now_ns(CLOCK_MONOTONIC) - start) / 1000000));
}

static void *wait_for_post(void *closure)
{
    sem_wait(&semaphore);
    return closure;
}

/* Computes for some microseconds, makes a thread, and ends. */
static void *make_one(void *closure)
{
    pthread_t thread;
    for (volatile unsigned i = 0; i < *(const unsigned *)closure; i++)
        continue;
    pthread_create(&thread, NULL, wait_for_post, NULL);
    pthread_detach(thread);
    return NULL;
}

/* Sleeps while a thread makes another one, and ends. */
static void churn(void)
{
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    for (unsigned i = 0; i < 400; i++) {
        unsigned loops = 37 * i % 1000 * 200;
        pthread_create(&thread, NULL, make_one, &loops);
        usleep(1000);
        sem_post(&semaphore);
        pthread_join(thread, NULL);
    }
    printf("done\n");
}

/* ---- readings -------------------------------------------------------------------------------- */

/* Prints the smallest and the largest step. */
static void print_readings(void)
{
    struct rusage before, after;
    int64_t min = INT64_MAX, max = 0, last = now_ns(CLOCK_MONOTONIC);
    getrusage(RUSAGE_SELF, &before);
    for (unsigned i = 0; i < 20000; i++) {
        int64_t now = now_ns(CLOCK_MONOTONIC), step = now - last;
        min = step < min ? step : min;
        max = step > max ? step : max;
        last = now;
    }
    getrusage(RUSAGE_SELF, &after);
    printf("%lld %lld %d\n", (long long)min, (long long)max,
           after.ru_nvcsw - before.ru_nvcsw < 5000);
}

static atomic_int *shared;

static void *set_shared(void *none)
{
    *shared = 1;
    return none;
}

/* Returns the number of readings until the flag is set. */
static unsigned count_readings(void)
{
    unsigned count = 0;
    for (; !*shared; count++)
        now_ns(CLOCK_MONOTONIC);
    *shared = 0;
    return count;
}

/* What has been started sets the flag before the next reading, however slow it is. */
static void print_starts(void)
{
    pthread_t thread;
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (unsigned i = 0; i < 10; i++) {
        for (unsigned j = 0; j < 20; j++)
            now_ns(CLOCK_MONOTONIC);
        int child = -1;
        if (i % 2 == 0)
            pthread_create(&thread, NULL, set_shared, NULL);
        else if ((child = fork()) == 0)
            set_shared(NULL), _exit(0);
        printf("%u ", count_readings() <= 1);
        fflush(stdout); /* a sanitizer's _exit() would write it again */
        if (child > 0)
            waitpid(child, NULL, 0);
        else
            pthread_join(thread, NULL);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } rows[] = {{"waits", print_waits},
                {"threads", print_threads},
                {"signals", print_signals},
                {"spin", spin},
                {"early", early},
                {"turns", print_turns},
                {"churn", churn},
                {"polling", poll_until_signal},
                {"readings", print_readings},
                {"starts", print_starts}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (argc == 2 && !strcmp(argv[1], rows[i].name)) {
            rows[i].run();
            return 0;
        }
    fprintf(stderr,
            "clock_client waits|threads|signals|spin|early|turns|churn|polling|readings|starts\n");
    return 2;
}
