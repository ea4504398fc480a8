/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PRELOAD_CONFORMANCE_CLIENT_H
#define TESTS_PRELOAD_CONFORMANCE_CLIENT_H

/*
 * A client of the i915 perf interface that uses only libc and the kernel's interface. It makes the
 * same calls and checks as the i915-perf test of IGT GPU Tools (IGT-3), subtest by subtest; a
 * second group checks further properties of an emulated device. The client does not use Tally.
 *
 * client.c runs the subtests, each in a separate process; device.c finds the device; stream.c opens
 * streams and reads them; reports.c has formats and rules of reports; gem.c objects and batches;
 * copy.c the batch that draws. The other files are subtests.
 */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "driver/i915/uapi.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- subtests -------------------------------------------------------------------------------- */

enum platform { HSW, BDW, CHV, SKL, ICL, LKF, TGL, PLATFORMS };

#define BIT(platform) (1u << (platform))
#define ALL           (BIT(PLATFORMS) - 1)
#define GEN8_UP       (ALL & ~BIT(HSW))
#define GEN12         BIT(TGL) /* where MI_REPORT_PERF_COUNT writes the context's own counters */

struct device;

struct subtest {
    const char *name;
    unsigned platforms;    /* mask */
    unsigned revision;     /* minimum revision of i915-perf; 0: any */
    const char *condition; /* another condition, for the list; or NULL */
    const char *checks;
    void (*run)(struct device *device);
    bool by_engine; /* selects the engine by property if the revision supports it */
    bool timed;     /* may be retried with the wall clock, since a busy machine can make it fail */
};

struct subtests {
    const char *file;
    const struct subtest *rows;
    size_t count;
};

#define GROUP(name, rows) const struct subtests name = {__FILE__, rows, COUNT(rows)}
extern const struct subtests opening_group, permissions_group, reading_group, waiting_group,
    buffer_group, configs_group, power_group, commands_group, rendering_group, engines_group;
extern const struct subtests processes_group, descriptors_group, memory_group, files_group,
    names_group, fdinfo_group, interface_group, events_group, fences_group, drawing_group,
    registers_group, peer_group, tracepoints_group, tracefs_group;

/* Ends a subtest with a message. */
__attribute__((noreturn, format(printf, 4, 5))) void
fail_at(const char *file, int line, const char *condition, const char *format, ...);
__attribute__((noreturn, format(printf, 1, 2))) void skip(const char *format, ...);

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_at(__FILE__, __LINE__, #condition, __VA_ARGS__);                                  \
    } while (0)
#define FAIL(...) fail_at(__FILE__, __LINE__, "", __VA_ARGS__)

/* WORKS: a call that must succeed. FAILS: a call that must fail with a given errno. */
#define WORKS(call)                                                                                \
    __extension__({                                                                                \
        long long works_result = (long long)(call);                                                \
        CHECK(works_result >= 0, "%lld, %s", works_result, strerror(errno));                       \
        works_result;                                                                              \
    })
#define FAILS(call, code)                                                                          \
    do {                                                                                           \
        errno = 0;                                                                                 \
        long long fails_result = (long long)(call);                                                \
        int fails_errno = errno;                                                                   \
        CHECK(fails_result == -1 && fails_errno == (code), "%lld, %s", fails_result,               \
              strerror(fails_errno));                                                              \
    } while (0)

/* Returns true to use the times of IGT's test, false for a tenth of them. */
bool at_full_length(void);

/* True with a virtual clock, where computing takes no time, and a call 1 us. */
bool clock_is_virtual(void);

/* True if time does not depend on the machine's load: with a virtual clock, or at full length. */
bool keeps_time(void);

/* Runs a function in a child process, optionally as user and group 2; the child must succeed. */
void in_child(struct device *device, bool as_user, void (*run)(struct device *device));

uint64_t wall_ns(void);
void sleep_ns(uint64_t ns);

/* ---- device.c -------------------------------------------------------------------------------- */

struct device {
    enum platform platform;
    int fd;
    int chipset, revision; /* PCI device id; revision of i915-perf */
    uint32_t timestamp_hz;
    unsigned slices, subslices, eus;
    uint64_t set; /* TestOa, or on Haswell RenderBasic */
    bool by_engine;
};

/* call() repeats an ioctl that was interrupted by a signal. */
int call(int fd, unsigned long request, void *argument);
int getparam(int fd, int number, int *value);

int open_card(void);
void find_device(struct device *device);
const char *platform_name(enum platform platform);

unsigned long sysctl_read(const char *name);
void sysctl_write(const char *name, unsigned long value);

/* Read a text file, and a number in a text file. */
ssize_t read_text(const char *path, char *text, size_t capacity);
unsigned long read_number(const char *path);
#define CARD_DIRECTORY "/sys/dev/char/226:0"

uint64_t read_timestamp(int fd);

/* ---- configs.c ------------------------------------------------------------------------------- */

/* Finds the platform's test set in sysfs, or adds it. */
uint64_t find_test_set(const struct device *device);

/* ---- stream.c -------------------------------------------------------------------------------- */

struct properties {
    uint64_t pairs[12][2];
    unsigned count;
};

struct properties with(struct properties properties, uint64_t id, uint64_t value);
struct properties without(struct properties properties, uint64_t id);

/* Properties for OA samples of the test set, without and with a timer. Format 0 has all counters.
 */
