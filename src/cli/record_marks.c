/* SPDX-License-Identifier: MIT */
/* tally record: marks of the program, and --control. */
#include "cli/record_marks.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tally/capture.h>

#include "base/clock.h"
#include "base/minmax.h"

#define READ_BYTES    16384 /* whose marks fit into a record */
#define CONTROL_BYTES 1024  /* of a read of commands */
#define READS_MAX     4     /* between two steps of the recording */
#define PIPE_BYTES    (1 << 20)

/* Numbers of descriptors that every shell can name. */
#define FIRST_NUMBER 3
#define LAST_NUMBER  9
#define LAST_GIVEN   1023 /* of --mark-fd, unless ulimit -n is lower */

/* ---- lines ----------------------------------------------------------------------------------- */

static void note_error(struct record_inputs *inputs, int result, const struct tally_error *error)
{
    if (result < 0 && !inputs->result) {
        inputs->result = result;
        inputs->error = *error;
    }
}

static void put_mark(struct record_inputs *inputs, const struct mark_line *line, uint64_t since_ns)
{
    const struct tally_capture_info *info = tally_capture_info(inputs->capture);
    bool is_free = info->workload && info->clock == TALLY_CAPTURE_FREE;
    struct tally_error error = {0};
    struct tally_mark mark = {(enum tally_mark_kind)line->word, line->name, line->cpu_ns, 0};
    if (!line->cpu_ns && !is_free) {
        mark.cpu_ns = clock_ns(CLOCK_MONOTONIC);
        mark.uncertainty_ns = since_ns && mark.cpu_ns > since_ns ? mark.cpu_ns - since_ns : 0;
    }
    note_error(inputs, tally_capture_mark(inputs->capture, &mark, 1, &error), &error);
}

static void take_mark(void *closure, const struct mark_line *line)
{
    struct record_inputs *inputs = closure;
    put_mark(inputs, line, inputs->empty_ns);
}

static void drop_mark(void *closure, const struct mark_line *line)
{
    struct record_inputs *inputs = closure;
    (void)line;
    inputs->late++;
}

/* Answers a command, without waiting for a reader of the answers: the recording continues. */
static void answer(struct record_inputs *inputs, const char *text)
{
    struct pollfd ready = {.fd = inputs->acknowledge, .events = POLLOUT};
    if (inputs->acknowledge < 0)
        return;
    errno = EAGAIN;
    ssize_t put =
        poll(&ready, 1, 0) > 0 ? write(inputs->acknowledge, text, strlen(text)) : (ssize_t)-1;
    if (put < 0 && !inputs->acknowledge_failed) {
        warn("record: --control: cannot acknowledge: %s", strerror(errno));
        inputs->acknowledge_failed = true;
    }
}

static void obey(void *closure, const struct mark_line *line)
{
    struct record_inputs *inputs = closure;
    struct tally_error error = {0};
    int result = 0;
    switch (line->word) {
    case MARK_WORD_ENABLE:
        result = tally_capture_resume(inputs->capture, &error);
        break;
    case MARK_WORD_DISABLE:
        result = tally_capture_pause(inputs->capture, &error);
        break;
    case MARK_WORD_SNAPSHOT:
        if (!inputs->ring) {
            answer(inputs, "error: snapshot needs --ring\n");
            warn("record: --control: snapshot needs --ring");
            return;
        }
        result = tally_capture_dump(inputs->capture, &error);
        break;
    case MARK_WORD_STOP:
        inputs->stop = true;
        tally_capture_stop(inputs->capture);
        break;
    case MARK_WORD_PING:
        break;
    default:
        put_mark(inputs, line, inputs->control_empty_ns);
        break;
    }
    note_error(inputs, result, &error);
    answer(inputs, result < 0 ? "error: the device cannot be read\n" : "ack\n");
}

static void refuse(void *closure)
{
    answer(closure, "error: expected " CONTROL_EXPECTED "\n");
}

/* ---- opening --------------------------------------------------------------------------------- */

static int open_fifo(const char *path, int *out)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return usage_error("record: --control: %s: %s, expected a FIFO (see mkfifo(1))", path,
                           strerror(errno));
    if (!S_ISFIFO(status.st_mode))
        return usage_error("record: --control: %s is not a FIFO, expected one of mkfifo(1)", path);
    /* Opened for both, it waits for no other process and has no end. */
    *out = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (*out >= 0)
        return EXIT_DONE;
    warn("record: --control: %s: %s", path, strerror(errno));
    return EXIT_FAILED;
}

static bool parse_number(const char *text, int *out)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || number > INT_MAX)
        return false;
    *out = (int)number;
    return true;
}

/* Checks that a descriptor of this process is open for a direction. */
static int check_descriptor(const char *option, int fd, bool reads)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return usage_error("record: --%s: descriptor %d is not open", option, fd);
    if ((flags & O_ACCMODE) == (reads ? O_WRONLY : O_RDONLY))
        return usage_error("record: --%s: descriptor %d is not open for %s", option, fd,
                           reads ? "reading" : "writing");
    return EXIT_DONE;
}

