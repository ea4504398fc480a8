/* SPDX-License-Identifier: MIT */
/* tracefs: what it records of the driver's tracepoints, as text and as pages, and its settings. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

#define TRACING "/sys/kernel/tracing"
#define CPU     "per_cpu/cpu0"
#define PAGE    4096
#define ADD     44 /* bytes of i915_request_add in the buffer */

/* ---- the log --------------------------------------------------------------------------------- */

static int open_in(const char *name, int flags)
{
    char path[128];
    snprintf(path, sizeof path, TRACING "/%s", name);
    int file = open(path, flags | O_CLOEXEC);
    CHECK(file >= 0, "%s: %s", path, strerror(errno));
    return file;
}

static int put_text(const char *name, const char *text)
{
    int file = open_in(name, O_WRONLY | O_TRUNC);
    int result = write(file, text, strlen(text)) < 0 ? -errno : 0;
    close(file);
    return result;
}

static void expect_text(const char *name, const char *wanted)
{
    char path[128], text[128];
    snprintf(path, sizeof path, TRACING "/%s", name);
    WORKS(read_text(path, text, sizeof text));
    CHECK(!strcmp(text, wanted), "%s: %s", name, text);
}

/* Counts the lines of the log of a tracepoint. */
static unsigned logged(const char *tracepoint)
{
    static char text[1u << 16];
    char name[32], event[64];
    int thread;
    unsigned found = 0, lines = 0;
    unsigned long entries, written, seconds, us;
    WORKS(read_text("/sys/kernel/debug/tracing/trace", text, sizeof text));
    CHECK(sscanf(text, "# tracer: nop\n#\n# entries-in-buffer/entries-written: %lu/%lu   #P:",
                 &entries, &written) == 2,
          "%.200s", text);
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (*line == '#')
            continue;
        lines++;
        CHECK(sscanf(line, " %31[^-]-%d [000] ..... %lu.%6lu: %63[^:]: dev=0, ", name, &thread,
                     &seconds, &us, event) == 5,
              "%.100s", line);
        CHECK(!thread == !strcmp(name, "<idle>"), "thread %d is %s", thread, name);
        found += !strcmp(event, tracepoint);
    }
    CHECK(lines == entries && entries <= written, "%u lines of %lu of %lu", lines, entries,
          written);
    return found;
}

static void trace_log(struct device *device)
{
    static const char *const wrong[][2] = {{"events/i915/enable", "2"},
                                           {"events/i915/i915_request_add/enable", "yes"},
                                           {"events/enable", ""},
                                           {"tracing_on", "on"},
                                           {"current_tracer", "function"},
                                           {"trace_clock", "sundial"},
                                           {"buffer_size_kb", "0"},
                                           {"buffer_size_kb", "1x"},
                                           {"events/i915/i915_request_add/filter", "sequence > 1"}};
    for (size_t i = 0; i < COUNT(wrong); i++)
        CHECK(put_text(wrong[i][0], wrong[i][1]) == -EINVAL, "%s takes \"%s\"", wrong[i][0],
              wrong[i][1]);
    CHECK(put_text("buffer_size_kb", "99999999999") == -ENOMEM, "a log of terabytes");
    expect_text("events/i915/enable", "0\n");
    CHECK(put_text("events/i915/i915_request_add/enable", "1\n") == 0, "it is not enabled");
    expect_text("events/i915/enable", "X\n");
    expect_text("events/i915/i915_request_add/enable", "1\n");
    run_batches(device, 0, 3);
    CHECK(logged("i915_request_add") == 3 && !logged("i915_request_queue"), "not 3 batches");
    CHECK(put_text("events/i915/i915_request_add/filter", "flags == 1") == -EINVAL,
          "an unknown field");
    CHECK(put_text("events/i915/i915_request_add/filter", " seqno == 0 \n") == 0, "a filter");
    expect_text("events/i915/i915_request_add/filter", "seqno == 0\n");
    CHECK(put_text("events/enable", "1") == 0, "they are not enabled");
    expect_text("events/enable", "1\n");
    run_batches(device, 0, 2);
    CHECK(logged("i915_request_add") == 3 && logged("i915_request_queue") == 2, "not filtered");
    CHECK(put_text("events/i915/i915_request_add/filter", "0") == 0, "no filter");
    expect_text("events/i915/i915_request_add/filter", "none\n");
    CHECK(put_text("tracing_on", "0") == 0, "it is not stopped");
    run_batches(device, 0, 1);
    CHECK(logged("i915_request_queue") == 2, "it records while it is stopped");
    CHECK(put_text("trace", "") == 0 && !logged("i915_request_queue"), "it is not cleared");
    CHECK(put_text("tracing_on", "1") == 0 && put_text("buffer_size_kb", "1") == 0, "the size");
    expect_text("buffer_size_kb", "1\n");
    run_batches(device, 0, 200);
    CHECK(logged("i915_request_queue") < 200 && logged("i915_request_retire"),
          "the oldest are kept");
    CHECK(put_text("trace_clock", "mono") == 0 && !logged("i915_request_queue"),
          "it is not cleared");
    expect_text("trace_clock",
                "local global counter uptime perf [mono] mono_raw boot tai x86-tsc\n");
    expect_text("current_tracer", "nop\n");
    CHECK(put_text("events/enable", "0") == 0 && put_text("buffer_size_kb", "1408") == 0,
          "the end");
    CHECK(put_text("trace_clock", "local") == 0, "the clock");
}

