/* SPDX-License-Identifier: MIT */
#include "vm/qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"

#define ARGUMENTS_MAX 256
#define PATIENCE_MS   2000 /* until a monitor that does not answer is given up */

/* How a channel is connected: an option, and its argument. A character device has the name of its
 * channel; without a name the channel is an argument by itself, which ends with its descriptor. */
static const struct row {
    const char *name, *option, *argument;
} rows[QEMU_CHANNELS] = {
    [QEMU_LOG] = {"log", "-serial", "chardev:log"},
    [QEMU_MONITOR] = {"monitor", "-mon", "chardev=monitor,mode=control"},
    [QEMU_CONTROL] = {"control", "-device", "virtserialport,chardev=control,name=control"},
    [QEMU_IN] = {"in", "-device", "virtserialport,chardev=in,name=in"},
    [QEMU_OUT] = {"out", "-device", "virtserialport,chardev=out,name=out"},
    [QEMU_ERR] = {"err", "-device", "virtserialport,chardev=err,name=err"},
    [QEMU_CONSOLE] = {"console", "-device", "virtconsole,chardev=console"},
    [QEMU_GPU] = {NULL, "-device", "x-pci-proxy-dev,bus=pcie.0,addr=2.0,fd="},
    [QEMU_QTEST] = {"qtest", "-qtest", "chardev:qtest"},
    [QEMU_CLOCK] = {"clock", "-mon", "chardev=clock,mode=control"},
};

/* ---- arguments ------------------------------------------------------------------------------- */

struct command_line {
    char *words[ARGUMENTS_MAX + 1];
    size_t count;
    bool broken;
};

__attribute__((format(printf, 2, 3))) static void add(struct command_line *line, const char *format,
                                                      ...)
{
    va_list arguments;
    char *word = NULL;
    va_start(arguments, format);
    if (line->count == ARGUMENTS_MAX || vasprintf(&word, format, arguments) < 0)
        line->broken = true;
    else
        line->words[line->count++] = word;
    va_end(arguments);
}

/* Appends an option's value in which commas stand for themselves. */
static void add_shared(struct command_line *line, const char *directory)
{
    char text[8192];
    size_t used = 0;
    for (; *directory && used + 3 < sizeof text; directory++) {
        if (*directory == ',')
            text[used++] = ',';
        text[used++] = *directory;
    }
    text[used] = '\0';
    line->broken |= *directory != '\0';
    add(line, "-virtfs");
    add(line, "local,path=%s,mount_tag=host,security_model=none,multidevs=remap", text);
}

/* Appends the words of a text. */
static void add_words(struct command_line *line, const char *text)
{
    for (size_t size; *(text += strspn(text, " ")); text += size) {
        size = strcspn(text, " ");
        add(line, "%.*s", (int)size, text);
    }
}

static void fill(struct command_line *line, const struct qemu_settings *settings,
                 const int theirs[QEMU_CHANNELS])
{
    static const char *const fixed[] = {QEMU_PROGRAM, "-nodefaults", "-no-user-config", "-display",
                                        "none", "-no-reboot", "-accel", "tcg",
                                        /* Five levels of page tables only make TCG slower. */
                                        "-cpu", "max,la57=off", "-machine",
                                        "q35,memory-backend=ram", "-device",
                                        "virtio-serial-pci,max_ports=8,addr=4.0"};
    for (size_t i = 0; i < ARRAY_COUNT(fixed); i++)
        add(line, "%s", fixed[i]);
    add(line, "-object");
    add(line, "memory-backend-memfd,id=ram,size=%" PRIu64 "M,share=on", settings->memory_mib);
    add(line, "-m");
    add(line, "%" PRIu64 "M", settings->memory_mib);
    add(line, "-kernel");
    add(line, "/dev/fd/%d", settings->kernel);
    add(line, "-initrd");
    add(line, "/dev/fd/%d", settings->initrd);
    add(line, "-append");
    add(line, "%s", settings->append);
    add_shared(line, settings->directory);
    for (size_t i = 0; i < QEMU_CHANNELS; i++) {
        if (theirs[i] < 0)
            continue;
        if (rows[i].name) {
            add(line, "-chardev");
            add(line, "socket,id=%s,fd=%d", rows[i].name, theirs[i]);
        }
        add(line, "%s", rows[i].option);
        if (rows[i].name)
            add(line, "%s", rows[i].argument);
        else
            add(line, "%s%d", rows[i].argument, theirs[i]);
    }
    if (settings->more)
        add_words(line, settings->more);
}

static void free_line(struct command_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        free(line->words[i]);
}

/* ---- starting -------------------------------------------------------------------------------- */

static int open_channels(struct qemu *qemu, unsigned wanted, int theirs[QEMU_CHANNELS],
                         struct tally_error *error)
{
    for (size_t i = 0; i < QEMU_CHANNELS; i++) {
        int pair[2];
        if (!(wanted >> i & 1))
            continue;
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
            return fail(error, -errno, "a connection to " QEMU_PROGRAM ": %s", strerror(errno));
        qemu->channels[i] = pair[0];
        theirs[i] = pair[1];
        if (!(QEMU_GPU_CHANNELS >> i & 1)) /* the server waits where it has to */
            fcntl(pair[0], F_SETFL, O_NONBLOCK);
    }
    return 0;
}

static void keep(int fd)
{
    if (fd >= 0)
        fcntl(fd, F_SETFD, 0);
}

/* Preloads the library that slows the clock, before those that the caller may preload. Returns 0 or
 * a positive errno. */