/* Opens "fifo:CTL[,ACK]" or "fd:CTL[,ACK]". */
static int open_control(struct record_inputs *inputs, const char *text)
{
    bool fifos = !strncmp(text, "fifo:", 5);
    char names[2 * PATH_MAX], *comma;
    if (!fifos && strncmp(text, "fd:", 3) != 0)
        return usage_error("record: --control \"%s\", expected fifo:CTL[,ACK] or fd:CTL[,ACK]",
                           text);
    snprintf(names, sizeof names, "%s", text + (fifos ? 5 : 3));
    comma = strchr(names, ',');
    if (comma)
        *comma++ = '\0';
    if (!*names || (comma && !*comma))
        return usage_error("record: --control \"%s\", expected fifo:CTL[,ACK] or fd:CTL[,ACK]",
                           text);
    if (fifos) {
        int code = open_fifo(names, &inputs->control);
        if (code == EXIT_DONE && comma)
            code = open_fifo(comma, &inputs->acknowledge);
        inputs->control_owned = inputs->acknowledge_owned = true;
        return code;
    }
    if (!parse_number(names, &inputs->control) ||
        (comma && !parse_number(comma, &inputs->acknowledge)))
        return usage_error("record: --control \"%s\", expected numbers of descriptors", text);
    int code = check_descriptor("control", inputs->control, true);
    return code == EXIT_DONE && comma ? check_descriptor("control", inputs->acknowledge, false)
                                      : code;
}

static int open_marks(struct record_inputs *inputs, const struct arguments *arguments,
                      bool without_time)
{
    const char *text = arguments->values[OPTION_MARK_FD];
    struct stat status;
    if (!text)
        return EXIT_DONE;
    if (!parse_number(text, &inputs->number))
        return usage_error("record: --mark-fd \"%s\", expected the number of a descriptor", text);
    if (arguments->operand_count && without_time)
        return usage_error("record: --mark-fd with --clock free: the command has another clock, "
                           "expected --clock wall");
    if (arguments->operand_count) {
        long max = sysconf(_SC_OPEN_MAX) - 1; /* ulimit -n */
        max = max < 0 || max > LAST_GIVEN ? LAST_GIVEN : max;
        return inputs->number < FIRST_NUMBER || inputs->number > max
                   ? usage_error("record: --mark-fd \"%s\", expected 3 to %ld", text, max)
                   : EXIT_DONE;
    }
    inputs->marks = inputs->number;
    int code = check_descriptor("mark-fd", inputs->marks, true);
    inputs->is_file =
        code == EXIT_DONE && fstat(inputs->marks, &status) == 0 && S_ISREG(status.st_mode);
    return code;
}

int record_inputs_open(struct record_inputs *inputs, const struct arguments *arguments,
                       bool without_time)
{
    *inputs = (struct record_inputs){
        .wake = -1,
        .marks = -1,
        .for_command = -1,
        .number = -1,
        .control = -1,
        .acknowledge = -1,
        .quiet = arguments->values[OPTION_QUIET] != NULL,
        .ring = arguments->values[OPTION_RING] != NULL,
        .mark_lines = {.take = take_mark, .closure = inputs},
        .control_lines = {.control = true, .take = obey, .refuse = refuse, .closure = inputs},
    };
    if (without_time && arguments->operand_count)
        inputs->number = -2; /* the command gets no descriptor */
    int code = open_marks(inputs, arguments, without_time);
    const char *control = arguments->values[OPTION_CONTROL];
    return code == EXIT_DONE && control ? open_control(inputs, control) : code;
}

void record_inputs_close(struct record_inputs *inputs)
{
    mark_lines_end(&inputs->mark_lines);
    mark_lines_end(&inputs->control_lines);
    if (inputs->control_owned && inputs->control >= 0)
        close(inputs->control);
    if (inputs->acknowledge_owned && inputs->acknowledge >= 0)
        close(inputs->acknowledge);
    inputs->control = inputs->acknowledge = -1;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Returns a number that the command does not use yet, for its end of the pipe. */
static int free_number(void)
{
    for (int fd = FIRST_NUMBER; fd <= LAST_NUMBER; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags < 0 || flags & FD_CLOEXEC)
            return fd;
    }
    return fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, LAST_NUMBER + 1); /* stays open, as a place */
}

static int watch(int epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0 && errno != EPERM ? -errno
                                                                                        : 0;
}

int record_inputs_begin(struct record_inputs *inputs, bool has_command)
{
    int ends[2], result = 0;
    inputs->wake = epoll_create1(EPOLL_CLOEXEC);
    if (inputs->wake < 0)
        result = -errno;
    if (!result && has_command && inputs->number != -2) {
        if (pipe2(ends, O_CLOEXEC) < 0) {
            result = -errno;
        } else {
            inputs->marks = ends[0];
            inputs->for_command = ends[1];
            inputs->owned = true;
            fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES); /* a smaller pipe works, too */
            if (inputs->number < 0)
                inputs->number = free_number();
        }
    }
    if (!result)
        result = watch(inputs->wake, inputs->marks);
    if (!result)
        result = watch(inputs->wake, inputs->control);
    inputs->empty_ns = inputs->control_empty_ns = clock_ns(CLOCK_MONOTONIC);
    if (!result)
        return EXIT_DONE;
    warn("record: cannot watch for marks: %s", strerror(-result));
    return EXIT_FAILED;
}

