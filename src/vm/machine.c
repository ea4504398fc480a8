/* SPDX-License-Identifier: MIT */
/* Preparing and starting a machine, and its event loop. */
#include "vm/machine.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/installed.h"
#include "vm/guest/initramfs.h"
#include "vm/guest/kernel.h"
#include "vm/guest/kernel_config.h"
#include "vm/guest/memory_file.h"
#include "vm/lines.h"
#include "vm/pump.h"
#include "vm/qemu.h"
#include "vm/terminal.h"

#define SILENCE_NS  (180 * NS_PER_SECOND) /* of a kernel that boots, after which it is given up */
#define PATIENCE_NS (10 * NS_PER_SECOND)  /* for a command to end after a signal */

#define CLOCK_LIBRARY "libtally-slow.so"

/* QEMU sends the kernel's messages byte by byte. They are read this often at most; the socket holds
 * what arrives meanwhile. */
#define LOG_PAUSE_MS 2

/* The kernel's command line. A panic ends the machine. Under TCG, mitigations and KASLR only cost
 * time. */
#define APPEND                                                                                     \
    "console=ttyS0 loglevel=7 panic=-1 mitigations=off nokaslr tsc=reliable no_timer_check "       \
    "random.trust_cpu=on 8250.nr_uarts=1"

/* With a GPU: how long an access takes depends on the host, so a driver that makes many of them has
 * not locked up. */
#define APPEND_GPU " nosoftlockup rcupdate.rcu_cpu_stall_suppress=1 "

enum phase { BOOTING, RUNNING, ENDING, ENDED };

/* The thread that serves the GPU. */
struct gpu_thread {
    pthread_t thread;
    bool runs;
    int ended; /* an eventfd, readable when the server has returned */
    int result;
    struct tally_error error;
};

struct machine {
    const struct machine_settings *settings;
    struct machine_outcome *outcome;
    struct qemu qemu;
    struct terminal terminal;
    bool has_terminal;
    struct gpu_thread gpu;
    struct pump in, out, err;
    int signals;
    enum phase phase;
    int signal; /* the first that arrived, or 0 */
    uint64_t start_ns;
    uint64_t heard_ns;    /* when the kernel last printed something */
    uint64_t deadline_ns; /* of the command after a signal; 0: none */
    struct vm_line line;
};

/* ---- the control port ------------------------------------------------------------------------ */

static void send_control(struct machine *machine, const char *text)
{
    /* The guest reads its few lines at once; if it does not, a second signal ends it. */
    send(machine->qemu.channels[QEMU_CONTROL], text, strlen(text), MSG_NOSIGNAL);
}

static void take_line(struct machine *machine, const char *line)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    if (!strcmp(line, "ready") && machine->phase == BOOTING) {
        machine->phase = RUNNING;
        machine->outcome->boot_ns = now - machine->start_ns;
    }
    if (!strncmp(line, "exit ", 5) && machine->phase < ENDING) {
        machine->phase = ENDING;
        machine->outcome->status = atoi(line + 5) & 0xff;
    }
}

static void read_control(struct machine *machine)
{
    char bytes[64];
    int *fd = &machine->qemu.channels[QEMU_CONTROL];
    ssize_t n = read(*fd, bytes, sizeof bytes);
    if (n == 0) {
        close(*fd);
        *fd = -1;
    }
    for (ssize_t i = 0; i < n; i++)
        if (vm_line_add(&machine->line, bytes[i]))
            take_line(machine, machine->line.text);
}

static void send_size(struct machine *machine)
{
    char text[64];
    unsigned rows, columns;
    terminal_size(&rows, &columns);
    snprintf(text, sizeof text, "resize %u %u\n", rows, columns);
    if (machine->has_terminal)
        send_control(machine, text);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void read_log(struct machine *machine)
{
    char bytes[4096];
    int *fd = &machine->qemu.channels[QEMU_LOG];
    for (ssize_t n; *fd >= 0 && (n = read(*fd, bytes, sizeof bytes)) >= 0;) {
        if (n == 0) {
            close(*fd);
            *fd = -1;
            return;
        }
        kernel_log_add(&machine->outcome->log, bytes, (size_t)n);
        machine->heard_ns = clock_ns(CLOCK_MONOTONIC);
    }
}

/* Passes a signal to the command, or ends the machine. */
static void take_signal(struct machine *machine, int number)
{
    static const struct {
        int number;
        const char *text;
    } rows[] = {{SIGINT, "signal INT\n"},
                {SIGTERM, "signal TERM\n"},
                {SIGHUP, "signal HUP\n"},
                {SIGQUIT, "signal QUIT\n"}};
    if (machine->phase != RUNNING || machine->signal) {
        machine->outcome->status = 128 + number;
        machine->phase = ENDED;
        return;
    }
    machine->signal = number;
    machine->deadline_ns = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i].number == number)
            send_control(machine, rows[i].text);
}

