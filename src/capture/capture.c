/* SPDX-License-Identifier: MIT */
/* Recording an open device: <tally/capture.h>. */
#include "capture/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/options.h"
#include "capture/filter.h"
#include "emulation/emulation.h"

#define DEFAULT_PERIOD_NS 1000000u
#define MIN_RING_BYTES    (64u << 10)
#define MAX_PROVENANCE    4096

/* ---- getters --------------------------------------------------------------------------------- */

const struct tally_capture_info *tally_capture_info(const struct tally_capture *capture)
{
    return &capture->info;
}

const struct tally_capture_stats *tally_capture_stats(const struct tally_capture *capture)
{
    return &capture->stats;
}

uint64_t tally_capture_nearest_period_ns(const struct tally_capture *capture, uint64_t period_ns)
{
    return capture->gpu.chipset
               ? period_ns
               : gpu_period_ns(&capture->gpu, gpu_nearest_exponent(&capture->gpu, period_ns));
}

/* ---- options --------------------------------------------------------------------------------- */

static int check_packets(const struct tally_capture_options *options, struct tally_error *error)
{
    if (options->packets && options->split_ratios)
        return fail(error, -EINVAL, "split_ratios with packets, which have no ratios");
    if (!options->packets && (options->stop || options->packet_bytes))
        return fail(error, -EINVAL, "stop and packet_bytes are options of packets");
    return 0;
}

/* Chooses the period of packets, for which the driver measures the clock of their domain. */
static int prepare_packets(struct tally_capture *capture, struct tally_error *error)
{
    struct gpu *gpu = &capture->gpu;
    if (!gpu->driver->prepare_packets)
        return fail(error, -ENODEV, "%s: the driver %s has no record mode", capture->name,
                    gpu->driver->name);
    return gpu->driver->prepare_packets(gpu, &capture->choice.counting, error);
}

static int check_output(const struct tally_capture_options *options, struct tally_error *error)
{
    if (!options->output == !options->records)
        return fail(error, -EINVAL, "%s, expected either an output or a records callback",
                    options->output ? "an output and a records callback"
                                    : "neither an output nor a records callback");
    if (!options->ring_bytes)
        return 0;
    if (options->ring_bytes < MIN_RING_BYTES || options->ring_bytes > SIZE_MAX / 2)
        return fail(error, -EINVAL, "ring_bytes is %" PRIu64 ", expected at least %u",
                    options->ring_bytes, MIN_RING_BYTES);
    if (!options->output || !strcmp(options->output, "-"))
        return fail(error, -EINVAL, "ring_bytes: a flight recorder writes files, expected a path");
    return 0;
}

/* The layout of PCOUNTER's reports follows from the number of signals. */
static int choose_pcounter_format(struct tally_capture *capture,
                                  const struct tally_capture_options *options,
                                  struct tally_error *error)
{
    const struct tally_layout *layout = counting_layout(&capture->choice.counting);
    uint32_t format = tally_layout_format(layout);
    if (options->one_context)
        return fail(error, -EINVAL, "one_context: reports of %s do not name contexts",
                    tally_device_title(&capture->gpu.device));
    if (options->oa_format && options->oa_format != format)
        return fail(error, -EINVAL, "oa_format 0x%" PRIx32 ", expected 0 or 0x%" PRIx32 ", %s/%s",
                    options->oa_format, format, layout->family, layout->name);
    capture->gpu.info.oa_format = capture->info.recorded.oa_format = format;
    capture->info.layout = layout;
    capture->info.passes = capture->choice.counting.recorded.passes;
    return 0;
}

static int choose_format(struct tally_capture *capture, const struct tally_capture_options *options,
                         struct tally_error *error)
{
    if (capture->gpu.chipset)
        return choose_pcounter_format(capture, options, error);
    const struct tally_platform *platform = capture->gpu.device.platform;
    uint32_t format = options->oa_format ? options->oa_format
                                         : tally_layout_format(tally_layout_default(platform));
    const struct tally_layout *layout = tally_layout_for_kernel(platform, format);
    if (layout && !layout->kernel_format && !capture->gpu.driver->all_layouts)
        return fail(error, -EINVAL,
                    "oa_format 0x%" PRIx32 ": the kernel does not offer the layout %s/%s", format,
                    layout->family, layout->name);
    if (!layout)
        return fail(error, -EINVAL, "oa_format %" PRIu32 ": unknown report format of %s", format,
                    platform->title);
    if (options->one_context && !filter_supported(platform))
        return fail(error, -EINVAL, "one_context: reports of %s do not name contexts",
                    platform->title);
    capture->gpu.info.oa_format = format;
    capture->info.recorded.oa_format = format;
    capture->info.layout = layout;
    return 0;
}

