/* SPDX-License-Identifier: MIT */
/* The table of PCOUNTER's revisions, from the document's "Introduction" and the chipset ranges that
 * it gives in brackets. */
#include "nvidia/revisions.h"

#include <stdio.h>
#include <string.h>

// clang-format off
const struct pcounter_features pcounter_features[TALLY_PCOUNTER_REVISIONS] = {
    [TALLY_PCOUNTER_NV10] = {
        .range = "NV10:NV15", .layout = LAYOUT_NV10, .domains = 1,
        .trailer = &nv10_trailer, .trailer_size = 0x20, .counter_width = 40, .single = true,
    },
    [TALLY_PCOUNTER_NV15] = {
        .range = "NV15:NV20", .layout = LAYOUT_NV10, .domains = 1,
        .trailer = &nv10_trailer, .trailer_size = 0x20, .counter_width = 40, .single = true,
    },
    [TALLY_PCOUNTER_NV20] = {
        .range = "NV20:NV30", .layout = LAYOUT_NV10, .domains = 2,
        .trailer = &nv20_trailer, .trailer_size = 0x20, .counter_width = 40, .single = true,
    },
    [TALLY_PCOUNTER_NV30] = {
        .range = "NV30:NV40", .layout = LAYOUT_NV10, .domains = 2,
        .trailer = &nv20_trailer, .trailer_size = 0x20, .counter_width = 32,
        .single = true, .quad = true, .swap = SWAP_PM_TRIGGER, .shared_flag_sources = true,
    },
    [TALLY_PCOUNTER_NV40] = {
        .range = "NV40:G84", .layout = LAYOUT_NV40, .domains = 8,
        .trailer = &nv40_trailer, .trailer_size = 0x20, .counter_width = 32,
        .single = true, .quad = true, .swap = SWAP_PM_TRIGGER, .shared_flag_sources = true,
        .pulse_imports = true,
    },
    [TALLY_PCOUNTER_G84] = {
        .range = "G84:G92", .layout = LAYOUT_NV40, .domains = 8,
        .trailer = &g84_trailer, .trailer_size = 0x20, .counter_width = 32,
        .single = true, .quad = true, .record = true, .swap = SWAP_SELECTED, .pre_op_swaps = true,
        .shared_flag_sources = true, .pulse_imports = true, .periodic = true,
    },
    [TALLY_PCOUNTER_G92] = {
        .range = "G92:GT215", .layout = LAYOUT_NV40, .domains = 8,
        .trailer = &g84_trailer, .trailer_size = 0x20, .counter_width = 32,
        .single = true, .quad = true, .record = true, .swap = SWAP_SELECTED, .pre_op_swaps = true,
        .shared_flag_sources = true, .pulse_imports = true, .periodic = true,
    },
    [TALLY_PCOUNTER_GT215] = {
        .range = "GT215:GF100", .layout = LAYOUT_NV40, .domains = 8,
        .trailer = &g84_trailer, .trailer_size = 0x20, .counter_width = 32,
        .single = true, .quad = true, .record = true, .swap = SWAP_SELECTED, .pre_op_swaps = true,
        .shared_flag_sources = true, .pulse_imports = true, .periodic = true, .users = 2,
    },
    [TALLY_PCOUNTER_GF100] = {
        .range = "GF100-", .layout = LAYOUT_GF100, .domains = 8,
        .trailer = &gf100_trailer, .trailer_size = 0x40, .counter_width = 32, .sets = true,
        .single = true, .quad = true, .swap = SWAP_SELECTED, .shared_flag_sources = true,
        .pulse_imports = true, .periodic = true, .users = 4, .users_in_trailer = true,
        .shows_state = true,
    },
};
// clang-format on

const char *tally_pcounter_revision_name(enum tally_pcounter_revision revision)
{
    return (unsigned)revision < TALLY_PCOUNTER_REVISIONS ? pcounter_features[revision].range : NULL;
}

const struct tally_chipset *pcounter_oldest_chipset(enum tally_pcounter_revision revision)
{
    const struct tally_chipset *chipset;
    for (size_t i = 0; (chipset = tally_chipset_at(i)); i++)
        if (chipset->revision == revision)
            return chipset;
    return NULL;
}

const char *pcounter_revision_names(char text[REVISION_NAMES])
{
    text[0] = '\0';
    for (unsigned i = 0; i < TALLY_PCOUNTER_REVISIONS; i++) {
        size_t used = strlen(text);
        snprintf(text + used, REVISION_NAMES - used, "%s%s", used ? ", " : "",
                 pcounter_oldest_chipset((enum tally_pcounter_revision)i)->name);
    }
    return text;
}