static void take_signals(struct machine *machine)
{
    struct signalfd_siginfo info;
    while (read(machine->signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGWINCH)
            send_size(machine);
        else if (info.ssi_signo != SIGCHLD)
            take_signal(machine, (int)info.ssi_signo);
    }
}

/* Ends the input: the guest reads the end of the file. */
static void end_input(struct machine *machine)
{
    if (machine->in.to >= 0)
        shutdown(machine->in.to, SHUT_WR);
    machine->in.to = -1;
}

static void check_input(struct machine *machine)
{
    if (machine->has_terminal && machine->in.size &&
        terminal_wants_end(&machine->terminal, machine->in.bytes, machine->in.size,
                           clock_ns(CLOCK_MONOTONIC))) {
        machine->outcome->status = 128 + SIGTERM;
        machine->phase = ENDED;
    }
}

/* Ends the machine if its output has no reader, or if it takes too long. */
static int check_ends(struct machine *machine, struct tally_error *error)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC), timeout = machine->settings->timeout_ns;
    if (machine->out.error || machine->err.error) {
        int code = machine->out.error ? machine->out.error : machine->err.error;
        machine->phase = ENDED;
        machine->outcome->status = 128 + SIGPIPE;
        return code == EPIPE ? 0 : fail(error, -code, "cannot write: %s", strerror(code));
    }
    if (timeout && now - machine->start_ns > timeout) {
        machine->phase = ENDED;
        machine->outcome->status = MACHINE_TIMED_OUT;
    } else if (machine->deadline_ns && now > machine->deadline_ns) {
        machine->phase = ENDED;
        machine->outcome->status = 128 + machine->signal;
    } else if (machine->phase == BOOTING && now - machine->heard_ns > SILENCE_NS &&
               !machine->settings->qemu) {
        struct log_line last = kernel_log_end(&machine->outcome->log);
        return fail(error, -ETIMEDOUT, "the guest does not boot; its last message is \"%.*s\"",
                    (int)(last.size < 150 ? last.size : 150), last.at);
    }
    return 0;
}

/* The machine has ended by itself, before the command: reports why. */
static int report_end(struct machine *machine, struct tally_error *error)
{
    char message[200];
    qemu_first_message(&machine->qemu, message, sizeof message);
    read_log(machine);
    struct log_line last = kernel_log_end(&machine->outcome->log);
    if (*message)
        return fail(error, -EIO, QEMU_PROGRAM ": %s", message);
    return fail(error, -EIO, "the guest ended before the command; its last message is \"%.*s\"",
                (int)(last.size < 150 ? last.size : 150), last.at);
}

/* ---- the GPU --------------------------------------------------------------------------------- */

static void *serve_gpu(void *closure)
{
    struct machine *machine = closure;
    struct gpu_thread *gpu = &machine->gpu;
    const int *channels = machine->qemu.channels;
    const struct vm_server_fds fds = {channels[QEMU_GPU], channels[QEMU_QTEST],
                                      channels[QEMU_CLOCK], -1};
    gpu->result = vm_server_run(machine->settings->gpu, &fds, &gpu->error);
    eventfd_write(gpu->ended, 1);
    return NULL;
}

/* Starts the thread of the GPU, which ends with QEMU. Signals are for this thread. */
static int start_gpu(struct machine *machine, struct tally_error *error)
{
    struct gpu_thread *gpu = &machine->gpu;
    if (!machine->settings->gpu)
        return 0;
    gpu->ended = eventfd(0, EFD_CLOEXEC);
    if (gpu->ended < 0)
        return fail(error, -errno, "eventfd: %s", strerror(errno));
    int code = pthread_create(&gpu->thread, NULL, serve_gpu, machine);
    gpu->runs = !code;
    return code ? fail(error, -code, "a thread: %s", strerror(code)) : 0;
}

static void join_gpu(struct machine *machine)
{
    if (machine->gpu.runs)
        pthread_join(machine->gpu.thread, NULL);
    if (machine->gpu.ended >= 0)
        close(machine->gpu.ended);
}

/* The server has ended before QEMU, which cannot go on without it. If it was closed, QEMU is
 * ending. */
