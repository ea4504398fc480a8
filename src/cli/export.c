/* SPDX-License-Identifier: MIT */
/* tally export: the metrics of every delta, of one recording or of several. */
#include <stdlib.h>

#include "cli/input.h"

struct export
{
    const struct arguments *arguments;
    struct writing writing;
    size_t count; /* of open pipelines */
    struct tally_pipeline *pipelines[INPUTS_MAX];
    struct progress progress;
};

static struct tally_recording *recording_of(const struct export *export, size_t i)
{
    return tally_pipeline_recording(export->pipelines[i]);
}

/* Warns of inputs that have no time in common with the others. */
static void check_clocks(const struct export *export)
{
    for (size_t i = 0; export->count > 1 && i < export->count; i++) {
        uint64_t ignored;
        bool is_pipe = !tally_recording_info(recording_of(export, i))->size_bytes;
        tally_recording_index(recording_of(export, i));
        if (!is_pipe && tally_recording_cpu_ns(recording_of(export, i), 0, &ignored))
            warn("%s: has no correlation of GPU and CPU time: its times are not those of the other "
                 "inputs",
                 tally_recording_info(recording_of(export, i))->path);
    }
}

/* Reads one input to its end. Returns an exit code. */
static int write_input(struct export *export, struct delta_inputs *inputs, size_t i)
{
    const struct writing *writing = &export->writing;
    struct pipeline_source source = source_of_recording(recording_of(export, i));
    struct tally_error error = {0};
    progress_start(&export->progress, export->arguments->values[OPTION_QUIET] != NULL);
    int result = write_deltas_input(inputs, i, &error);
    progress_end(&export->progress);
    int code = finish_reading(export->arguments, writing, &source, result, &error);
    if (!writing->sink->end && !result)
        report_losses(&source);
    return code;
}

/* Returns the first exit code of the inputs that is not EXIT_DONE. */
static int write_inputs(struct export *export)
{
    struct tally_error error = {0};
    struct delta_inputs *inputs =
        write_deltas_begin(&export->writing, export->pipelines, export->count, &error);
    int code = inputs ? EXIT_DONE : report_error(&error);
    for (size_t i = 0; inputs && i < export->count; i++) {
        int ended = write_input(export, inputs, i);
        code = code == EXIT_DONE ? ended : code;
    }
    write_deltas_end(inputs);
    return code;
}

static int write_output(struct export *export)
{
    int code = EXIT_DONE;
    struct output *output = open_output(export->arguments, &code);
    if (!output)
        return code;
    export->writing.output = output;
    check_clocks(export);
    return close_output(output, write_inputs(export));
}

static int check_arguments(const struct arguments *arguments, const struct sink *sink)
{
    if (arguments->operand_count > 1 && !sink->begin_inputs)
        return usage_error("export: unexpected argument \"%s\": -f %s takes one FILE",
                           arguments->operands[1], sink->name);
    return EXIT_DONE;
}

int command_export(const struct arguments *arguments)
{
    struct export *export = calloc(1, sizeof *export);
    if (!export)
        return report_error(&(struct tally_error){.message = "out of memory"});
    export->arguments = arguments;
    export->writing.sink = choose_format(arguments, "csv", TALLY_RENDER_DELTAS);
    export->writing.units = arguments->values[OPTION_UNITS] != NULL;
    int code = export->writing.sink ? check_arguments(arguments, export->writing.sink) : EXIT_USAGE;
    if (code == EXIT_DONE)
        code = parse_range(arguments, &export->writing);
    for (size_t i = 0; code == EXIT_DONE && i < arguments->operand_count; i++) {
        code = open_pipeline(arguments, i, false, &export->progress, &export->pipelines[i]);
        export->count += code == EXIT_DONE;
    }
    if (code == EXIT_DONE)
        code = write_output(export);
    while (export->count)
        tally_pipeline_close(export->pipelines[--export->count]);
    free(export);
    return code;
}