/* ---- settings -------------------------------------------------------------------------------- */

/* Writes without emptying the file before. */
static int append_text(const char *name, const char *text)
{
    int file = open_in(name, O_WRONLY);
    ssize_t done = write(file, text, strlen(text));
    int result = done < 0 ? -errno : (int)done;
    close(file);
    return result;
}

static void trace_settings(struct device *device)
{
    static const char *const wrong[][2] = {{"set_event", "i915:*request*"},
                                           {"set_event", "drm:*"},
                                           {"set_event", "sched"},
                                           {"set_event_pid", "-1"},
                                           {"set_event_pid", "init"},
                                           {"buffer_percent", "101"},
                                           {"options/overwrite", "2"},
                                           {"trace_options", "stack"},
                                           {"saved_cmdlines_size", "0"},
                                           {CPU "/buffer_size_kb", "0"},
                                           {"available_events", "i915"},
                                           {"trace_pipe", "1"},
                                           {CPU "/stats", "1"},
                                           {CPU "/trace_pipe_raw", "1"}};
    char text[16] = "";
    (void)device;
    for (size_t i = 0; i < COUNT(wrong); i++)
        CHECK(append_text(wrong[i][0], wrong[i][1]) == -EINVAL, "%s takes \"%s\"", wrong[i][0],
              wrong[i][1]);
    CHECK(append_text("set_event", "i915:i915_request_add\n") == 22, "set_event");
    /* One word of a write is taken. */
    CHECK(append_text("set_event", " i915_context_free i915") == 19, "set_event");
    expect_text("set_event", "i915:i915_context_free\ni915:i915_request_add\n");
    CHECK(append_text("set_event", "!i915:i915_request_add") == 22, "set_event");
    expect_text("set_event", "i915:i915_context_free\n");
    CHECK(append_text("set_event", "*:*") == 3, "set_event");
    expect_text("events/i915/enable", "1\n");
    CHECK(put_text("set_event", "") == 0, "set_event");
    expect_text("events/enable", "0\n");
    CHECK(append_text("set_event_pid", "7 3\n") == 4 && append_text("set_event_pid", "5") == 1,
          "set_event_pid");
    expect_text("set_event_pid", "3\n5\n7\n");
    CHECK(put_text("set_event_pid", "") == 0, "set_event_pid");
    expect_text("set_event_pid", "");
    CHECK(append_text(CPU "/buffer_size_kb", "16") == 2, "the size");
    expect_text("buffer_size_kb", access(TRACING "/per_cpu/cpu1", F_OK) ? "16\n" : "X\n");
    CHECK(append_text("buffer_size_kb", "1408") == 4, "the size");
    expect_text("buffer_size_kb", "1408\n");
    CHECK(append_text("trace_options", "nomarkers") == 9, "an option");
    expect_text("options/markers", "0\n");
    CHECK(append_text("trace_marker", "x") == -EINVAL, "a marker");
    CHECK(append_text("options/markers", "1") == 1, "an option");
    expect_text("trace_options", "overwrite\nmarkers\nrecord-cmd\n");
    /* A descriptor reads what it has written, from its position. */
    int file = open_in("tracing_on", O_RDWR);
    CHECK(write(file, "0", 1) == 1 && read(file, text, sizeof text) == 1 && *text == '\n', "%s",
          text);
    CHECK(append_text("trace_marker", "x") == -EBADF, "a marker while nothing is recorded");
    CHECK(read(file, text, sizeof text) == 0 && lseek(file, 0, SEEK_SET) == 0, "its position");
    CHECK(write(file, "1", 1) == 1 && lseek(file, 0, SEEK_SET) == 0, "its position");
    CHECK(read(file, text, sizeof text) == 2 && !memcmp(text, "1\n", 2), "%s", text);
    close(file);
}