static int report_gpu(struct machine *machine, struct tally_error *error)
{
    uint64_t count;
    if (read(machine->gpu.ended, &count, sizeof count) < 0 || machine->gpu.result == 0)
        return 0;
    *error = machine->gpu.error;
    return machine->gpu.result;
}

/* ---- the loop -------------------------------------------------------------------------------- */

enum { ON_SIGNALS, ON_LOG, ON_CONTROL, ON_GPU, ON_IN, ON_OUT, ON_ERR, ON_COUNT };

/* Waits for an event. While it is ending, only until what the command wrote is passed on. */
static int wait_events(struct machine *machine, struct pollfd polled[ON_COUNT])
{
    static const struct pollfd none = {.fd = -1};
    bool running = machine->phase == RUNNING;
    bool pauses = clock_ns(CLOCK_MONOTONIC) - machine->heard_ns < LOG_PAUSE_MS * UINT64_C(1000000);
    polled[ON_SIGNALS] = (struct pollfd){.fd = machine->signals, .events = POLLIN};
    polled[ON_LOG] = pauses ? none : (struct pollfd){machine->qemu.channels[QEMU_LOG], POLLIN, 0};
    polled[ON_CONTROL] = (struct pollfd){machine->qemu.channels[QEMU_CONTROL], POLLIN, 0};
    polled[ON_GPU] = (struct pollfd){machine->gpu.ended, POLLIN, 0};
    polled[ON_IN] = running ? pump_poll(&machine->in) : none;
    polled[ON_OUT] = pump_poll(&machine->out);
    polled[ON_ERR] = pump_poll(&machine->err);
    bool waits =
        machine->phase != ENDING || pump_is_full(&machine->out) || pump_is_full(&machine->err);
    return poll(polled, ON_COUNT, !waits ? 0 : pauses ? LOG_PAUSE_MS : 200);
}

static void handle_events(struct machine *machine, const struct pollfd polled[ON_COUNT])
{
    if (polled[ON_SIGNALS].revents)
        take_signals(machine);
    if (polled[ON_LOG].revents)
        read_log(machine);
    if (polled[ON_CONTROL].revents)
        read_control(machine);
    if (polled[ON_IN].revents) {
        pump_move(&machine->in);
        check_input(machine);
    }
    if (polled[ON_OUT].revents)
        pump_move(&machine->out);
    if (polled[ON_ERR].revents)
        pump_move(&machine->err);
    if (machine->in.ended && !pump_is_full(&machine->in))
        end_input(machine);
}

static int loop(struct machine *machine, struct tally_error *error)
{
    int result = 0;
    while (result == 0 && machine->phase != ENDED) {
        struct pollfd polled[ON_COUNT];
        bool gone = qemu_has_ended(&machine->qemu);
        int events = wait_events(machine, polled);
        if (events > 0)
            handle_events(machine, polled);
        if (events > 0 && polled[ON_GPU].revents && !gone)
            result = report_gpu(machine, error);
        if (machine->phase == ENDING && events == 0)
            machine->phase = ENDED;
        else if (gone && events == 0 && machine->phase < ENDING)
            return report_end(machine, error);
        if (machine->phase != ENDED)
            result = check_ends(machine, error);
    }
    return result;
}

/* ---- starting -------------------------------------------------------------------------------- */

static int block_signals(struct machine *machine, sigset_t *before, struct tally_error *error)
{
    static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGWINCH};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_COUNT(handled); i++)
        sigaddset(&set, handled[i]);
    sigprocmask(SIG_BLOCK, &set, before);
    machine->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return machine->signals < 0 ? fail(error, -errno, "signalfd: %s", strerror(errno)) : 0;
}

/* Connects the streams of the command to those of this process. */
static void connect_streams(struct machine *machine)
{
    const int *channels = machine->qemu.channels;
    bool console = machine->has_terminal;
    pump_open(&machine->in, STDIN_FILENO, channels[console ? QEMU_CONSOLE : QEMU_IN]);
    pump_open(&machine->out, channels[console ? QEMU_CONSOLE : QEMU_OUT], STDOUT_FILENO);
    pump_open(&machine->err, console ? -1 : channels[QEMU_ERR], STDERR_FILENO);
}

/* Returns the driver that is loaded, or NULL. */
static const struct vm_driver *driver_of(const struct machine_settings *settings)
{
    return settings->gpu && !settings->no_driver ? vm_server_driver(settings->gpu) : NULL;
}

