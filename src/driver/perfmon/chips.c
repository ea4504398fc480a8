/* SPDX-License-Identifier: MIT */
#include "driver/perfmon/chips.h"

#include <stdio.h>

#include "nvidia/pcounter/registers.h"

#define MODE_BIT(mode) (1u << PCOUNTER_CTR_MODE__##mode)

/* By the layout of the registers: NV10's CTRL has one bit for the counter mode (PC-AMB-05). GF100's
 * EXTRA_B4 "also needs input on start/event", in a way that nobody has published (PC-AMB-108). */
static const uint8_t counter_modes[] = {
    [LAYOUT_NV10] = MODE_BIT(SIMPLE) | MODE_BIT(EVENT_B4),
    [LAYOUT_NV40] = MODE_BIT(SIMPLE) | MODE_BIT(EVENT_B4) | MODE_BIT(EVENT_B6) |
                    MODE_BIT(EXTRA_B4) | MODE_BIT(EXTRA_B6_EVENT_B2),
    [LAYOUT_GF100] =
        MODE_BIT(SIMPLE) | MODE_BIT(EVENT_B4) | MODE_BIT(EVENT_B6) | MODE_BIT(EXTRA_B6_EVENT_B2),
};

static unsigned set_of(unsigned domain)
{
    return domain / TALLY_PCOUNTER_DOMAINS;
}

bool perfmon_has_domain(const struct tally_chipset *chipset, unsigned domain)
{
    const uint8_t counts[] = {[TALLY_SET_ONLY] = TALLY_PCOUNTER_DOMAINS,
                              [TALLY_SET_GPC] = chipset->gpc_domains,
                              [TALLY_SET_PART] = chipset->partition_domains,
                              [TALLY_SET_HUB] = chipset->hub_domains};
    return domain < TALLY_DOMAINS && tally_chipset_has_domain(chipset, domain) &&
           domain % TALLY_PCOUNTER_DOMAINS < counts[set_of(domain)];
}

unsigned perfmon_instances(const struct tally_chipset *chipset, unsigned domain)
{
    const uint8_t counts[] = {[TALLY_SET_ONLY] = 1,
                              [TALLY_SET_GPC] = chipset->gpcs,
                              [TALLY_SET_PART] = chipset->partitions,
                              [TALLY_SET_HUB] = 1};
    return counts[set_of(domain)];
}

void perfmon_describe_domains(const struct tally_chipset *chipset, char *text, size_t size)
{
    if (perfmon_features(chipset)->sets)
        snprintf(text, size, "GPC0, PART0 to PART%d or HUB0 to HUB%d",
                 chipset->partition_domains - 1, chipset->hub_domains - 1);
    else if (chipset->domain_count > 1)
        snprintf(text, size, "0 to %d", chipset->domain_count - 1);
    else
        snprintf(text, size, "0");
}

uint8_t perfmon_slots(const struct tally_chipset *chipset)
{
    return perfmon_features(chipset)->quad ? (1u << SLOTS) - 1 : 1u << SLOT_EVENT;
}

uint8_t perfmon_counter_modes(const struct tally_chipset *chipset)
{
    return counter_modes[perfmon_features(chipset)->layout];
}

int perfmon_zero_signal(const struct tally_chipset *chipset, unsigned domain)
{
    char flag[32];
    int zero = tally_signal_find(chipset, domain, "ZERO");
    if (zero < 0)
        zero = tally_signal_find(chipset, domain, "PCOUNTER.FLAG");
    if (zero < 0) {
        snprintf(flag, sizeof flag, "PCOUNTER.DOM[%u].FLAG", domain % TALLY_PCOUNTER_DOMAINS);
        zero = tally_signal_find(chipset, domain, flag);
    }
    return zero < 0 ? -1 : zero;
}