/* ---- trace_pipe ------------------------------------------------------------------------------ */

static void enable(const char *what)
{
    CHECK(put_text("trace", "") == 0 && put_text("set_event", what) == 0, "set_event");
}

static bool is_readable(int file)
{
    struct pollfd entry = {.fd = file, .events = POLLIN};
    return poll(&entry, 1, 0) == 1 && entry.revents & POLLIN;
}

static void marks_later(struct device *device)
{
    (void)device;
    sleep_ns(2000000);
    CHECK(append_text("trace_marker", "later") == 5, "a marker");
}

static void on_signal(int number)
{
    (void)number;
}

static void trace_pipe(struct device *device)
{
    char text[4 * PAGE], name[32];
    int thread, pipe = open_in("trace_pipe", O_RDONLY | O_NONBLOCK);
    enable("i915:i915_request_add");
    FAILS(read(pipe, text, sizeof text), EAGAIN);
    CHECK(!is_readable(pipe), "it is readable");
    run_batches(device, 0, 2);
    CHECK(append_text("trace_marker", "here\n") == 5 && is_readable(pipe), "a marker");
    ssize_t got = WORKS(read(pipe, text, sizeof text - 1));
    text[got] = '\0';
    unsigned lines = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1, lines++)
        CHECK(sscanf(line, " %31[^-]-%d [000] ..... ", name, &thread) == 2 && thread == getpid() &&
                  strstr(line, lines < 2 ? ": i915_request_add: dev=0, " : "mark_write: here\n"),
              "%s", line);
    CHECK(lines == 3, "%u lines", lines);
    FAILS(read(pipe, text, sizeof text), EAGAIN);
    CHECK(!is_readable(pipe) && !logged("i915_request_add"), "it is not consumed");
    /* A line is read in parts. */
    run_batches(device, 0, 1);
    CHECK(read(pipe, text, 5) == 5 && read(pipe, text, sizeof text) > 5, "parts");
    FAILS(lseek(pipe, 0, SEEK_SET), ESPIPE);
    FAILS(write(pipe, "1", 1), EBADF);
    close(pipe);
    /* A blocking read waits; a signal ends it, and so does the end of recording. */
    pipe = open_in("trace_pipe", O_RDONLY);
    struct sigaction action = {.sa_handler = on_signal};
    struct itimerval time = {.it_value = {.tv_usec = 2000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &time, NULL);
    FAILS(read(pipe, text, sizeof text), EINTR);
    pid_t child = fork();
    if (child == 0) {
        marks_later(device);
        _exit(0);
    }
    got = WORKS(read(pipe, text, sizeof text - 1));
    text[got] = '\0';
    CHECK(strstr(text, "tracing_mark_write: later\n"), "%s", text);
    waitpid(child, NULL, 0);
    CHECK(put_text("tracing_on", "0") == 0 && read(pipe, text, sizeof text) == 0, "the end");
    CHECK(put_text("tracing_on", "1") == 0, "the end");
    /* Lost events are reported. */
    CHECK(put_text("buffer_size_kb", "8") == 0, "the size");
    run_batches(device, 0, 300);
    CHECK(read(pipe, text, sizeof text) > 0 && !strncmp(text, "CPU:0 [LOST ", 12), "%.30s", text);
    CHECK(put_text("buffer_size_kb", "1408") == 0, "the size");
    close(pipe);
}

/* ---- trace_pipe_raw -------------------------------------------------------------------------- */

static uint64_t number_at(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, from, bytes);
    return value;
}

struct raw {
    unsigned events, markers, threads; /* threads: records of this process */
    uint64_t first_ns, last_ns, missed;
    char text[2048]; /* of the latest marker */
};

/* Decodes a page, as events/header_page and header_event describe it. */
static void decode(const uint8_t *page, struct raw *raw)
{
    uint64_t ns = number_at(page, 8), commit = number_at(page + 8, 8);
    size_t end = 16 + (commit & 0xfffffff), at = 16;
    CHECK(end <= PAGE, "%zu bytes", end);
    if (commit & 1u << 31)
        raw->missed += commit & 1u << 30 ? number_at(page + end, 8) : 1;
    while (at < end) {
        uint32_t word = (uint32_t)number_at(page + at, 4);
        unsigned type = word & 31;
        ns += word >> 5;
        at += 4;
        if (type == 30) {
            ns += number_at(page + at, 4) << 27;
            at += 4;
            continue;
        }
        CHECK(type < 29, "type %u", type);
        size_t size = type ? 4u * type : number_at(page + at, 4) - 4;
        at += type ? 0 : 4;
        CHECK(at + size <= end && ns >= raw->last_ns, "%zu bytes", size);
        if (!raw->first_ns)
            raw->first_ns = ns;
        raw->last_ns = ns;
        raw->threads += number_at(page + at + 4, 4) == (uint64_t)getpid();
        if (number_at(page + at, 2) == 5) {
            raw->markers++;
            snprintf(raw->text, sizeof raw->text, "%s", (const char *)page + at + 16);
        } else {
            raw->events++;
        }
        at += size;
    }
    CHECK(at == end, "at %zu of %zu", at, end);
}