static int slow_down(const struct qemu_settings *settings)
{
    char factor[16], *libraries;
    const char *others = getenv("LD_PRELOAD");
    snprintf(factor, sizeof factor, "%u", settings->slow);
    if (asprintf(&libraries, "%s%s%s", settings->clock, others ? ":" : "", others ? others : "") <
            0 ||
        setenv("TALLY_SLOW", factor, true) < 0 || setenv("LD_PRELOAD", libraries, true) < 0)
        return ENOMEM;
    return 0;
}

/* The child: becomes QEMU. */
static _Noreturn void execute(const struct qemu_settings *settings, const struct qemu *qemu,
                              const int theirs[QEMU_CHANNELS], char *const *words, pid_t parent,
                              int report)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(126);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(qemu->messages, STDOUT_FILENO);
    dup2(qemu->messages, STDERR_FILENO);
    keep(settings->kernel);
    keep(settings->initrd);
    for (size_t i = 0; i < QEMU_CHANNELS; i++)
        keep(theirs[i]);
    int code = settings->slow > 1 ? slow_down(settings) : 0;
    if (code == 0) {
        execvp(words[0], words);
        code = errno;
    }
    if (write(report, &code, sizeof code) < 0)
        _exit(126);
    _exit(127);
}

/* Starts the program. If that fails, errno comes through a pipe, which a successful exec closes. */
static int spawn(const struct qemu_settings *settings, struct qemu *qemu,
                 const int theirs[QEMU_CHANNELS], char *const *words, struct tally_error *error)
{
    int report[2], code = 0;
    pid_t parent = getpid();
    if (pipe2(report, O_CLOEXEC) < 0)
        return fail(error, -errno, "a pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0)
        execute(settings, qemu, theirs, words, parent, report[1]);
    int fork_code = errno;
    close(report[1]);
    bool failed = child > 0 && read(report[0], &code, sizeof code) == sizeof code;
    close(report[0]);
    if (child < 0)
        return fail(error, -fork_code, "a process: %s", strerror(fork_code));
    qemu->pid = child;
    if (failed && code == ENOENT)
        return fail(error, -ENOENT,
                    QEMU_PROGRAM " not found, expected the package qemu-system-x86 (make deps-vm)");
    return failed ? fail(error, -code, QEMU_PROGRAM ": %s", strerror(code)) : 0;
}

int qemu_start(const struct qemu_settings *settings, struct qemu *qemu, struct tally_error *error)
{
    struct command_line line = {.count = 0};
    int theirs[QEMU_CHANNELS];
    *qemu = (struct qemu){.pid = -1, .messages = memfd_create("qemu", MFD_CLOEXEC)};
    for (size_t i = 0; i < QEMU_CHANNELS; i++)
        qemu->channels[i] = theirs[i] = -1;
    int result = qemu->messages < 0 ? fail(error, -errno, "a file in memory: %s", strerror(errno))
                                    : open_channels(qemu, settings->channels, theirs, error);
    if (result == 0)
        fill(&line, settings, theirs);
    if (result == 0 && line.broken)
        result =
            fail(error, -E2BIG, "%s cannot be started: more than %d arguments, or one is too long",
                 QEMU_PROGRAM, ARGUMENTS_MAX);
    if (result == 0)
        result = spawn(settings, qemu, theirs, line.words, error);
    free_line(&line);
    for (size_t i = 0; i < QEMU_CHANNELS; i++)
        if (theirs[i] >= 0)
            close(theirs[i]);
    return result;
}

/* ---- ending ---------------------------------------------------------------------------------- */

bool qemu_has_ended(struct qemu *qemu)
{
    if (qemu->pid > 0 && waitpid(qemu->pid, NULL, WNOHANG) == qemu->pid)
        qemu->pid = -1;
    return qemu->pid < 0;
}

void qemu_first_message(const struct qemu *qemu, char *text, size_t size)
{
    static const char prefix[] = QEMU_PROGRAM ": ";
    char bytes[1024];
    ssize_t n = qemu->messages < 0 ? -1 : pread(qemu->messages, bytes, sizeof bytes - 1, 0);
    bytes[n > 0 ? n : 0] = '\0';
    bytes[strcspn(bytes, "\n")] = '\0';
    const char *from = strncmp(bytes, prefix, strlen(prefix)) ? bytes : bytes + strlen(prefix);
    snprintf(text, size, "%s", from);
}

/* Waits for the end of the machine for PATIENCE_MS. What the monitor and the log send is read, so
 * that QEMU does not wait for us. */
static bool wait_briefly(struct qemu *qemu)
{
    char discarded[512];
    for (int waited = 0; waited < PATIENCE_MS && !qemu_has_ended(qemu); waited += 10) {
        for (size_t i = 0; i < QEMU_CHANNELS; i++)
            while (!(QEMU_GPU_CHANNELS >> i & 1) && qemu->channels[i] >= 0 &&
                   read(qemu->channels[i], discarded, sizeof discarded) > 0)
                continue;
        poll(NULL, 0, 10);
    }
    return qemu_has_ended(qemu);
}

void qemu_end(struct qemu *qemu)
{
    static const char quit[] = "{\"execute\":\"qmp_capabilities\"}{\"execute\":\"quit\"}\n";
    int monitor = qemu->channels[QEMU_MONITOR];
    bool requested = monitor >= 0 && qemu->pid > 0 &&
                     send(monitor, quit, strlen(quit), MSG_NOSIGNAL) == (ssize_t)strlen(quit);
    if (qemu->pid > 0 && !(requested && wait_briefly(qemu))) {
        kill(qemu->pid, SIGKILL);
        while (waitpid(qemu->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        qemu->pid = -1;
    }
}

void qemu_close(struct qemu *qemu)
{
    for (size_t i = 0; i < QEMU_CHANNELS; i++)
        if (qemu->channels[i] >= 0)
            close(qemu->channels[i]);
    if (qemu->messages >= 0)
        close(qemu->messages);
    qemu->messages = -1;
}
