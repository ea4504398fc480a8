/* SPDX-License-Identifier: MIT */
/*
 * The GPU of a virtual machine: how long an MMIO access takes, from a client that sends and waits
 * as QEMU's thread of a processor does, and from a guest; and how long a guest takes to boot.
 *
 *     bench_vm TALLY
 *     bench_vm guest     in the guest: prints the median access in ns
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "vm/server.h"

#define ACCESSES       4000u
#define GUEST_ACCESSES 20000u
#define RUNS           9
#define BOOTS          3

#define BAR_READ     5
#define CONFIG_WRITE 2
#define REGISTERS    0xfd000000u
#define TIMESTAMP    0x2358u /* of the render engine */

/* ---- the other end of the socket ------------------------------------------------------------- */

struct access_header {
    int32_t command;
    uint32_t unused;
    uint64_t bytes;
};

struct bar_body {
    uint64_t address, value;
    uint32_t bytes;
    uint8_t memory, unused[3];
};

struct config_body {
    uint32_t address, value, bytes;
};

static bool receive_all(int fd, void *to, size_t bytes)
{
    return recv(fd, to, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

/* Sends a message and waits for the answer: its header, then its value. */
static bool request(int fd, int32_t command, void *body, size_t bytes)
{
    struct access_header header = {command, 0, bytes}, reply;
    struct iovec parts[] = {{&header, sizeof header}, {body, bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    uint64_t value;
    return sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)(sizeof header + bytes) &&
           receive_all(fd, &reply, sizeof reply) && receive_all(fd, &value, sizeof value);
}

static bool read_register(int fd, uint32_t offset)
{
    struct bar_body body = {.address = REGISTERS + offset, .bytes = 4, .memory = 1};
    return request(fd, BAR_READ, &body, sizeof body);
}

static bool write_config(int fd, uint32_t address, uint32_t value)
{
    struct config_body body = {address, value, 4};
    return request(fd, CONFIG_WRITE, &body, sizeof body);
}

/* Returns the median access in seconds; 0: the connection failed. */
static double median_access(int fd)
{
    static double seconds[ACCESSES];
    for (unsigned i = 0; i < ACCESSES; i++) {
        double start = bench_now();
        if (!read_register(fd, TIMESTAMP))
            return 0;
        seconds[i] = bench_now() - start;
    }
    return bench_median(seconds, ACCESSES);
}

/* ---- what answers ---------------------------------------------------------------------------- */

/* Answers at once, without a model: the floor. `flags`: of recv(). */
static void answer_all(int fd, int flags)
{
    uint8_t message[sizeof(struct access_header) + sizeof(struct bar_body)];
    struct {
        struct access_header header;
        uint64_t value;
    } reply = {{1, 0, 8}, 0};
    ssize_t got;
    while ((got = recv(fd, message, sizeof message, flags)) > 0 || (got < 0 && errno == EAGAIN))
        if (got > 0 && send(fd, &reply, sizeof reply, MSG_NOSIGNAL) < 0)
            break;
}

static void *echo(void *closure)
{
    answer_all(*(int *)closure, MSG_WAITALL);
    return NULL;
}

/* The same, without sleeping. */
static void *echo_polling(void *closure)
{
    answer_all(*(int *)closure, MSG_DONTWAIT);
    return NULL;
}

static void *serve(void *closure)
{
    struct vm_server_config config = {.gpu = "icl"};
    struct tally_error error;
    struct vm_server *server;
    if (vm_server_new(&config, &server, &error) < 0)
        return NULL;
    vm_server_run(server, &(struct vm_server_fds){*(int *)closure, -1, -1, -1}, &error);
    vm_server_free(server);
    return NULL;
}

static const struct answerer {
    const char *name;
    void *(*run)(void *closure);
    double goal_us; /* 0: none */
} answerers[] = {
    {"floor: a socket pair, both threads sleep", echo, 0},
    {"floor: the answering thread polls", echo_polling, 0},
    {"a register of the modelled GPU", serve, 40},
};
#define ANSWERERS (sizeof answerers / sizeof *answerers)

/* Measures one run. The GPU's memory space is enabled first; the others answer that as well. */
static double measure(const struct answerer *answerer)
{
    int pair[2];
    double seconds = 0;
    pthread_t thread;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        return 0;
    if (pthread_create(&thread, NULL, answerer->run, &pair[1]) == 0) {
        bool model = answerer->run == serve;
        if (!model || (write_config(pair[0], 0x10, REGISTERS) && write_config(pair[0], 0x14, 0) &&
                       write_config(pair[0], 4, 6)))
            seconds = median_access(pair[0]);
        shutdown(pair[0], SHUT_RDWR);
        pthread_join(thread, NULL);
    }
    close(pair[0]);
    close(pair[1]);
    return seconds;
}

static void bench_socket(void)
{
    double seconds[ANSWERERS][RUNS], floor = 0;
    for (unsigned run = 0; run < RUNS; run++)
        for (unsigned i = 0; i < ANSWERERS; i++)
            seconds[i][run] = measure(&answerers[i]);
    for (unsigned i = 0; i < ANSWERERS; i++) {
        double us = bench_median(seconds[i], RUNS) * 1e6;
        floor = i == 0 ? us : floor;
        printf("%-46s %7.1f us  %5.2f of the floor", answerers[i].name, us, us / floor);
        if (answerers[i].goal_us > 0)
            printf("   goal %.1f us %s", answerers[i].goal_us,
                   us > 0 && us < answerers[i].goal_us ? "met" : "MISSED");
        puts("");
    }
}

/* ---- the guest ------------------------------------------------------------------------------- */

static int be_guest(void)
{
    static double seconds[GUEST_ACCESSES];
    int fd = open("/sys/bus/pci/devices/0000:00:02.0/resource0", O_RDWR | O_SYNC);
    volatile uint32_t *bar =
        fd < 0 ? MAP_FAILED : mmap(NULL, 0x4000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (bar == MAP_FAILED) {
        perror("BAR 0");
        return 1;
    }
    for (unsigned i = 0; i < GUEST_ACCESSES; i++) {
        double start = bench_now();
        (void)bar[TIMESTAMP / 4];
        seconds[i] = bench_now() - start;
    }
    printf("%.0f\n", bench_median(seconds, GUEST_ACCESSES) * 1e9);
    return 0;
}

/* Runs a command of a shell. Returns its exit status; `line` gets its first line. */
static int run_shell(const char *command, char *line, size_t size)
{
    FILE *pipe = popen(command, "r");
    *line = '\0';
    if (!pipe)
        return -1;
    bool found = fgets(line, (int)size, pipe);
    while (fgetc(pipe) != EOF)
        ;
    int status = pclose(pipe);
    return found && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Whether a guest boots here. Otherwise prints why not. */
static bool can_boot(const char *tally)
{
    char command[8192], line[512];
    snprintf(command, sizeof command, "'%s' vm --gpu none -- true 2>&1; echo $?", tally);
    run_shell(command, line, sizeof line);
    if (!strcmp(line, "0\n"))
        return true;
    printf("a guest: not measured: %s", *line ? line : "no shell\n");
    return false;
}

static void bench_guest(const char *tally, const char *self)
{
    char command[8192], line[512];
    double seconds[BOOTS], accesses[BOOTS];
    if (!can_boot(tally))
        return;
    snprintf(command, sizeof command, "'%s' vm --gpu icl --add '%s' -- '%s' guest", tally, self,
             self);
    for (unsigned i = 0; i < BOOTS; i++) {
        int status = run_shell(command, line, sizeof line);
        accesses[i] = atof(line) * 1e-9;
        if (status) {
            puts("a guest with i915 on ICL: MISSED, it does not run");
            return;
        }
    }
    double us = bench_median(accesses, BOOTS) * 1e6;
    printf("%-46s %7.1f us                       goal 40.0 us %s\n", "a register, from the guest",
           us, us > 0 && us < 40 ? "met" : "MISSED");
    for (unsigned i = 0; i < BOOTS; i++) {
        double start = bench_now();
        snprintf(command, sizeof command, "'%s' vm --gpu icl -- echo started", tally);
        run_shell(command, line, sizeof line);
        seconds[i] = bench_now() - start;
    }
    double boot = bench_median(seconds, BOOTS);
    printf("%-46s %7.1f s                        goal 20.0 s %s\n",
           "i915 on ICL, from boot to shell", boot,
           boot < 20 && !strcmp(line, "started\n") ? "met" : "MISSED");
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "guest"))
        return be_guest();
    if (argc != 2) {
        fputs("usage: bench_vm TALLY\n", stderr);
        return 2;
    }
    puts("The GPU of a virtual machine, medians");
    bench_socket();
    fflush(stdout);
    bench_guest(argv[1], argv[0]);
    return 0;
}
