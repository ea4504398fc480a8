/* SPDX-License-Identifier: MIT */
/* tally export: the metrics of every delta, of one recording or of several. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/input.h"
#include "cli/unknown.h"
#include "sink/hive.h"
#include "store/store.h"

struct export
{
    const struct arguments *arguments;
    struct writing writing;
    size_t count; /* of open pipelines */
    struct tally_pipeline *pipelines[INPUTS_MAX];
    struct progress progress;
    char *written[INPUTS_MAX]; /* paths of the files in a folder */
    size_t written_count;
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
    if ((!writing->sink->end || writing->sink->hides_losses) && !result)
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

/* Writes all inputs to a file, or to standard output if `path` is NULL. */
static int write_output(struct export *export, const char *path)
{
    int code = EXIT_DONE;
    struct output *output =
        open_output_file(export->arguments, path, export->writing.sink->whole, &code);
    if (!output)
        return code;
    export->writing.output = output;
    check_clocks(export);
    return close_output(output, write_inputs(export));
}

static void close_pipelines(struct export *export)
{
    while (export->count)
        tally_pipeline_close(export->pipelines[--export->count]);
}

static int open_input(struct export *export, size_t operand)
{
    int code = open_pipeline(export->arguments, operand, false, &export->progress,
                             &export->pipelines[export->count]);
    export->count += code == EXIT_DONE;
    return code;
}

static int write_file(struct export *export)
{
    int code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i < export->arguments->operand_count; i++)
        code = open_input(export, i);
    if (code == EXIT_DONE)
        code = write_output(export, export->arguments->values[OPTION_OUTPUT]);
    close_pipelines(export);
    return code;
}

/* ---- folders --------------------------------------------------------------------------------- */

/* Gets the date of an input: that of --date, of its entry in a store, or when the file was
 * modified. Empty: unknown. */
static int find_date(const struct arguments *arguments, const char *path,
                     char date[STORE_DATE_BYTES])
{
    struct tally_error error = {0};
    *date = '\0';
    if (arguments->values[OPTION_DATE]) {
        store_parse_date(arguments->values[OPTION_DATE], date); /* checked before */
        return EXIT_DONE;
    }
    if (store_file_date(path, date))
        return EXIT_DONE;
    int result = store_input_date(path, date, &error);
    return result < 0 ? report_file_error(&error, path) : EXIT_DONE;
}

/* Keeps the path of a file that is about to be written, unless another input has it. */
static int take_path(struct export *export, const char *input, char *path)
{
    for (size_t i = 0; i < export->written_count; i++)
        if (!strcmp(export->written[i], path)) {
            int code = usage_error("export: %s: its file %s is that of another FILE, expected "
                                   "inputs with different names",
                                   input, path);
            free(path);
            return code;
        }
    export->written[export->written_count++] = path;
    return EXIT_DONE;
}

/* Writes input number `i` to a file of its own. */
static int write_to_folder(struct export *export, size_t i)
{
    const struct arguments *arguments = export->arguments;
    const char *input = arguments->operands[i];
    struct tally_error error = {0};
    char date[STORE_DATE_BYTES], *path = NULL;
    int code = find_date(arguments, input, date);
    if (code == EXIT_DONE)
        code = open_input(export, i);
    if (code != EXIT_DONE)
        return code;
    date[strcspn(date, "T")] = '\0';
    if (hive_path(arguments->values[OPTION_OUTPUT], export->pipelines[0], date,
                  export->writing.sink->name, &path, &error) < 0)
        code = report_error(&error);
    if (code == EXIT_DONE)
        code = take_path(export, input, path);
    if (code == EXIT_DONE)
        code = write_output(export, path);
    close_pipelines(export);
    return code;
}

static bool writes_folder(const struct arguments *arguments, const struct sink *sink)
{
    const char *path = arguments->values[OPTION_OUTPUT];
    struct stat status;
    if (!sink->whole || !path || !*path)
        return false;
    return path[strlen(path) - 1] == '/' || (!stat(path, &status) && S_ISDIR(status.st_mode));
}

/* ---- the command ----------------------------------------------------------------------------- */

static int check_arguments(const struct arguments *arguments, const struct sink *sink)
{
    const char *date = arguments->values[OPTION_DATE];
    char parsed[STORE_DATE_BYTES];
    bool folder = writes_folder(arguments, sink);
    if (date && !folder)
        return usage_error("export: --date needs -f parquet -o DIR/");
    if (date && !store_parse_date(date, parsed))
        return usage_error("export: --date \"%s\", expected a date such as 2026-11-27", date);
    if (arguments->operand_count > 1 && !sink->begin_inputs && !folder)
        return usage_error("export: unexpected argument \"%s\": -f %s takes one FILE%s",
                           arguments->operands[1], sink->name,
                           sink->whole ? ", or several with -o DIR/" : "");
    return EXIT_DONE;
}

int command_export(const struct arguments *arguments)
{
    struct export *export = calloc(1, sizeof *export);
    if (!export)
        return report_memory();
    export->arguments = arguments;
    export->writing.sink = choose_format(arguments, "csv", TALLY_RENDER_DELTAS);
    export->writing.units = arguments->values[OPTION_UNITS] != NULL;
    int code = export->writing.sink ? check_arguments(arguments, export->writing.sink) : EXIT_USAGE;
    if (code == EXIT_DONE)
        code = parse_range(arguments, &export->writing);
    bool folder = code == EXIT_DONE && writes_folder(arguments, export->writing.sink);
    if (code == EXIT_DONE && !folder)
        code = write_file(export);
    for (size_t i = 0; folder && i < arguments->operand_count; i++) {
        int ended = write_to_folder(export, i);
        code = code == EXIT_DONE ? ended : code;
    }
    while (export->written_count)
        free(export->written[--export->written_count]);
    free(export);
    return code;
}
