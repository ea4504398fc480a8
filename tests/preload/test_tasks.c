/* SPDX-License-Identifier: MIT */
/* What the virtual clock sees of the threads of programs: tasks.h. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/server/tasks.h"
#include "testing.h"

#define LOOKS 100u

/* A child process, which does something when it gets a byte, and sends one when it has begun. */
struct child {
    pid_t pid;
    int orders, reports;
};

typedef void action(const struct child *child);

static void spin(const struct child *child)
{
    char byte = 0;
    if (write(child->reports, &byte, 1) == 1)
        for (;;)
            __asm__ volatile("");
}

static void *spin_in_thread(void *child)
{
    spin(child);
    return NULL;
}

static void make_thread(const struct child *child)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, spin_in_thread, (void *)child) == 0)
        pause();
}

static void make_process(const struct child *child)
{
    pid_t parent = getpid();
    if (fork() == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent)
        spin(child);
    pause();
}

/* It waits for its child process as if for a disk, until that executes a program. */
static void wait_as_for_disk(const struct child *child)
{
    pid_t pid = vfork();
    if (pid == 0) {
        char byte = 0;
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && write(child->reports, &byte, 1) == 1)
            pause();
        _exit(0);
    }
}

static struct child start(action *act)
{
    int orders[2], reports[2];
    char byte;
    assert_return_code(pipe(orders), 0);
    assert_return_code(pipe(reports), 0);
    struct child child = {fork(), orders[1], reports[0]};
    assert_return_code(child.pid, 0);
    if (child.pid == 0) {
        child = (struct child){getpid(), orders[0], reports[1]};
        close(orders[1]); /* the end of the test ends the child */
        if (read(child.orders, &byte, 1) == 1)
            act(&child);
        _exit(0);
    }
    close(orders[0]);
    close(reports[1]);
    return child;
}

static void order(const struct child *child)
{
    char byte = 0;
    assert_int_equal(write(child->orders, &byte, 1), 1);
}

static void order_and_wait(const struct child *child)
{
    char byte;
    order(child);
    assert_int_equal(read(child->reports, &byte, 1), 1);
}

static void end(const struct child *child)
{
    kill(child->pid, SIGKILL);
    waitpid(child->pid, NULL, 0);
    close(child->orders);
    close(child->reports);
}

static bool is_thread(const void *closure, long thread)
{
    return closure && *(const pid_t *)closure == thread;
}

static bool is_idle(struct tasks_cache *cache, const pid_t *waits)
{
    struct tasks tasks;
    return tasks_idle(cache, is_thread, waits, &tasks);
}

/* Waits until the children that have been started are blocked. */
static void settle(struct tasks_cache *cache)
{
    const struct timespec pause_ = {0, 1000000};
    while (!is_idle(cache, NULL))
        nanosleep(&pause_, NULL);
}

static unsigned idle_looks(struct tasks_cache *cache, const pid_t *waits)
{
    unsigned idle = 0;
    for (unsigned i = 0; i < LOOKS; i++)
        idle += is_idle(cache, waits);
    return idle;
}

static void test_threads_that_run_are_noticed(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *what;
        action *act;
    } rows[] = {
        {__LINE__, "a thread that slept", spin},
        {__LINE__, "a new thread", make_thread},
        {__LINE__, "a new process", make_process},
        {__LINE__, "a short wait", wait_as_for_disk},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tasks_cache *cache = tasks_cache_new();
        struct child child = start(rows[i].act), other = start(spin);
        settle(cache);
        unsigned before = idle_looks(cache, NULL);
        order_and_wait(&child);
        unsigned after = idle_looks(cache, NULL);
        ROW(rows[i].line, before == LOOKS, "%s: idle in %u looks before", rows[i].what, before);
        ROW(rows[i].line, !after, "%s: idle in %u looks", rows[i].what, after);
        end(&child);
        settle(cache);
        ROW(rows[i].line, idle_looks(cache, NULL) == LOOKS, "%s: idle without it", rows[i].what);
        end(&other);
        tasks_cache_free(cache);
    }
    ROWS_DONE();
}

static void test_a_thread_that_is_known_to_wait_is_left_out(void **state)
{
    (void)state;
    struct tasks_cache *cache = tasks_cache_new();
    struct child child = start(spin), other = start(spin);
    settle(cache);
    ROW(__LINE__, !tasks_runs(cache, child.pid), "it runs");
    ROW(__LINE__, !tasks_runs(cache, 1), "an unknown thread runs");
    order_and_wait(&child);
    ROW(__LINE__, tasks_runs(cache, child.pid), "it does not run");
    ROW(__LINE__, idle_looks(cache, &child.pid) == LOOKS, "not idle");
    ROW(__LINE__, !idle_looks(cache, &other.pid), "idle");
    ROW(__LINE__, !tasks_alone(cache, child.pid), "alone with another");
    end(&child);
    settle(cache);
    ROW(__LINE__, tasks_alone(cache, other.pid), "not alone");
    ROW(__LINE__, !tasks_alone(cache, child.pid), "alone after its end");
    end(&other);
    settle(cache);
    ROW(__LINE__, !tasks_alone(cache, other.pid), "alone after its end");
    tasks_cache_free(cache);
    ROWS_DONE();
}

/* A thread that has been woken, and has had no processor yet. */
static void test_a_thread_that_will_run_is_noticed(void **state)
{
    (void)state;
    struct tasks_cache *cache = tasks_cache_new();
    struct child child = start(spin);
    cpu_set_t before, one;
    struct sched_param none = {0};
    assert_return_code(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    assert_return_code(sched_setaffinity(0, sizeof one, &one), 0);
    assert_return_code(sched_setaffinity(child.pid, sizeof one, &one), 0);
    assert_return_code(sched_setscheduler(child.pid, SCHED_IDLE, &none), 0);
    settle(cache);
    settle(cache);
    order(&child);
    ROW(__LINE__, !idle_looks(cache, NULL), "idle");
    end(&child);
    sched_setaffinity(0, sizeof before, &before);
    tasks_cache_free(cache);
    ROWS_DONE();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_that_run_are_noticed),
        cmocka_unit_test(test_a_thread_that_is_known_to_wait_is_left_out),
        cmocka_unit_test(test_a_thread_that_will_run_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
