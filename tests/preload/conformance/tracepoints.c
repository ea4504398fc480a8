/* SPDX-License-Identifier: MIT */
/* The driver's tracepoints: their files in tracefs, counts, and samples in mapped buffers. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

#define TRACING "/sys/kernel/tracing"
#define EVENTS  TRACING "/events/i915"

/* As in Linux 6.1 without CONFIG_DRM_I915_LOW_LEVEL_TRACEPOINTS. */
static const struct {
    const char *name, *fields, *print;
} tracepoints[] = {
#define CONTEXT                                                                                    \
    "u32 dev 8 4,struct i915_gem_context * ctx 16 8,struct i915_address_space * vm 24 8,",         \
        "\"dev=%u, ctx=%p, ctx_vm=%p\", REC->dev, REC->ctx, REC->vm"
#define REQUEST(type, name, format)                                                                \
    "u32 dev 8 4,u64 ctx 16 8,u16 class 24 2,u16 instance 26 2,u32 seqno 28 4," type " " name      \
    " 32 4,",                                                                                      \
        "\"dev=%u, engine=%u:%u, ctx=%llu, seqno=%u, " name "=" format "\", REC->dev, "            \
        "REC->class, REC->instance, REC->ctx, REC->seqno, REC->" name
    {"i915_context_create", CONTEXT},
    {"i915_context_free", CONTEXT},
    {"i915_request_queue", REQUEST("u32", "flags", "0x%x")},
    {"i915_request_add", REQUEST("u32", "tail", "%u")},
    {"i915_request_retire", REQUEST("u32", "tail", "%u")},
    {"i915_request_wait_begin", REQUEST("unsigned int", "flags", "0x%x")},
    {"i915_request_wait_end", REQUEST("u32", "tail", "%u")},
};
enum { CREATE, FREE, QUEUE, ADD, RETIRE, WAIT_BEGIN, WAIT_END };

static uint32_t id_of(unsigned tracepoint)
{
    char path[128];
    snprintf(path, sizeof path, EVENTS "/%s/id", tracepoints[tracepoint].name);
    return (uint32_t)read_number(path);
}

/* ---- files ----------------------------------------------------------------------------------- */

#define COMMON                                                                                     \
    "unsigned short common_type 0 2,unsigned char common_flags 2 1,"                               \
    "unsigned char common_preempt_count 3 1,int common_pid 4 4,"

/* Collects "type name offset size," of all fields. */
static void read_format(const char *text, char *fields, char *print)
{
    *fields = *print = '\0';
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        char what[96];
        unsigned offset, size, is_signed;
        if (*line == '\t' && sscanf(line, "\tfield:%95[^;];\toffset:%u;\tsize:%u;\tsigned:%u;",
                                    what, &offset, &size, &is_signed) == 4) {
            sprintf(fields + strlen(fields), "%s %u %u,", what, offset, size);
            CHECK(is_signed == !strcmp(what, "int common_pid"), "%s", line);
        } else if (!strncmp(line, "print fmt: ", 11)) {
            sscanf(line + 11, "%511[^\n]", print);
        }
    }
}

static void check_tracepoint(unsigned index)
{
    char path[128], text[2048], fields[1024], print[512], wanted[1024];
    snprintf(path, sizeof path, EVENTS "/%s/format", tracepoints[index].name);
    WORKS(read_text(path, text, sizeof text));
    unsigned id = 0;
    snprintf(wanted, sizeof wanted, "name: %s\nID: %%u\nformat:\n", tracepoints[index].name);
    CHECK(sscanf(text, wanted, &id) == 1 && id == id_of(index), "%s: id %u", text, id);
    read_format(text, fields, print);
    snprintf(wanted, sizeof wanted, COMMON "%s", tracepoints[index].fields);
    CHECK(!strcmp(fields, wanted), "%s: %s", tracepoints[index].name, fields);
    CHECK(!strcmp(print, tracepoints[index].print), "%s: %s", tracepoints[index].name, print);
}