/* Writes the command line that makes the same recording, for the PROVENANCE record. */
static int write_provenance(struct tally_capture *capture,
                            const struct tally_capture_options *options, struct tally_error *error)
{
    struct buffer *text = &capture->provenance;
    const struct tally_capture_info *info = &capture->info;
    char words[32];
    buffer_printf(text, "tally %s record -d %s", tally_version(), info->name);
    if (*capture->choice.set.symbol)
        buffer_printf(text, " -m %s", capture->choice.set.symbol);
    for (size_t i = 0; i < options->expression_count; i++)
        buffer_printf(text, " -e '%s'", options->expressions[i]);
    if (options->split_ratios)
        buffer_text(text, " --split-ratios");
    if (options->packets)
        buffer_text(text, " --packets");
    if (options->stop)
        buffer_printf(text, " --stop '%s'", options->stop);
    if (options->packet_bytes)
        buffer_printf(text, " --packet-memory %" PRIu64, options->packet_bytes);
    if (info->workload)
        buffer_printf(text, " --workload %s --clock %s", info->workload,
                      info->clock == TALLY_CAPTURE_FREE ? "free" : "wall");
    if (!capture->gpu.driver->in_kernel && !capture->gpu.chipset)
        buffer_printf(text, " --driver %s", info->driver);
    if (info->fuses)
        buffer_printf(text, " --fuses %s", info->fuses);
    if (info->faults)
        buffer_printf(text, " --fault %s", info->faults);
    if (options->ring_bytes)
        buffer_printf(text, " --ring %" PRIu64, options->ring_bytes);
    if (options->one_context)
        buffer_printf(text, " --context 0x%" PRIx32, options->context);
    if (options->stop)
        buffer_printf(text, ", a packet whenever %s", options->stop);
    else
        buffer_printf(text, ", a %s every %s", options->packets ? "packet" : "report",
                      duration_text(info->period_ns, words, sizeof words));
    if (!capture->gpu.driver->in_kernel)
        buffer_text(text, ", from registers, without a kernel driver");
    if (options->comment)
        buffer_text(text, options->comment);
    if (text->size > MAX_PROVENANCE)
        text->size = MAX_PROVENANCE;
    buffer_char(text, '\0');
    return text->broken ? fail_memory(error, "a recording") : 0;
}

/* Returns the phases of the workload of a modelled GPU, whose time began with the first one; NULL
 * without a workload. */
static const struct tally_recorded_phases *describe_phases(struct tally_capture *capture)
{
    const struct tally_workload *workload = capture->played;
    if (!workload)
        return NULL;
    for (size_t i = 0; i < workload->phase_count; i++)
        capture->phase_durations_ns[i] = workload->phases[i].duration_ns;
    capture->phases = (struct tally_recorded_phases){
        .workload = workload->name,
        .durations_ns = capture->phase_durations_ns,
        .count = workload->phase_count,
    };
    return &capture->phases;
}

/* ---- waking ---------------------------------------------------------------------------------- */

static int watch(int epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/* Makes one descriptor that is readable when stop_fd or wake_fd is. */
static int prepare_wake(struct tally_capture *capture, int wake_fd, struct tally_error *error)
{
    capture->wake = capture->stop_fd;
    if (!wake_fd)
        return 0;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll >= 0)
        capture->wake = epoll;
    if (epoll < 0 || watch(epoll, capture->stop_fd) < 0 || watch(epoll, wake_fd) < 0)
        return fail(error, -errno, "wake_fd %d: %s", wake_fd, strerror(errno));
    return 0;
}

void tally_capture_stop(struct tally_capture *capture)
{
    uint64_t one = 1;
    int before = errno; /* a signal handler must not change it */
    atomic_store(&capture->stop, true);
    if (write(capture->stop_fd, &one, sizeof one) < 0)
        errno = before; /* the counter is full, so stop_fd is readable already */
    errno = before;
}

static void clear_stop(struct tally_capture *capture)
{
    uint64_t count;
    atomic_store(&capture->stop, false);
    if (read(capture->stop_fd, &count, sizeof count) < 0)
        return; /* EAGAIN: tally_capture_stop() was not called */
}

/* ---- recording ------------------------------------------------------------------------------- */

static void release(struct tally_capture *capture)
{
    if (capture->wake >= 0 && capture->wake != capture->stop_fd)
        close(capture->wake);
    capture->wake = -1;
    set_choice_fini(&capture->choice);
    buffer_fini(&capture->provenance);
    free(capture->output);
    capture->output = NULL;
}

