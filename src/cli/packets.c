/* SPDX-License-Identifier: MIT */
/* tally decode and tally info of PCOUNTER record buffers. */
#include "cli/packets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "sink/packets.h"

struct decoding {
    struct output *output;
    const struct packet_sink *sink;
    enum tally_packet_format format;
};

bool packets_wanted(const struct arguments *arguments, enum tally_packet_format *format)
{
    const char *layout = arguments->values[OPTION_LAYOUT];
    return layout && !tally_packet_format_find(layout, format);
}

/* Opens, if the options that are given can be meant for a record buffer. */
static int open_packets(const struct arguments *arguments, enum tally_packet_format format,
                        struct tally_packets **out)
{
    static const enum option_id others[] = {OPTION_PLATFORM, OPTION_TIMESTAMP_HZ};
    struct tally_error error = {0};
    for (size_t i = 0; i < ARRAY_COUNT(others); i++)
        if (arguments->values[others[i]])
            return tell_usage("--%s is of Intel's reports; a record buffer (layout %s) has none",
                              option_rows[others[i]].name, tally_packet_format_name(format));
    bool map = arguments->values[OPTION_MAP] != NULL;
    if (tally_packets_open(arguments->operands[0], format, map, out, &error) < 0)
        return tell_error(&error);
    return EXIT_DONE;
}

/* The exit code of a reading; what is wrong is told. */
static int finish(const struct arguments *arguments, const struct tally_packets *packets,
                  int result, const struct tally_error *error)
{
    const struct tally_loss *losses;
    if (result < 0)
        return tell_error(error);
    bool lost = tally_packets_losses(packets, &losses) != 0;
    return lost && arguments->values[OPTION_FAIL_ON_LOSS] ? EXIT_LOST : EXIT_DONE;
}

static int put_packets(void *closure, const struct tally_packet *packets, size_t count)
{
    struct decoding *decoding = closure;
    decoding->sink->put(decoding->output, decoding->format, packets, count);
    return decoding->output->error.code;
}

static int decode_to(struct decoding *decoding, const struct arguments *arguments,
                     struct tally_packets *packets)
{
    const struct tally_loss *losses;
    struct tally_error error = {0};
    decoding->sink->begin(decoding->output, packets);
    int result = read_packets(packets, arguments->values[OPTION_QUIET] != NULL, put_packets,
                              decoding, &error);
    if (decoding->output->error.code) /* told when it is closed; a reader that left is no fault */
        return decoding->output->error.code == -EPIPE ? EXIT_DONE : EXIT_NO;
    if (decoding->sink->end)
        decoding->sink->end(decoding->output, packets, result < 0 ? error.message : NULL);
    output_flush(decoding->output);
    size_t count = tally_packets_losses(packets, &losses);
    if (!decoding->sink->end && count && result >= 0)
        fprintf(stderr, "tally: %s: %zu entr%s in the loss ledger; see tally info\n",
                tally_packets_path(packets), count, count == 1 ? "y" : "ies");
    return finish(arguments, packets, result, &error);
}

int decode_packets(const struct arguments *arguments, enum tally_packet_format format)
{
    const char *sink = arguments->values[OPTION_FORMAT];
    struct decoding decoding = {.format = format};
    struct tally_packets *packets;
    if (!(decoding.sink = packet_sink_find(sink ? sink : "table")))
        return tell_usage("--format \"%s\", expected table, csv or jsonl", sink);
    int code = open_packets(arguments, format, &packets);
    if (code != EXIT_DONE)
        return code;
    if ((decoding.output = open_output(arguments, &code)))
        code = close_output(decoding.output, decode_to(&decoding, arguments, packets));
    tally_packets_close(packets);
    return code;
}

static int skip_packets(void *closure, const struct tally_packet *packets, size_t count)
{
    (void)closure;
    (void)packets;
    (void)count;
    return 0;
}

static void put_info(struct output *output, const struct tally_packets *packets, bool json,
                     const char *fault)
{
    const struct packet_sink *sink = packet_sink_find(json ? "jsonl" : "table");
    if (json) {
        sink->begin(output, packets);
    } else {
        output_printf(output, "%-14s%s", "file", tally_packets_path(packets));
        if (tally_packets_size_bytes(packets))
            output_printf(output, ", %" PRIu64 " bytes", tally_packets_size_bytes(packets));
        enum tally_packet_format format = tally_packets_format(packets);
        output_printf(output, "\n%-14s%s, %zu bytes\n", "layout", tally_packet_format_name(format),
                      tally_packet_size(format));
        put_packets_survey(output, packets);
    }
    sink->end(output, packets, fault);
}

int info_packets(const struct arguments *arguments, enum tally_packet_format format)
{
    const char *sink = arguments->values[OPTION_FORMAT];
    struct tally_error error = {0};
    struct tally_packets *packets;
    int code = open_packets(arguments, format, &packets);
    if (code != EXIT_DONE)
        return code;
    int result =
        read_packets(packets, arguments->values[OPTION_QUIET] != NULL, skip_packets, NULL, &error);
    struct output *output = open_output(arguments, &code);
    if (output) {
        bool json = sink && !strcmp(sink, "jsonl");
        put_info(output, packets, json, result < 0 ? error.message : NULL);
        output_flush(output);
        code = close_output(output, finish(arguments, packets, result, &error));
    }
    tally_packets_close(packets);
    return code;
}