static void no_files(struct device *device)
{
    (void)device;
    FAILS(open(EVENTS "/i915_request_add/id", O_RDONLY), EACCES);
    FAILS(open("/sys/kernel/debug/tracing/available_events", O_RDONLY), EACCES);
    FAILS(open(TRACING, O_RDONLY | O_DIRECTORY), EACCES);
    CHECK(!opendir(TRACING) && errno == EACCES, "%s", strerror(errno));
}

static void trace_files(struct device *device)
{
    char list[1024], wanted[1024] = "";
    struct statfs system;
    struct stat about;
    WORKS(statfs(TRACING, &system));
    CHECK(system.f_type == TRACEFS_MAGIC, "file system %lx", (long)system.f_type);
    WORKS(stat(TRACING, &about));
    CHECK((about.st_mode & 07777) == 0700, "mode 0%o", (unsigned)about.st_mode);
    unsigned seen = 0;
    DIR *directory = opendir("/sys/kernel/debug/tracing/events/i915");
    CHECK(directory, "%s", strerror(errno));
    for (struct dirent *entry; (entry = readdir(directory));)
        seen += !strncmp(entry->d_name, "i915_", 5);
    closedir(directory);
    CHECK(seen == COUNT(tracepoints), "%u tracepoints", seen);
    for (unsigned i = 0; i < COUNT(tracepoints); i++) {
        check_tracepoint(i);
        sprintf(wanted + strlen(wanted), "i915:%s\n", tracepoints[i].name);
        for (unsigned other = 0; other < i; other++)
            CHECK(id_of(other) != id_of(i), "id %u twice", id_of(i));
    }
    WORKS(read_text("/sys/kernel/debug/tracing/available_events", list, sizeof list));
    CHECK(!strcmp(list, wanted), "%s", list);
    in_child(device, true, no_files);
}

/* ---- counts ---------------------------------------------------------------------------------- */

#define ALL_TASKS (-1)

