/* SPDX-License-Identifier: MIT */
/*
 *     client table              prints the subtests, one per line
 *     client run [NAME...]      runs these subtests, or all that apply to the device
 *     client continue NAME FD   runs the second part of a subtest that executes this program
 */
#include "client.h"

#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "continued.h"

#define SKIPPED   77
#define TRIES     3   /* of timed subtests with the wall clock */
#define TIMEOUT   120 /* of a subtest, in seconds */
#define FULL_TIME "TALLY_FULL_LENGTH"

static const struct subtests *const conformance[] = {
    &opening_group, &permissions_group, &reading_group,  &waiting_group,   &buffer_group,
    &configs_group, &power_group,       &commands_group, &rendering_group, &engines_group};
static const struct subtests *const device_groups[] = {
    &processes_group, &descriptors_group, &memory_group,      &files_group,  &names_group,
    &fdinfo_group,    &interface_group,   &events_group,      &fences_group, &drawing_group,
    &registers_group, &peer_group,        &tracepoints_group, &tracefs_group};

/* ---- functions for subtests ------------------------------------------------------------------ */

static char why[512]; /* message of the subtest's process */
static const char *running = "";

static void end(const char *word, int code)
{
    printf("%s %s: %s\n", word, running, why);
    fflush(stdout);
    _exit(code);
}

void fail_at(const char *file, int line, const char *condition, const char *format, ...)
{
    const char *slash = strrchr(file, '/');
    int used = snprintf(why, sizeof why, "%s:%d: %s%s", slash ? slash + 1 : file, line, condition,
                        *condition ? ": " : "");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why + used, sizeof why - (size_t)used, format, arguments);
    va_end(arguments);
    end("failed", EXIT_FAILURE);
    abort();
}

void skip(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    end("skipped", SKIPPED);
    abort();
}

bool at_full_length(void)
{
    const char *text = getenv(FULL_TIME);
    return text && *text && strcmp(text, "0") != 0;
}

bool clock_is_virtual(void)
{
    return getenv("TALLY_EMULATE_CLOCK") != NULL;
}

bool keeps_time(void)
{
    return at_full_length() || clock_is_virtual();
}

uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sleep_ns(uint64_t ns)
{
    struct timespec left = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        continue;
}

static int await(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

void in_child(struct device *device, bool as_user, void (*run)(struct device *device))
{
    pid_t child = fork();
    CHECK(child >= 0, "%s", strerror(errno));
    if (child == 0) {
        if (as_user) {
            CHECK(getuid() == 0 && geteuid() == 0, "this needs root");
            WORKS(setgroups(0, NULL));
            WORKS(setgid(2));
            WORKS(setuid(2));
            CHECK(getuid() == 2 && getgid() == 2 && geteuid() == 2 && getegid() == 2, "it is %d",
                  (int)getuid());
        }
        run(device);
        _exit(EXIT_SUCCESS);
    }
    int status = await(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS)
        return;
    if (WIFEXITED(status)) /* it has printed a message */
        _exit(WEXITSTATUS(status));
    FAIL("the child ended by signal %d", WTERMSIG(status));
}

/* ---- running --------------------------------------------------------------------------------- */

static int run_once(const struct subtest *row)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct device device;
        running = row->name;
        alarm(TIMEOUT);
        find_device(&device);
        device.by_engine = row->by_engine && device.revision >= 6;
        row->run(&device);
        _exit(EXIT_SUCCESS);
    }
    int status = await(child);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    printf("failed %s: it ended by signal %d\n", row->name, WTERMSIG(status));
    return EXIT_FAILURE;
}

static int run_row(const struct subtest *row, const struct device *device)
{
    uint64_t start = wall_ns();
    if (!(row->platforms & BIT(device->platform)))
        return SKIPPED;
    if ((unsigned)device->revision < row->revision) {
        printf("skipped %s: it needs revision %u\n", row->name, row->revision);
        return SKIPPED;
    }
    int code = run_once(row);
    bool may_retry = row->timed && !clock_is_virtual();
    for (unsigned tries = 1; code == EXIT_FAILURE && may_retry && tries < TRIES; tries++) {
        printf("again %s\n", row->name);
        code = run_once(row);
    }
    if (code == EXIT_SUCCESS)
        printf("passed %s: %.2f s\n", row->name, (double)(wall_ns() - start) / 1e9);
    return code == SKIPPED ? SKIPPED : code;
}

static bool is_wanted(const char *name, char *const *names)
{
    if (!*names)
        return true;
    for (; *names; names++)
        if (!strcmp(*names, name))
            return true;
    return false;
}

static bool run_groups(const struct subtests *const *groups, size_t count, char *const *names)
{
    struct device device;
    bool good = true;
    find_device(&device);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < groups[i]->count; j++)
            if (is_wanted(groups[i]->rows[j].name, names)) {
                int code = run_row(&groups[i]->rows[j], &device);
                good = good && (code == EXIT_SUCCESS || code == SKIPPED);
            }
    return good;
}

/* ---- the list -------------------------------------------------------------------------------- */

static void list_group(const char *title, const struct subtests *group)
{
    const char *slash = strrchr(group->file, '/');
    for (size_t i = 0; i < group->count; i++) {
        const struct subtest *row = &group->rows[i];
        printf("%s\t%s\t", title, row->name);
        for (unsigned p = 0; p < PLATFORMS; p++)
            if (row->platforms & BIT(p))
                printf("%s ", platform_name(p));
        printf("\t%u\t%s\t%s\t%s\n", row->revision, row->condition ? row->condition : "",
               row->checks, slash ? slash + 1 : group->file);
    }
}

static void list(void)
{
    for (size_t i = 0; i < COUNT(conformance); i++)
        list_group("conformance", conformance[i]);
    for (size_t i = 0; i < COUNT(device_groups); i++)
        list_group("device", device_groups[i]);
}

int main(int count, char *arguments[])
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count == 2 && !strcmp(arguments[1], "table")) {
        list();
        return EXIT_SUCCESS;
    }
    if (count == 4 && !strcmp(arguments[1], "continue")) {
        running = arguments[2];
        return continue_subtest(arguments[2], atoi(arguments[3]));
    }
    if (count == 3 && !strcmp(arguments[1], "draw")) {
        draw_batches((unsigned)atoi(arguments[2]));
        return EXIT_SUCCESS;
    }
    if (count == 3 && !strcmp(arguments[1], "hang")) {
        hang_engine((uint32_t)strtoul(arguments[2], NULL, 0) & 0x3fffff);
        return EXIT_SUCCESS;
    }
    if (count >= 2 && !strcmp(arguments[1], "run")) {
        bool good = run_groups(conformance, COUNT(conformance), arguments + 2);
        good = run_groups(device_groups, COUNT(device_groups), arguments + 2) && good;
        return good ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    fprintf(stderr, "usage: client table | run [NAME...] | draw BATCHES | hang NUMBER\n");
    return 2;
}