int record_inputs_watch(struct record_inputs *inputs, int signals)
{
    return watch(inputs->wake, signals);
}

static void close_marks(struct record_inputs *inputs)
{
    mark_lines_end(&inputs->mark_lines);
    if (inputs->marks >= 0 && inputs->wake >= 0)
        epoll_ctl(inputs->wake, EPOLL_CTL_DEL, inputs->marks, NULL);
    if (inputs->marks >= 0 && inputs->owned)
        close(inputs->marks);
    inputs->marks = -1;
}

void record_inputs_end(struct record_inputs *inputs)
{
    if (inputs->owned)
        close_marks(inputs);
    if (inputs->for_command >= 0)
        close(inputs->for_command);
    if (inputs->wake >= 0)
        close(inputs->wake);
    inputs->for_command = inputs->wake = -1;
    inputs->owned = false;
}

void record_inputs_in_child(const struct record_inputs *inputs)
{
    struct stat status;
    char text[64];
    unsetenv(MARK_FD_VARIABLE);
    unsetenv(MARK_ID_VARIABLE);
    if (inputs->for_command < 0 || fstat(inputs->for_command, &status) < 0)
        return;
    if (inputs->for_command == inputs->number)
        fcntl(inputs->number, F_SETFD, 0);
    else if (dup2(inputs->for_command, inputs->number) < 0)
        return;
    snprintf(text, sizeof text, "%d", inputs->number);
    setenv(MARK_FD_VARIABLE, text, 1);
    snprintf(text, sizeof text, "%llu:%llu", (unsigned long long)status.st_dev,
             (unsigned long long)status.st_ino);
    setenv(MARK_ID_VARIABLE, text, 1);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads once without waiting. Returns the bytes; 0: the end; -EAGAIN: nothing. */
static ssize_t read_now(int fd, char *bytes, size_t size)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    ssize_t got;
    if (poll(&ready, 1, 0) <= 0)
        return -EAGAIN;
    do
        got = read(fd, bytes, size);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

/* Reads what is there, `size` bytes at a time. Returns false if the other end has been closed, or
 * reading fails. */
static bool read_lines(int fd, size_t size, struct mark_lines *lines, uint64_t *empty_ns)
{
    char bytes[READ_BYTES];
    for (int i = 0; i < READS_MAX; i++) {
        uint64_t now = clock_ns(CLOCK_MONOTONIC);
        ssize_t got = read_now(fd, bytes, size);
        if (got == -EAGAIN) {
            *empty_ns = now;
            return true;
        }
        if (got <= 0)
            return false;
        mark_lines_take(lines, bytes, (size_t)got);
        if (got < (ssize_t)size)
            *empty_ns = now;
    }
    return true;
}

static void read_marks(struct record_inputs *inputs)
{
    if (inputs->marks >= 0 &&
        !read_lines(inputs->marks, READ_BYTES, &inputs->mark_lines, &inputs->empty_ns))
        close_marks(inputs);
}

void record_inputs_read(struct record_inputs *inputs)
{
    read_marks(inputs);
    if (inputs->control >= 0 && !read_lines(inputs->control, CONTROL_BYTES, &inputs->control_lines,
                                            &inputs->control_empty_ns)) {
        epoll_ctl(inputs->wake, EPOLL_CTL_DEL, inputs->control, NULL); /* fd:, closed elsewhere */
        mark_lines_end(&inputs->control_lines);
        inputs->control = -1;
    }
}

void record_inputs_drop(struct record_inputs *inputs)
{
    inputs->mark_lines.take = drop_mark;
    read_marks(inputs);
    inputs->mark_lines.take = take_mark;
}

void record_inputs_warn(const struct record_inputs *inputs)
{
    static const char *const what[] = {"of the marks", "of --control"};
    const struct mark_lines *lines[] = {&inputs->mark_lines, &inputs->control_lines};
    for (int i = 0; i < 2; i++)
        if (lines[i]->wrong && !inputs->quiet)
            warn("record: %" PRIu64 " line%s %s %s not understood, the first \"%s\", expected %s",
                 lines[i]->wrong, lines[i]->wrong == 1 ? "" : "s", what[i],
                 lines[i]->wrong == 1 ? "was" : "were", lines[i]->first,
                 i ? CONTROL_EXPECTED : MARKS_EXPECTED);
    if (inputs->late && !inputs->quiet)
        warn("record: %" PRIu64 " mark%s came after the end of the recording", inputs->late,
             inputs->late == 1 ? "" : "s");
}