static int open_as(unsigned tracepoint, struct perf_event_attr attr, pid_t task, int cpu, int group)
{
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.size = sizeof attr;
    attr.config = id_of(tracepoint);
    return (int)syscall(SYS_perf_event_open, &attr, task, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

static int count(unsigned tracepoint)
{
    return (int)WORKS(open_as(tracepoint, (struct perf_event_attr){0}, ALL_TASKS, 0, -1));
}

static uint64_t value_of(int event)
{
    uint64_t value[2] = {0};
    CHECK(read(event, value, sizeof value) == 8, "%s", strerror(errno));
    return value[0];
}

#define EXPECT(event, wanted)                                                                      \
    do {                                                                                           \
        uint64_t expect_value = value_of(event);                                                   \
        CHECK(expect_value == (wanted), "%llu", (unsigned long long)expect_value);                 \
    } while (0)

void run_batches(const struct device *device, uint32_t context, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        static struct batch batch;
        batch_begin(&batch, device);
        batch_run(&batch, context, I915_EXEC_RENDER, true);
    }
}

static void child_runs(struct device *device)
{
    device->fd = open_card(); /* the parent's contexts are not its own */
    run_batches(device, 0, 3);
}

static void counts(struct device *device)
{
    const struct perf_event_attr inherits = {.inherit = true}, nothing = {0};
    int queue = count(QUEUE), add = count(ADD), retire = count(RETIRE), create = count(CREATE),
        ends = count(FREE);
    int own = (int)WORKS(open_as(ADD, nothing, 0, -1, -1));
    int family = (int)WORKS(open_as(ADD, inherits, 0, -1, -1));
    int elsewhere = (int)WORKS(open_as(ADD, nothing, getppid(), 0, -1));
    uint32_t context = new_context(device);
    EXPECT(create, 1);
    run_batches(device, context, 5);
    EXPECT(queue, 5);
    EXPECT(add, 5);
    EXPECT(retire, 5);
    EXPECT(own, 5);
    EXPECT(ends, 0);
    free_context(device, context);
    sleep_ns(1000000);
    EXPECT(ends, 1);
    in_child(device, false, child_runs);
    EXPECT(create, 2);
    EXPECT(add, 8);
    EXPECT(own, 5);
    EXPECT(family, 8);
    EXPECT(elsewhere, 0);
    WORKS(ioctl(add, PERF_EVENT_IOC_DISABLE, 0));
    run_batches(device, 0, 1);
    EXPECT(add, 8);
    WORKS(ioctl(add, PERF_EVENT_IOC_ENABLE, 0));
    run_batches(device, 0, 1);
    EXPECT(add, 9);
    WORKS(ioctl(add, PERF_EVENT_IOC_RESET, 0));
    EXPECT(add, 0);
    EXPECT(queue, 10);
}

static void count_groups(struct device *device)
{
    const struct perf_event_attr attr = {.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID};
    uint64_t group[5];
    int leader = (int)WORKS(open_as(QUEUE, attr, ALL_TASKS, 0, -1));
    int member = (int)WORKS(open_as(WAIT_END, attr, ALL_TASKS, 0, leader));
    FAILS(open_as(ADD, attr, ALL_TASKS, -1, leader), EINVAL);
    FAILS(open_as(ADD, attr, 0, 0, leader), EINVAL);
    FAILS(open_as(ADD, attr, ALL_TASKS, 0, member), EINVAL);
    int gpu = open_gpu_event(I915_PMU_INTERRUPTS);
    FAILS(open_as(ADD, attr, ALL_TASKS, 0, gpu), EINVAL);
    run_batches(device, 0, 2);
    CHECK(read(leader, group, sizeof group) == sizeof group, "%s", strerror(errno));
    CHECK(group[0] == 2 && group[1] == 2 && group[3] <= 2 && group[2] != group[4],
          "%llu events, %llu and %llu", (unsigned long long)group[0], (unsigned long long)group[1],
          (unsigned long long)group[3]);
}

/* Counts from the execution of a program on. */
static void executions(struct device *device)
{
    const struct perf_event_attr attr = {.disabled = true, .enable_on_exec = true};
    int go[2], status;
    char byte;
    WORKS(pipe(go));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        run_batches(device, 0, 2);
        if (read(go[0], &byte, 1) != 1)
            _exit(EXIT_FAILURE);
        child_runs(device);
        execl("/proc/self/exe", "client", "draw", "1", (char *)NULL);
        _exit(EXIT_FAILURE);
    }
    int event = (int)WORKS(open_as(QUEUE, attr, child, -1, -1));
    WORKS(write(go[1], "", 1));
    CHECK(waitpid(child, &status, 0) == child && status == 0, "status 0x%x", (unsigned)status);
    EXPECT(event, 1);
}

/* ---- samples --------------------------------------------------------------------------------- */

#define PAGE 4096u

struct buffer {
    struct perf_event_mmap_page *page;
    const uint8_t *data;
};

struct sample { /* of SAMPLE */
    struct perf_event_header header;
    uint64_t identifier;
    uint32_t process, thread;
    uint64_t time;
    uint32_t cpu, unused;
    uint64_t period;
    uint32_t raw_bytes;
    uint8_t raw[60];
};
#define SAMPLE                                                                                     \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |               \
     PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)

static int sampled(unsigned tracepoint, uint32_t wakeup_events)
{
    const struct perf_event_attr attr = {.sample_period = 1,
                                         .sample_type = SAMPLE,
                                         .sample_id_all = true,
                                         .wakeup_events = wakeup_events};
    return (int)WORKS(open_as(tracepoint, attr, ALL_TASKS, 0, -1));
}