/* Makes the files that QEMU loads: descriptors of files in memory. */
static int make_files(struct machine *machine, const char *directory, int *image, int *initrd,
                      struct tally_error *error)
{
    const struct machine_settings *settings = machine->settings;
    const struct vm_driver *driver = driver_of(settings);
    const char *const drivers[] = {driver ? driver->module : NULL};
    struct kernel kernel;
    struct buffer root = {0};
    char remark[1000];
    struct initramfs_settings guest = {
        .modules = kernel.modules,
        .files = settings->files,
        .file_count = settings->file_count,
        .command = settings->command,
        .drivers = drivers,
        .driver_count = driver ? ARRAY_COUNT(drivers) : 0,
        .driver_row = driver ? vm_server_driver_row(settings->gpu) : NULL,
        .directory = directory,
        .console = machine->has_terminal,
    };
    terminal_size(&guest.rows, &guest.columns);
    int result = kernel_find(settings->kernel, settings->modules, &kernel, error);
    if (result == 0 && kernel.why.code)
        settings->note(kernel.why.message);
    if (result == 0 && kernel_config_lacks(&kernel, drivers[0], remark, sizeof remark))
        settings->note(remark);
    if (result == 0)
        result = initramfs_make(&guest, &root, error);
    if (result == 0)
        result = *image = memory_file("kernel", kernel.image.bytes, kernel.image.size, error);
    if (result >= 0)
        result = *initrd = memory_file("initrd", root.bytes, root.size, error);
    kernel_fini(&kernel);
    buffer_fini(&root);
    return result < 0 ? result : 0;
}

static int start(struct machine *machine, struct tally_error *error)
{
    const struct machine_settings *settings = machine->settings;
    int image = -1, initrd = -1;
    char append[4096], directory[PATH_MAX], clock[PATH_MAX];
    unsigned streams = machine->has_terminal ? 1u << QEMU_CONSOLE
                                             : 1u << QEMU_IN | 1u << QEMU_OUT | 1u << QEMU_ERR;
    if (!getcwd(directory, sizeof directory))
        return fail(error, -errno, "the working directory: %s", strerror(errno));
    int result =
        settings->slow > 1 ? installed_library(CLOCK_LIBRARY, clock, sizeof clock, error) : 0;
    if (result < 0)
        return result;
    const struct vm_driver *driver = driver_of(settings);
    result = make_files(machine, directory, &image, &initrd, error);
    int size = snprintf(append, sizeof append, APPEND "%s%s %s", settings->gpu ? APPEND_GPU : "",
                        driver ? driver->parameters : "", settings->append ? settings->append : "");
    if (result == 0 && (size < 0 || (size_t)size >= sizeof append))
        result = fail(error, -EINVAL, "the kernel's command line is longer than %zu bytes",
                      sizeof append - 1);
    machine->start_ns = machine->heard_ns = clock_ns(CLOCK_MONOTONIC);
    if (result == 0)
        result = qemu_start(
            &(struct qemu_settings){
                .kernel = image,
                .initrd = initrd,
                .append = append,
                .more = settings->qemu,
                .directory = directory,
                .memory_mib = settings->memory_mib,
                .slow = settings->slow,
                .clock = clock,
                .channels = 1u << QEMU_LOG | 1u << QEMU_MONITOR | 1u << QEMU_CONTROL | streams |
                            (settings->gpu ? QEMU_GPU_CHANNELS : 0),
            },
            &machine->qemu, error);
    if (image >= 0)
        close(image);
    if (initrd >= 0)
        close(initrd);
    return result;
}

static void init(struct machine *machine)
{
    machine->signals = machine->gpu.ended = -1;
    machine->qemu = (struct qemu){.pid = -1, .messages = -1};
    for (size_t i = 0; i < QEMU_CHANNELS; i++)
        machine->qemu.channels[i] = -1;
    machine->has_terminal = terminal_is_there();
}

int machine_run(const struct machine_settings *settings, struct machine_outcome *outcome,
                struct tally_error *error)
{
    struct machine machine = {.settings = settings, .outcome = outcome};
    sigset_t before;
    *outcome = (struct machine_outcome){0};
    init(&machine);
    int result = kernel_log_open(&outcome->log, settings->log, error);
    if (result < 0)
        return result;
    result = block_signals(&machine, &before, error);
    if (result == 0)
        result = start(&machine, error);
    if (result == 0)
        result = start_gpu(&machine, error);
    if (result == 0) {
        connect_streams(&machine);
        if (machine.has_terminal)
            terminal_make_raw(&machine.terminal);
        result = loop(&machine, error);
        read_log(&machine);
    }
    terminal_restore(&machine.terminal);
    qemu_end(&machine.qemu);
    join_gpu(&machine);
    qemu_close(&machine.qemu);
    if (machine.signals >= 0)
        close(machine.signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return result;
}