struct properties sampling(const struct device *device, unsigned format);
struct properties sampling_every(const struct device *device, unsigned format, unsigned exponent);

int try_open(const struct device *device, uint32_t flags, const struct properties *properties);
int open_stream(const struct device *device, uint32_t flags, struct properties properties);
void refuse(const struct device *device, uint32_t flags, struct properties properties, int code,
            int line);
#define REFUSE(device, flags, properties, code) refuse(device, flags, properties, code, __LINE__)

/* Returns the largest exponent whose period is at most this long. */
unsigned exponent_of(const struct device *device, uint64_t ns);
uint64_t period_of(const struct device *device, unsigned exponent);

/* Memory for the contents of a full report buffer. */
#define MAX_READ_BYTES (20u << 20)
uint8_t *read_memory(void);

/* Returns the record at *at, and advances *at; NULL: the end. */
const struct drm_i915_perf_record_header *next_record(const uint8_t *bytes, size_t size,
                                                      size_t *at);

/* ---- reports.c ------------------------------------------------------------------------------- */

struct format {
    unsigned platforms;
    uint8_t number;
    const char *name;
    uint16_t size;
    struct field {
        uint8_t at, count;
    } a, b, c;
    uint8_t first_a;
    bool wide_a; /* 40 bits, then four of 32 */
};

const struct format *format_at(size_t index); /* NULL past the end */
const struct format *format_of_all(const struct device *device);

uint32_t dword(const uint8_t *report, unsigned index);

/* True for a timer report. */
bool is_periodic(const struct device *device, unsigned exponent, const uint8_t *report);
uint32_t reason_of(const uint8_t *report);
const char *describe(const struct device *device, const uint8_t *report);

/* Checks the rules for two consecutive reports (IGT-3.2). */
void check_pair(const struct device *device, const struct format *format, const uint8_t *from,
                const uint8_t *to);

/* Reads this many consecutive reports; starts again after a loss. */
void read_reports(const struct device *device, int stream, const struct format *format,
                  unsigned exponent, bool timer_only, uint8_t *out, unsigned count);

/* ---- gem.c ----------------------------------------------------------------------------------- */

struct object {
    uint32_t handle;
    uint64_t size, address; /* address: from Gen8 on, pinned, canonical */
    uint32_t *map;
};

struct object new_object(const struct device *device, uint64_t size, bool mapped);
void free_object(const struct device *device, struct object *object);
void set_domain(const struct device *device, const struct object *object);

uint32_t new_context(const struct device *device);
void free_context(const struct device *device, uint32_t context);

#define BATCH_DWORDS 2048

struct batch {
    const struct device *device;
    struct object object;
    uint32_t dwords[BATCH_DWORDS];
    unsigned count;
    const struct object *others[4];
    unsigned other_count;
    struct drm_i915_gem_relocation_entry relocations[24];
    unsigned relocation_count;
};

void batch_begin(struct batch *batch, const struct device *device);
void batch_emit(struct batch *batch, uint32_t value);
void batch_address(struct batch *batch, const struct object *object, uint32_t delta, bool write);

/* Returns the address of a dword of the batch. */
void batch_address_at(struct batch *batch, unsigned index, const struct object *object,
                      uint32_t delta, bool write);

/* Ends the batch, runs it in a context, and optionally waits for it. */
void batch_run(struct batch *batch, uint32_t context, uint64_t flags, bool wait);

/* The same, after an input fence (-1: none), which then is all that it waits for. Returns the
 * output fence, or -errno. */
int batch_run_after(struct batch *batch, uint32_t context, uint64_t flags, int fence);

void emit_report(struct batch *batch, const struct object *object, uint32_t delta, uint32_t id);
/* Writes a value to a dword; waits, from Gen8 on, until a dword is 1. */
void emit_store(struct batch *batch, const struct object *object, uint32_t delta, uint32_t value);
void emit_gate(struct batch *batch, const struct object *object, uint32_t delta);
void emit_timestamp(struct batch *batch, const struct object *object, uint32_t delta);

/* ---- events.c -------------------------------------------------------------------------------- */

/* Opens an event of the GPU; a read returns its value and the time that it was enabled. */
int open_gpu_event(uint64_t config);

/* ---- copy.c ---------------------------------------------------------------------------------- */

struct surface {
    struct object object;
    uint32_t width, height, pitch;
};

struct surface new_surface(const struct device *device, uint32_t width, uint32_t height);

/* Binds the state of the pipeline for copies: no statistics, no vertex shader. */
void emit_draw_states(struct batch *batch);
void copy_surface(const struct device *device, uint32_t context, const struct surface *from,
                  const struct surface *to, bool wait);

/* Starts a child that draws until it is stopped. */
pid_t load_start(const struct device *device);
void load_stop(pid_t child);

/* ---- drawing.c ------------------------------------------------------------------------------- */

/* tracepoints.c: runs empty batches, and waits for each. */
void run_batches(const struct device *device, uint32_t context, unsigned count);

/* Draws as a program by itself: a number of batches of 20 draws, each of 300 vertices in 100
 * triangles over 512 by 256 pixels. The GPU is idle for some time before, between and after. */
void draw_batches(unsigned count);

/* ---- files.c --------------------------------------------------------------------------------- */

/* Hangs the render engine by a batch whose first dword is an MI_NOOP with this number. */
void hang_engine(uint32_t number);

#endif