static struct buffer map(int event, unsigned pages)
{
    struct perf_event_mmap_page *page =
        mmap(NULL, (pages + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    CHECK(page != MAP_FAILED, "%s", strerror(errno));
    CHECK(page->data_offset == PAGE && page->data_size == pages * PAGE && !page->data_head,
          "%llu bytes at %llu", (unsigned long long)page->data_size,
          (unsigned long long)page->data_offset);
    return (struct buffer){page, (const uint8_t *)page + PAGE};
}

/* Takes the next record. Returns its type; 0: none. */
static uint32_t next(struct buffer *buffer, struct sample *out)
{
    uint64_t head = __atomic_load_n(&buffer->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = buffer->page->data_tail, size = buffer->page->data_size;
    if (head == tail)
        return 0;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < sizeof out->header; i++)
        ((uint8_t *)out)[i] = buffer->data[(tail + i) % size];
    CHECK(out->header.size >= 8 && out->header.size % 8 == 0 && out->header.size <= sizeof *out &&
              out->header.size <= head - tail,
          "a record of %u bytes", out->header.size);
    for (size_t i = 0; i < out->header.size; i++)
        ((uint8_t *)out)[i] = buffer->data[(tail + i) % size];
    __atomic_store_n(&buffer->page->data_tail, tail + out->header.size, __ATOMIC_RELEASE);
    return out->header.type;
}

static uint64_t number(const struct sample *sample, unsigned offset, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, sample->raw + offset, bytes);
    return value;
}

/* Offsets as in the formats. */
#define CTX(sample)      number(sample, 16, 8)
#define CLASS(sample)    number(sample, 24, 2)
#define INSTANCE(sample) number(sample, 26, 2)
#define SEQNO(sample)    number(sample, 28, 4)
#define LAST(sample)     number(sample, 32, 4)

/* The samples of some batches: each is queued, added, waited for, and retired, with the same
 * numbers, by the thread. */
static void samples(struct device *device)
{
    enum { BATCHES = 4 };
    int events[WAIT_END + 1];
    uint64_t ids[WAIT_END + 1];
    struct sample s;
    struct buffer buffer = {0};
    uint32_t context = new_context(device);
    for (unsigned i = QUEUE; i <= WAIT_END; i++) {
        events[i] = sampled(i, 1);
        WORKS(ioctl(events[i], PERF_EVENT_IOC_ID, &ids[i]));
        if (i == QUEUE)
            buffer = map(events[i], 8);
        else
            WORKS(ioctl(events[i], PERF_EVENT_IOC_SET_OUTPUT, events[QUEUE]));
    }
    struct surface from = new_surface(device, 1920, 1080), to = new_surface(device, 1920, 1080);
    uint64_t ctx = 0, seqno = 0, time = wall_ns();
    for (unsigned i = 0; i < BATCHES; i++) { /* which take longer than a call */
        copy_surface(device, context, &from, &to, false);
        set_domain(device, &to.object);
    }
    sleep_ns(1000000);
    unsigned seen[WAIT_END + 1] = {0};
    uint64_t current = 0;
    for (uint32_t type; (type = next(&buffer, &s));) {
        unsigned which = QUEUE;
        while (which <= WAIT_END && ids[which] != s.identifier)
            which++;
        CHECK(type == PERF_RECORD_SAMPLE && which <= WAIT_END, "a record of type %u", type);
        CHECK(s.raw_bytes == 44 && number(&s, 0, 2) == id_of(which), "%u bytes of %llu",
              s.raw_bytes, (unsigned long long)number(&s, 0, 2));
        CHECK(s.time >= time && s.time <= wall_ns() && !s.cpu && s.period == 1, "time %llu",
              (unsigned long long)s.time);
        CHECK(number(&s, 4, 4) == s.thread, "a record of %llu",
              (unsigned long long)number(&s, 4, 4));
        CHECK(which == RETIRE || s.thread == (uint32_t)getpid(), "thread %u", s.thread);
        time = s.time;
        ctx = ctx ? ctx : CTX(&s);
        CHECK(CTX(&s) == ctx && ctx && !CLASS(&s) && !INSTANCE(&s) && !number(&s, 8, 4),
              "engine %llu:%llu of %llu", (unsigned long long)CLASS(&s),
              (unsigned long long)INSTANCE(&s), (unsigned long long)CTX(&s));
        seen[which]++;
        if (which == QUEUE) {
            CHECK(SEQNO(&s) > seqno && !LAST(&s), "%llu after %llu", (unsigned long long)SEQNO(&s),
                  (unsigned long long)seqno);
            current = seqno = SEQNO(&s);
        }
        if (which == WAIT_BEGIN)
            CHECK(LAST(&s) == 7, "flags %llx", (unsigned long long)LAST(&s));
        CHECK(SEQNO(&s) == current, "%s of %llu, expected %llu", tracepoints[which].name,
              (unsigned long long)SEQNO(&s), (unsigned long long)current);
    }
    CHECK(seen[QUEUE] == BATCHES && seen[ADD] == BATCHES && seen[RETIRE] == BATCHES,
          "%u queued, %u added, %u retired", seen[QUEUE], seen[ADD], seen[RETIRE]);
    CHECK(clock_is_virtual() ? seen[WAIT_BEGIN] == BATCHES : seen[WAIT_BEGIN] <= BATCHES,
          "%u waits", seen[WAIT_BEGIN]);
    CHECK(seen[WAIT_END] == seen[WAIT_BEGIN], "%u ends", seen[WAIT_END]);
    close(events[QUEUE]); /* the buffer stays */
    run_batches(device, context, 1);
    CHECK(next(&buffer, &s) == PERF_RECORD_SAMPLE && s.identifier == ids[ADD], "no record");
}

static void interrupt(int number)
{
    (void)number;
}

/* A wait of a call has one begin and one end, however long it takes; if a signal interrupts it,
 * also those of the call that is made again. */
static void waits(struct device *device)
{
    enum { COPIES = 200 };
    struct itimerval soon = {.it_value = {.tv_usec = 1000}};
    struct sigaction action = {.sa_handler = interrupt};
    struct surface from = new_surface(device, 1920, 1080), to = new_surface(device, 1920, 1080);
    int begin = count(WAIT_BEGIN), end = count(WAIT_END);
    WORKS(sigaction(SIGALRM, &action, NULL));
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned n = 0; n < COPIES; n++)
            copy_surface(device, 0, &from, &to, false);
        uint64_t before = value_of(end);
        if (i)
            WORKS(setitimer(ITIMER_REAL, &soon, NULL));
        set_domain(device, &to.object);
        EXPECT(begin, value_of(end));
        CHECK(!clock_is_virtual() || value_of(end) - before == 1 + i, "%llu waits",
              (unsigned long long)(value_of(end) - before));
    }
}

