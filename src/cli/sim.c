/* SPDX-License-Identifier: MIT */
/* tally sim: runs a script on a model and prints the values it reads. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "cli/progress.h"
#include "cli/tap.h"
#include "cli/trace.h"
#include "cli/unknown.h"
#include "testbench/script.h"

#define LINE_BYTES_MAX (1u << 20)

struct sim {
    const char *name; /* name of the script file, for messages */
    int fd;
    struct script *script;
    struct output *output;
    struct tap *tap;       /* NULL: print values and not results */
    struct buffer pending; /* start of an incomplete line */
    unsigned long line;    /* number of the current line, from 1 */
    unsigned long expectations, failed;
    uint64_t bytes; /* of the script, so far */
    struct progress progress;
};

/* ---- signals and progress -------------------------------------------------------------------- */

/* The first signal that ends the command; 0: none. A second one kills it. */
static volatile sig_atomic_t signal_received;

static void note_signal(int number)
{
    signal_received = number;
}

static void handle_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
        struct sigaction before;
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

/* Prints a message, in place of the progress. */
static int report_in_script(struct sim *sim, struct tally_error *error)
{
    progress_end(&sim->progress);
    fail_in(error, "%s:%lu", sim->name, sim->line);
    if (sim->tap)
        tap_bail_out(sim->tap, error->message);
    return report_error(error);
}

static int report_interrupt(struct sim *sim, struct tally_error *error)
{
    report_in_script(sim, error);
    return 128 + signal_received;
}

/* Called between pieces of a run. Returns false to end it. */
static bool step_run(void *context, uint64_t done, uint64_t total)
{
    struct sim *sim = context;
    char text[128];
    if (progress_due(&sim->progress)) {
        snprintf(text, sizeof text, "line %lu: %.3g %% of %" PRIu64, sim->line,
                 100 * (double)done / (double)total, total);
        progress_show(&sim->progress, text);
    }
    return !signal_received;
}

/* ---- running --------------------------------------------------------------------------------- */

static int put_result(void *context, const char *text, size_t size)
{
    const struct sim *sim = context;
    if (sim->tap)
        tap_comment(sim->tap, text, size);
    else
        output_append(sim->output, text, size);
    return sim->output->error.code;
}

static void hear_expected(void *context, const struct script_expectation *expectation)
{
    struct sim *sim = context;
    sim->expectations++;
    sim->failed += !expectation->met;
    progress_end(&sim->progress);
    if (sim->tap)
        tap_test(sim->tap, sim->name, sim->line, expectation);
    else if (!expectation->met)
        warn("%s:%lu: %s%sexpected %s %s, got %s", sim->name, sim->line, expectation->description,
             *expectation->description ? ": " : "", expectation->command, expectation->expected,
             expectation->got);
}

static int run_line(struct sim *sim, const char *line, size_t size)
{
    struct tally_error error = {0};
    sim->line++;
    int result = script_line(sim->script, line, size, &error);
    if (sim->output->error.code)
        return EXIT_DONE; /* close_output() prints write errors */
    if (result == 0 && signal_received)
        result = fail(&error, -ECANCELED, "interrupted");
    if (result == 0)
        return EXIT_DONE;
    if (result == -ECANCELED)
        return report_interrupt(sim, &error);
    report_in_script(sim, &error);
    return result == -ENOMEM ? exit_code_of(result) : EXIT_MALFORMED;
}

/* Runs the complete lines of a chunk, and keeps the rest in `pending`. */
static int run_lines(struct sim *sim, const char *bytes, size_t size)
{
    int code = EXIT_DONE;
    while (size && code == EXIT_DONE) {
        const char *newline = memchr(bytes, '\n', size);
        size_t length = newline ? (size_t)(newline - bytes) : size;
        if (!newline || sim->pending.size) {
            struct tally_error error = {0};
            buffer_append(&sim->pending, bytes, length);
            if (sim->pending.broken) {
                fail_memory(&error, "a line of the script");
                return report_error(&error);
            }
            if (sim->pending.size > LINE_BYTES_MAX) {
                sim->line++;
                fail(&error, -EBADMSG, "a line of more than %u bytes, expected a script",
                     LINE_BYTES_MAX);
                return report_in_script(sim, &error);
            }
        }
        if (!newline)
            return EXIT_DONE;
        if (sim->pending.size)
            code = run_line(sim, sim->pending.bytes, sim->pending.size);
        else
            code = run_line(sim, bytes, length);
        sim->pending.size = 0;
        bytes += length + 1;
        size -= length + 1;
    }
    return code;
}