/* Reads all pages. */
static struct raw read_raw(int file)
{
    static uint8_t page[PAGE];
    struct raw raw = {0};
    ssize_t got;
    while ((got = read(file, page, sizeof page)) > 0) {
        CHECK(got == PAGE, "%zd bytes", got);
        decode(page, &raw);
    }
    CHECK(got < 0 && errno == EAGAIN, "%s", strerror(errno));
    return raw;
}

static uint64_t stat_of(const char *what)
{
    char text[512], path[64];
    WORKS(read_text(TRACING "/" CPU "/stats", text, sizeof text));
    snprintf(path, sizeof path, "%s: ", what);
    const char *at = strstr(text, path);
    CHECK(at, "%s in %s", what, text);
    return strtoull(at + strlen(path), NULL, 10);
}

static void trace_raw(struct device *device)
{
    char path[64], marker[1024];
    int file = open_in(CPU "/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
    enable("i915:i915_request_add");
    run_batches(device, 0, 3);
    CHECK(stat_of("entries") == 3 && stat_of("bytes") == 3 * ADD, "its size");
    uint64_t after = wall_ns();
    struct raw raw = read_raw(file);
    CHECK(raw.events == 3 && raw.threads == 3 && raw.last_ns <= after && !raw.missed, "%u events",
          raw.events);
    CHECK(stat_of("entries") == 0 && stat_of("read events") == 3 && !stat_of("bytes"), "the stats");
    /* The page continues. Long texts have their size in a word; times, their upper bits in one. */
    memset(marker, 'm', sizeof marker);
    marker[sizeof marker - 1] = '\0';
    CHECK(append_text("trace_marker", marker) == sizeof marker - 1, "a marker");
    sleep_ns(300000000);
    run_batches(device, 0, 1);
    raw = read_raw(file);
    marker[sizeof marker - 1] = '\n';
    CHECK(raw.events == 1 && raw.markers == 1 && strlen(raw.text) == sizeof marker &&
              !memcmp(raw.text, marker, sizeof marker) && raw.last_ns - raw.first_ns >= 300000000,
          "%u events, %u markers", raw.events, raw.markers);
    /* Those of other processors are empty. */
    snprintf(path, sizeof path, TRACING "/per_cpu/cpu1/trace_pipe_raw");
    if (access(path, F_OK) == 0) {
        int other = (int)WORKS(open(path, O_RDONLY | O_NONBLOCK));
        FAILS(read(other, marker, sizeof marker), EAGAIN);
        close(other);
    }
    /* Lost events are counted, and their number is in the first page that is read. */
    CHECK(put_text("buffer_size_kb", "8") == 0, "the size");
    run_batches(device, 0, 400);
    uint64_t overrun = stat_of("overrun"), entries = stat_of("entries");
    CHECK(overrun && overrun + entries == 400, "%llu of %llu", (unsigned long long)overrun,
          (unsigned long long)entries);
    raw = read_raw(file);
    CHECK(raw.events == entries && raw.missed == overrun, "%u events, %llu missed", raw.events,
          (unsigned long long)raw.missed);
    /* Without overwriting, new events are dropped. */
    CHECK(put_text("options/overwrite", "0") == 0 && put_text("trace", "") == 0, "the option");
    run_batches(device, 0, 400);
    entries = stat_of("entries");
    CHECK(!stat_of("overrun") && entries + stat_of("dropped events") == 400 && entries < 400,
          "%llu entries", (unsigned long long)entries);
    CHECK(put_text("options/overwrite", "1") == 0 && put_text("buffer_size_kb", "1408") == 0,
          "the end");
    close(file);
}

/* splice() moves full pages only. */
static void trace_splice(struct device *device)
{
    static uint8_t page[PAGE];
    struct raw raw = {0};
    int ends[2], file = open_in(CPU "/trace_pipe_raw", O_RDONLY);
    loff_t offset = 0;
    WORKS(pipe(ends));
    enable("i915:i915_request_add");
    CHECK(put_text("buffer_size_kb", "64") == 0, "the size");
    run_batches(device, 0, 50);
    FAILS(splice(file, NULL, ends[1], NULL, PAGE - 1, SPLICE_F_NONBLOCK), EINVAL);
    FAILS(splice(file, &offset, ends[1], NULL, PAGE, SPLICE_F_NONBLOCK), ESPIPE);
    FAILS(splice(file, NULL, ends[1], NULL, PAGE, SPLICE_F_NONBLOCK), EAGAIN);
    FAILS(splice(file, NULL, file, NULL, PAGE, SPLICE_F_NONBLOCK), EINVAL);
    run_batches(device, 0, 150);
    ssize_t got = WORKS(splice(file, NULL, ends[1], NULL, 2 * PAGE - 1, SPLICE_F_NONBLOCK));
    CHECK(got == PAGE, "%zd bytes", got);
    CHECK(read(ends[0], page, PAGE) == PAGE, "the page");
    decode(page, &raw);
    CHECK(raw.events == 4080 / ADD, "%u events", raw.events);
    CHECK(splice(file, NULL, ends[1], NULL, PAGE, SPLICE_F_NONBLOCK) == PAGE, "another page");
    FAILS(splice(file, NULL, ends[1], NULL, PAGE, SPLICE_F_NONBLOCK), EAGAIN);
    /* A blocking one continues when the half of the buffer is full; at the end it gives nothing. */
    CHECK(!is_readable(file), "it is readable");
    run_batches(device, 0, 1000);
    CHECK(is_readable(file), "it is not readable");
    got = WORKS(splice(file, NULL, ends[1], NULL, 64 * PAGE, 0));
    CHECK(got >= 8 * PAGE && got % PAGE == 0, "%zd bytes", got);
    CHECK(put_text("tracing_on", "0") == 0, "it is not stopped");
    CHECK(splice(file, NULL, ends[1], NULL, PAGE, 0) == 0, "%s", strerror(errno));
    CHECK(put_text("tracing_on", "1") == 0 && put_text("buffer_size_kb", "1408") == 0, "the end");
    CHECK(put_text("set_event", "") == 0, "the end");
    close(file);
    close(ends[0]);
    close(ends[1]);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void trace_threads(struct device *device)
{
    char text[64], list[4096], wanted[96];
    enable("i915:i915_request_add");
    snprintf(text, sizeof text, "%d", (int)getppid());
    CHECK(put_text("set_event_pid", text) == 0, "set_event_pid");
    run_batches(device, 0, 1);
    CHECK(!logged("i915_request_add"), "another thread's");
    snprintf(text, sizeof text, "%d", (int)getpid());
    CHECK(append_text("set_event_pid", text) > 0, "set_event_pid");
    run_batches(device, 0, 1);
    CHECK(logged("i915_request_add") == 1, "not recorded");
    WORKS(read_text("/proc/self/comm", text, sizeof text));
    WORKS(read_text(TRACING "/saved_cmdlines", list, sizeof list));
    snprintf(wanted, sizeof wanted, "%d %s", (int)getpid(), text);
    CHECK(strstr(list, wanted), "no %s in %s", wanted, list);
    CHECK(put_text("set_event_pid", "") == 0 && put_text("set_event", "") == 0, "the end");
}

static const struct subtest rows[] = {
    {"tracefs-log", ALL, 0, NULL,
     "tracefs records the tracepoints that are enabled there, with filters, until tracing_on is 0; "
     "its files refuse what the kernel's refuse",
     trace_log, false, false},
    {"tracefs-settings", ALL, 0, NULL,
     "set_event, set_event_pid, the sizes of processors and options are set word by word, and "
     "refuse "
     "what the kernel's refuse; a file that is open for both reads what was written",
     trace_settings, false, false},
    {"tracefs-pipe", ALL, 0, NULL,
     "trace_pipe consumes events, waits for them, until a signal or the end of recording, and "
     "reports "
     "lost ones",
     trace_pipe, false, false},
    {"tracefs-raw", ALL, 0, NULL,
     "the pages of trace_pipe_raw have the events in the kernel's layout, and the number of those "
     "lost before; `stats` counts them",
     trace_raw, false, false},
    {"tracefs-splice", ALL, 0, NULL,
     "splice moves full pages of trace_pipe_raw to a pipe, and waits until buffer_percent of the "
     "buffer is full",
     trace_splice, false, false},
    {"tracefs-threads", ALL, 0, NULL,
     "set_event_pid selects threads, and saved_cmdlines has their names", trace_threads, false,
     false},
};
GROUP(tracefs_group, rows);