static void context_samples(struct device *device)
{
    struct sample s, end;
    int create = sampled(CREATE, 0), ends = sampled(FREE, 0);
    struct buffer created = map(create, 1), freed = map(ends, 1);
    uint32_t context = new_context(device), other = new_context(device);
    CHECK(next(&created, &s) == PERF_RECORD_SAMPLE && s.raw_bytes == 36, "%u bytes", s.raw_bytes);
    uint64_t first = CTX(&s);
    CHECK(!number(&s, 24, 8) == (device->platform == HSW), "vm %llx",
          (unsigned long long)number(&s, 24, 8));
    CHECK(next(&created, &s) == PERF_RECORD_SAMPLE && CTX(&s) != first, "the same context");
    free_context(device, context);
    sleep_ns(1000000);
    CHECK(next(&freed, &end) == PERF_RECORD_SAMPLE && CTX(&end) == first, "another context");
    CHECK(!next(&freed, &end) && !next(&created, &s), "more records");
    free_context(device, other);
}

/* ---- wakeups --------------------------------------------------------------------------------- */

static bool is_ready(int event)
{
    struct pollfd entry = {.fd = event, .events = POLLIN};
    return poll(&entry, 1, 0) == 1 && entry.revents == POLLIN;
}

static void wakeups(struct device *device)
{
    const struct perf_event_attr by_bytes = {
        .sample_period = 1, .sample_type = SAMPLE, .watermark = true, .wakeup_watermark = 400};
    int third = sampled(QUEUE, 3), full = (int)WORKS(open_as(QUEUE, by_bytes, ALL_TASKS, 0, -1));
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 1234567890123u};
    map(third, 4);
    map(full, 4);
    run_batches(device, 0, 2);
    CHECK(!is_ready(third), "woken by 2 samples");
    run_batches(device, 0, 1);
    CHECK(is_ready(third) && !is_ready(third), "not woken once by 3 samples");
    CHECK(!is_ready(full), "woken by 300 bytes"); /* a sample has 96 */
    run_batches(device, 0, 2);
    CHECK(is_ready(full) && !is_ready(full), "not woken once by 400 bytes");
    int set = (int)WORKS(epoll_create1(0));
    WORKS(epoll_ctl(set, EPOLL_CTL_ADD, third, &event));
    CHECK(epoll_wait(set, &event, 1, 0) == 0, "woken by 5 samples");
    run_batches(device, 0, 1);
    CHECK(epoll_wait(set, &event, 1, 1000) == 1 && event.data.u64 == 1234567890123u, "not woken");
    CHECK(epoll_wait(set, &event, 1, 0) == 0, "woken twice");
    fd_set readable;
    run_batches(device, 0, 3);
    FD_ZERO(&readable);
    FD_SET(third, &readable);
    struct timeval now = {0, 0};
    CHECK(select(third + 1, &readable, NULL, NULL, &now) == 1 && !is_ready(third),
          "not woken once");
}

