/* SPDX-License-Identifier: MIT */
/* PCOUNTER record buffers as inputs. */
#include "cli/packets.h"

#include "base/bits.h"
#include "cli/unknown.h"

bool packets_wanted(const struct arguments *arguments, enum tally_packet_format *format)
{
    const char *layout = arguments->values[OPTION_LAYOUT];
    return layout && !tally_packet_format_find(layout, format);
}

int open_packets(const struct arguments *arguments, enum tally_packet_format format,
                 struct tally_packets **out)
{
    static const enum option_id intel_only[] = {OPTION_PLATFORM, OPTION_TIMESTAMP_HZ};
    struct tally_error error = {0};
    for (size_t i = 0; i < ARRAY_COUNT(intel_only); i++)
        if (arguments->values[intel_only[i]])
            return usage_error("--%s is for Intel reports; layout %s is a PCOUNTER record buffer",
                               option_rows[intel_only[i]].name, tally_packet_format_name(format));
    bool map = arguments->values[OPTION_MAP] != NULL;
    if (tally_packets_open(arguments->operands[0], format, map, out, &error) < 0)
        return report_file_error(&error, arguments->operands[0]);
    return EXIT_DONE;
}
