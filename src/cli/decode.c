/* SPDX-License-Identifier: MIT */
/* tally decode and tally info: recordings and PCOUNTER record buffers, without a metric set. */
#include "cli/input.h"
#include "cli/packets.h"
#include "sink/packets.h"

typedef int writing_function(const struct writing *writing, const struct plain_input *input,
                             struct tally_error *error);

/* Opens the output and calls `write`. has_end: `write` prints the losses. Returns an exit code. */
static int write_input(const struct arguments *arguments, struct writing *writing,
                       struct pipeline_source source, writing_function *write, bool has_end)
{
    struct tally_error error = {0};
    struct progress progress;
    const struct plain_input input = {source, progress_step, &progress};
    int code = EXIT_DONE;
    if (!(writing->output = open_output(arguments, &code)))
        return code;
    progress_start(&progress, arguments->values[OPTION_QUIET] != NULL);
    int result = write(writing, &input, &error);
    progress_end(&progress);
    code = finish_reading(arguments, writing, &source, result, &error);
    if (!has_end && !result)
        report_losses(&source);
    return close_output(writing->output, code);
}

static int write_recording(const struct arguments *arguments, const struct sink *sink,
                           bool keep_unsorted, writing_function *write)
{
    struct tally_recording *recording;
    struct writing writing = {.sink = sink};
    int code = open_recording(arguments, arguments->operands[0], keep_unsorted, &recording);
    if (code != EXIT_DONE)
        return code;
    code = write_input(arguments, &writing, source_of_recording(recording), write, true);
    tally_recording_close(recording);
    return code;
}

static int write_buffer(const struct arguments *arguments, const struct sink *sink,
                        enum tally_packet_format format, bool has_end, writing_function *write)
{
    struct tally_packets *packets;
    struct writing writing = {.sink = sink};
    int code = open_packets(arguments, format, &packets);
    if (code != EXIT_DONE)
        return code;
    code = write_input(arguments, &writing, source_of_packets(packets), write, has_end);
    tally_packets_close(packets);
    return code;
}

int command_decode(const struct arguments *arguments)
{
    enum tally_packet_format format;
    bool is_buffer = packets_wanted(arguments, &format);
    const struct sink *sink =
        choose_format(arguments, "table", is_buffer ? TALLY_RENDER_PACKETS : TALLY_RENDER_REPORTS);
    if (!sink)
        return EXIT_USAGE;
    return is_buffer
               ? write_buffer(arguments, sink, format, sink->packets->end != NULL, write_packets)
               : write_recording(arguments, sink, true, write_reports);
}

int command_info(const struct arguments *arguments)
{
    enum tally_packet_format format;
    const struct sink *sink = choose_format(arguments, "table", TALLY_RENDER_INFO);
    if (!sink)
        return EXIT_USAGE;
    return packets_wanted(arguments, &format)
               ? write_buffer(arguments, sink, format, true, write_packets_info)
               : write_recording(arguments, sink, false, write_info);
}