/* A full buffer keeps what it has, and the next record tells how many are missing. */
static void losses(struct device *device)
{
    const struct perf_event_attr attr = {.sample_period = 1,
                                         .sample_type = SAMPLE,
                                         .sample_id_all = true,
                                         .read_format = 1u << 4 /* PERF_FORMAT_LOST */};
    enum { FITS = PAGE / 96, RUNS = FITS + 10 };
    struct sample s;
    uint64_t value[2];
    int event = (int)WORKS(open_as(QUEUE, attr, ALL_TASKS, 0, -1));
    struct buffer buffer = map(event, 1);
    run_batches(device, 0, RUNS);
    CHECK(read(event, value, sizeof value) == 16 && value[0] == RUNS && value[1] == RUNS - FITS,
          "%llu, %llu lost", (unsigned long long)value[0], (unsigned long long)value[1]);
    for (unsigned i = 0; i < FITS; i++)
        CHECK(next(&buffer, &s) == PERF_RECORD_SAMPLE, "sample %u", i);
    CHECK(!next(&buffer, &s), "more samples");
    run_batches(device, 0, 1);
    CHECK(next(&buffer, &s) == PERF_RECORD_LOST, "type %u", s.header.type);
    memcpy(value, &s.identifier, sizeof value);
    CHECK(value[1] == RUNS - FITS, "%llu lost", (unsigned long long)value[1]);
    CHECK(next(&buffer, &s) == PERF_RECORD_SAMPLE, "no sample");
    buffer.page->data_tail = 12345678; /* nonsense */
    run_batches(device, 0, 1);
    EXPECT(count(QUEUE), 0);
    struct perf_event_mmap_page *again = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, event, 0);
    CHECK(again != MAP_FAILED && again->data_head == buffer.page->data_head, "another buffer");
    CHECK(mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, event, 0) == MAP_FAILED && errno == EINVAL,
          "a buffer of another size");
}

/* ---- filters --------------------------------------------------------------------------------- */