static int prepare(struct tally_capture *capture, const struct tally_capture_options *options,
                   struct tally_error *error)
{
    struct gpu *gpu = &capture->gpu;
    uint64_t period_ns = options->period_ns ? options->period_ns : DEFAULT_PERIOD_NS;
    unsigned exponent = gpu->chipset ? 0 : gpu_nearest_exponent(gpu, period_ns);
    const struct packet_options packets = {options->stop, period_ns, options->packet_bytes};
    const struct set_wanted wanted = {options->metric_set,   options->metrics,
                                      options->expressions,  options->expression_count,
                                      options->split_ratios, options->packets ? &packets : NULL,
                                      capture->info.modelled};
    gpu->period_ns = period_ns;
    int result = check_output(options, error);
    if (result == 0)
        result = check_packets(options, error);
    if (result == 0)
        result = set_choice_init(&capture->choice, gpu, &wanted, error);
    if (result == 0)
        result = choose_format(capture, options, error);
    if (result == 0 && options->packets)
        result = prepare_packets(capture, error);
    if (result < 0)
        return result;
    struct tally_device_info *recorded = &capture->info.recorded;
    snprintf(recorded->set_name, sizeof recorded->set_name, "%s", capture->choice.set.symbol);
    snprintf(recorded->set_uuid, sizeof recorded->set_uuid, "%s", capture->choice.set.uuid);
    capture->info.period_ns =
        options->packets ? gpu->period_ns : tally_capture_nearest_period_ns(capture, period_ns);
    result = write_provenance(capture, options, error);
    if (result == 0)
        result = prepare_wake(capture, options->wake_fd, error);
    if (result == 0 && options->output && !(capture->output = strdup(options->output)))
        result = fail_memory(error, "a recording");
    capture->settings = (struct recorder_settings){
        .gpu = gpu,
        .set = &capture->choice.set,
        .exponent = exponent,
        .duration_ns = options->duration_ns,
        .provenance = capture->provenance.bytes,
        .modelled = capture->info.modelled,
        .phases = describe_phases(capture),
        .output = capture->output,
        .records = options->records,
        .ring_bytes = options->ring_bytes,
        .one_context = options->one_context,
        .context = options->context,
        .disk_bytes = faults_disk_bytes(capture->faults),
        .marks = options->marks,
        .append = options->append,
        .delay_ns = options->delay_ns,
        .wake = capture->wake,
        .dumped = options->dumped,
        .closure = options->closure,
    };
    return result;
}

int tally_capture_start(struct tally_capture *capture, const struct tally_capture_options *options,
                        struct tally_error *error)
{
    struct tally_capture_options known;
    if (capture->recorder)
        return fail(error, -EALREADY, "%s: a recording is in progress", capture->name);
    int result = options_copy(&known, sizeof known, options, "tally_capture_options", error);
    if (result == 0)
        result = prepare(capture, &known, error);
    if (result == 0)
        result = recorder_start(&capture->settings, &capture->stats, &capture->recorder, error);
    if (result < 0)
        release(capture);
    return result;
}

int tally_capture_step(struct tally_capture *capture, uint64_t timeout_ns,
                       struct tally_error *error)
{
    if (!capture->recorder)
        return fail(error, -EINVAL, "%s: no recording was started", capture->name);
    if (atomic_load(&capture->stop))
        recorder_stop(capture->recorder);
    return recorder_step(capture->recorder, timeout_ns, error);
}

int tally_capture_finish(struct tally_capture *capture, struct tally_error *error)
{
    if (!capture->recorder)
        return 0;
    int result = recorder_finish(capture->recorder, error);
    capture->recorder = NULL;
    clear_stop(capture);
    release(capture);
    return result;
}

int tally_capture_run(struct tally_capture *capture, const struct tally_capture_options *options,
                      struct tally_error *error)
{
    struct tally_error second = {0};
    int result = tally_capture_start(capture, options, error);
    if (result < 0)
        return result;
    do
        result = tally_capture_step(capture, UINT64_MAX, error);
    while (result > 0);
    int finished = tally_capture_finish(capture, &second);
    if (result == 0 && finished < 0 && error)
        *error = second;
    return result < 0 ? result : finished;
}

static int not_recording(const struct tally_capture *capture, struct tally_error *error)
{
    return fail(error, -EINVAL, "%s: no recording was started", capture->name);
}

/* Returns the present time by the clock of correlation points. */
static uint64_t now_ns(const struct tally_capture *capture)
{
    const struct tally_capture_info *info = &capture->info;
    bool is_free = info->workload && info->clock == TALLY_CAPTURE_FREE;
    return is_free ? device_now_ns(capture->gpu.machine) : clock_ns(CLOCK_MONOTONIC);
}

int tally_capture_mark(struct tally_capture *capture, const struct tally_mark *marks, size_t count,
                       struct tally_error *error)
{
    if (!capture->recorder || !capture->settings.marks)
        return not_recording(capture, error);
    for (size_t i = 0; i < count; i++) {
        struct tally_mark mark = marks[i];
        if (!mark.cpu_ns)
            mark.cpu_ns = now_ns(capture);
        if (recorder_mark(capture->recorder, &mark, 1) < 0)
            return fail_memory(error, "marks");
    }
    return 0;
}

int tally_capture_pause(struct tally_capture *capture, struct tally_error *error)
{
    return capture->recorder ? recorder_pause(capture->recorder, error)
                             : not_recording(capture, error);
}

int tally_capture_resume(struct tally_capture *capture, struct tally_error *error)
{
    return capture->recorder ? recorder_resume(capture->recorder, error)
                             : not_recording(capture, error);
}

int tally_capture_dump(struct tally_capture *capture, struct tally_error *error)
{
    if (!capture->recorder || !capture->settings.ring_bytes)
        return fail(error, -EINVAL, "%s: no flight recorder is running", capture->name);
    return recorder_dump(capture->recorder, error);
}