static int run_script(struct sim *sim)
{
    char bytes[65536];
    for (;;) {
        output_flush(sim->output); /* the writer of the script may wait for the results */
        ssize_t got = read(sim->fd, bytes, sizeof bytes);
        struct tally_error error = {0};
        if (signal_received) {
            sim->line++;
            fail(&error, -ECANCELED, "interrupted");
            return report_interrupt(sim, &error);
        }
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            fail(&error, -errno, "%s: %s", sim->name, strerror(errno));
            return report_error(&error);
        }
        if (got == 0)
            return sim->pending.size ? run_line(sim, sim->pending.bytes, sim->pending.size)
                                     : EXIT_DONE;
        sim->bytes += (uint64_t)got;
        progress_step(&sim->progress, sim->bytes, 0);
        int code = run_lines(sim, bytes, (size_t)got);
        if (code != EXIT_DONE || sim->output->error.code)
            return code;
    }
}

static void put_note(void *context, const char *text)
{
    struct sim *sim = context;
    progress_end(&sim->progress);
    warn("%s:%lu: %s", sim->name, sim->line, text);
}

/* Runs the whole script. mmio: the trace, or NULL. */
static int run_traced(struct sim *sim, const struct arguments *arguments, FILE *mmio)
{
    struct tally_error error = {0};
    const char *dump = arguments->values[OPTION_VCD];
    struct script_options options = {.output = put_result,
                                     .output_context = sim,
                                     .expected = hear_expected,
                                     .expected_context = sim,
                                     .files = true,
                                     .note = put_note,
                                     .note_context = sim,
                                     .mmio = mmio,
                                     .pace = {step_run, sim},
                                     .cost = arguments->values[OPTION_COST]};
    if (dump && !(options.dump = fopen(dump, "we"))) {
        fail(&error, -errno, "%s: %s", dump, strerror(errno));
        return report_error(&error);
    }
    int result = script_new(&options, &sim->script, &error);
    int code = result < 0 ? report_error(&error) : run_script(sim);
    progress_end(&sim->progress);
    if (code == EXIT_DONE && options.cost && !script_has_gpu(sim->script))
        warn("%s: --cost has no effect: the script has no gpu command", sim->name);
    if (sim->script) {
        struct reg_outcome outcomes[REG_OUTCOMES_MAX];
        warn_accesses(sim->name, outcomes, script_outcomes(sim->script, outcomes));
    }
    if (sim->script && script_finish(sim->script, &error) < 0 && code == EXIT_DONE) {
        fail_in(&error, "%s", dump);
        code = report_error(&error);
    }
    if (options.dump && fclose(options.dump) != 0 && code == EXIT_DONE) {
        fail(&error, -errno, "%s: %s", dump, strerror(errno));
        code = report_error(&error);
    }
    return code;
}

/* Runs one of the scripts. Returns its exit code; EXIT_FAILED if an expectation failed. */
static int run_file(const char *path, const struct arguments *arguments, struct output *output,
                    struct tap *tap, FILE *mmio)
{
    bool standard_input = !strcmp(path, "-");
    struct tally_error error = {0};
    struct sim sim = {
        .name = standard_input ? "standard input" : path, .output = output, .tap = tap};
    sim.fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (sim.fd < 0) {
        fail(&error, -errno, "%s: %s", path, strerror(errno));
        if (tap)
            tap_bail_out(tap, error.message);
        return report_file_error(&error, path);
    }
    progress_start(&sim.progress, mmio == stderr || isatty(output->fd));
    if (tap)
        tap_comment(tap, sim.name, strlen(sim.name));
    int code = run_traced(&sim, arguments, mmio);
    if (sim.failed && !tap)
        warn("%s: %lu of %lu expectations failed", sim.name, sim.failed, sim.expectations);
    if (code == EXIT_DONE && sim.failed)
        code = EXIT_FAILED;
    script_free(sim.script);
    buffer_fini(&sim.pending);
    if (!standard_input)
        close(sim.fd);
    return code;
}

/* Runs the scripts until one has an error. A failed expectation is none. */
static int run_files(const struct arguments *arguments, struct output *output, FILE *mmio)
{
    struct tap tap = {.output = output};
    bool with_tap = arguments->values[OPTION_TAP];
    int code = EXIT_DONE;
    if (with_tap)
        tap_begin(&tap);
    for (size_t i = 0; i < arguments->operand_count; i++) {
        int one = run_file(arguments->operands[i], arguments, output, with_tap ? &tap : NULL, mmio);
        if (one != EXIT_DONE)
            code = one;
        if ((one != EXIT_DONE && one != EXIT_FAILED) || output->error.code)
            return code;
    }
    if (with_tap)
        tap_end(&tap);
    return code;
}

int command_sim(const struct arguments *arguments)
{
    FILE *mmio;
    if (arguments->operand_count > 1 && arguments->values[OPTION_VCD])
        return usage_error("sim: --vcd with %zu scripts, expected one", arguments->operand_count);
    handle_signals();
    int code = open_trace("sim", arguments, &mmio);
    struct output *output = code == EXIT_DONE ? open_output(arguments, &code) : NULL;
    if (output)
        code = close_output(output, run_files(arguments, output, mmio));
    return close_trace(arguments, mmio, code);
}