static void filters(struct device *device)
{
    static const char *const wrong[] = {"",
                                        "seqno",
                                        "seqno =",
                                        "seqno = 1",
                                        "seqno == x",
                                        "seqno == 1 &&",
                                        "sequence>1",
                                        "(seqno>1",
                                        "seqno>1)",
                                        "seqno == -1",
                                        "seqno == 1 2",
                                        "0",
                                        "seqno ~ 1",
                                        "seqno == 99999999999999999999",
                                        "seqno == 1 & flags == 0",
                                        "!",
                                        "seqno == \"1\""};
    int event = count(QUEUE), none = count(QUEUE), mine = count(QUEUE), gpu;
    char thread[64], text[5000];
    for (size_t i = 0; i < COUNT(wrong); i++) {
        errno = 0;
        CHECK(ioctl(event, PERF_EVENT_IOC_SET_FILTER, wrong[i]) == -1 && errno == EINVAL,
              "\"%s\": %s", wrong[i], strerror(errno));
    }
    memset(text, ' ', sizeof text);
    strcpy(text + sizeof text - 12, "seqno > 0");
    FAILS(ioctl(event, PERF_EVENT_IOC_SET_FILTER, text), EINVAL);
    FAILS(ioctl(event, PERF_EVENT_IOC_SET_FILTER, NULL), EFAULT);
    gpu = open_gpu_event(I915_PMU_INTERRUPTS);
    FAILS(ioctl(gpu, PERF_EVENT_IOC_SET_FILTER, "seqno > 0"), EINVAL);
    snprintf(thread, sizeof thread, "common_pid == %d && cpu == 0", (int)getpid());
    WORKS(ioctl(event, PERF_EVENT_IOC_SET_FILTER,
                " ( seqno>=0x1&&class<=0 ) && !(flags & 0xff) && common_type != 1"));
    WORKS(ioctl(none, PERF_EVENT_IOC_SET_FILTER, "class == 1 || common_pid < 0 && seqno > 0"));
    WORKS(ioctl(mine, PERF_EVENT_IOC_SET_FILTER, thread));
    run_batches(device, 0, 3);
    in_child(device, false, child_runs);
    EXPECT(event, 6);
    EXPECT(none, 0);
    EXPECT(mine, 3);
}

/* ---- rejected events ------------------------------------------------------------------------- */

static void denied(struct device *device)
{
    (void)device;
    struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof attr};
    attr.config = strtoul(getenv("TRACEPOINT"), NULL, 10);
    FAILS(syscall(SYS_perf_event_open, &attr, ALL_TASKS, 0, -1, 0), EACCES);
}

static void refused(struct device *device)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof attr, .config = 1};
    const struct perf_event_attr nothing = {0}, inherits = {.inherit = true};
    struct perf_event_attr sample = {.sample_period = 1, .sample_type = PERF_SAMPLE_RAW};
    char id[16];
    FAILS(syscall(SYS_perf_event_open, &attr, ALL_TASKS, 0, -1, 0), EINVAL); /* unknown id */
    FAILS(open_as(ADD, nothing, ALL_TASKS, -1, -1), EINVAL);
    FAILS(open_as(ADD, nothing, ALL_TASKS, 100000, -1), EINVAL);
    FAILS(open_as(ADD, nothing, 0x3fffffff, -1, -1), ESRCH);
    sample.sample_type = 1u << 30;
    FAILS(open_as(ADD, sample, ALL_TASKS, 0, -1), EINVAL);
    sample.sample_type = PERF_SAMPLE_BRANCH_STACK;
    sample.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
    FAILS(open_as(ADD, sample, ALL_TASKS, 0, -1), EOPNOTSUPP);
    sample.sample_type = PERF_SAMPLE_RAW;
    int event = (int)WORKS(open_as(ADD, sample, ALL_TASKS, 0, -1));
    int any = (int)WORKS(open_as(ADD, nothing, 0, -1, -1));
    int family = (int)WORKS(open_as(ADD, inherits, 0, -1, -1));
    uint64_t period = 0;
#define REFUSES_MAP(fd, bytes, flags, offset)                                                      \
    CHECK(mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, offset) == MAP_FAILED &&            \
              errno == EINVAL,                                                                     \
          "%s", strerror(errno))
    REFUSES_MAP(event, 4 * PAGE, MAP_SHARED, 0);
    REFUSES_MAP(event, 3 * PAGE, MAP_PRIVATE, 0);
    REFUSES_MAP(event, 3 * PAGE, MAP_SHARED, PAGE);
    REFUSES_MAP(family, 3 * PAGE, MAP_SHARED, 0);
    FAILS(ioctl(event, PERF_EVENT_IOC_PERIOD, &period), EINVAL);
    FAILS(ioctl(any, PERF_EVENT_IOC_REFRESH, 1), EINVAL);
    FAILS(ioctl(event, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), EINVAL);
    FAILS(ioctl(any, PERF_EVENT_IOC_SET_OUTPUT, event), EINVAL); /* another processor */
    FAILS(ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, event), EINVAL);
    FAILS(ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, STDIN_FILENO), EBADF);
    int other = count(ADD);
    FAILS(ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, event), EINVAL); /* it has no buffer */
    map(event, 1);
    WORKS(ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, event));
    WORKS(ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, -1));
    FAILS(ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, -1), EINVAL);
    snprintf(id, sizeof id, "%u", id_of(ADD));
    setenv("TRACEPOINT", id, 1);
    in_child(device, true, denied);
}

/* A period of 3, a limit of 2 samples, and a pause. */
static void periods(struct device *device)
{
    struct perf_event_attr attr = {.sample_period = 3, .sample_type = SAMPLE};
    struct sample s;
    int event = (int)WORKS(open_as(QUEUE, attr, ALL_TASKS, 0, -1));
    struct buffer buffer = map(event, 1);
    uint64_t period = 1;
    run_batches(device, 0, 7);
    for (unsigned i = 0; i < 2; i++)
        CHECK(next(&buffer, &s) == PERF_RECORD_SAMPLE && s.period == 3, "period %llu",
              (unsigned long long)s.period);
    CHECK(!next(&buffer, &s), "a third sample");
    WORKS(ioctl(event, PERF_EVENT_IOC_PERIOD, &period));
    WORKS(ioctl(event, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
    run_batches(device, 0, 1);
    WORKS(ioctl(event, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
    CHECK(!next(&buffer, &s), "a sample during the pause");
    WORKS(ioctl(event, PERF_EVENT_IOC_REFRESH, 2));
    run_batches(device, 0, 5);
    EXPECT(event, 10);
    CHECK(next(&buffer, &s) && next(&buffer, &s) && !next(&buffer, &s), "not two samples");
}

static const struct subtest rows[] = {
    {"tracepoint-files", ALL, 0, NULL,
     "the formats of the tracepoints of contexts and requests are Linux 6.1's, their ids differ; "
     "tracefs "
     "is also below debugfs, and only for root",
     trace_files, false, false},
    {"tracepoint-counts", ALL, 0, NULL,
     "contexts and requests are counted: of all programs, of a thread, of its children; an event "
     "can "
     "be disabled and reset",
     counts, false, false},
    {"tracepoint-groups", ALL, 0, NULL,
     "events of tracepoints form groups with those of the same thread and processor only",
     count_groups, false, false},
    {"tracepoint-executions", ALL, 0, NULL,
     "an event with enable_on_exec counts from the execution of a program on", executions, false,
     false},
    {"tracepoint-samples", ALL, 0, NULL,
     "a batch is queued, added, waited for and retired with the same timeline and number, by the "
     "calling thread; events can share a buffer, which outlives the event that made it",
     samples, false, false},
    {"tracepoint-waits", ALL, 0, NULL,
     "a call that waits has one begin and one end of that, and two if a signal interrupts it",
     waits, false, false},
    {"tracepoint-contexts", ALL, 0, NULL,
     "the records of a context's creation and end have the same address; from Gen8 on it has an "
     "address "
     "space",
     context_samples, false, false},
    {"tracepoint-wakeups", ALL, 0, NULL,
     "poll, epoll and select report an event once after wakeup_events samples or wakeup_watermark "
     "bytes",
     wakeups, false, false},
    {"tracepoint-losses", ALL, 0, NULL,
     "a full buffer keeps its records, lost ones are counted and reported; a wrong data_tail does "
     "no "
     "harm",
     losses, false, false},
    {"tracepoint-filters", ALL, 0, NULL, "filters compare fields as numbers; wrong ones: EINVAL",
     filters, false, false},
    {"tracepoint-periods", ALL, 0, NULL,
     "each third hit is sampled, output can be paused, and REFRESH limits the samples", periods,
     false, false},
    {"tracepoints-refused", ALL, 0, NULL,
     "unknown ids, processors and threads, buffers of another size, private or of inherited "
     "events, "
     "and outputs to other processors; without root: EACCES",
     refused, false, false},
};
GROUP(tracepoints_group, rows);
