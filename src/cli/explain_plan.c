/* SPDX-License-Identifier: MIT */
/* tally explain CHIPSET EXPRESSION...: how PCOUNTER counts expressions over signals. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plan.h"
#include "driver/perfmon/perfmon.h"
#include "driver/perfmon/registers.h"
#include "nvidia/pcounter/logic.h"

static const char *const counter_modes[] = {
    [PCOUNTER_CTR_MODE__SIMPLE] = "SIMPLE",
    [PCOUNTER_CTR_MODE__EVENT_B4] = "EVENT_B4",
    [PCOUNTER_CTR_MODE__EVENT_B6] = "EVENT_B6",
    [PCOUNTER_CTR_MODE__EXTRA_B4] = "EXTRA_B4",
    [PCOUNTER_CTR_MODE__EXTRA_B6_EVENT_B2] = "EXTRA_B6_EVENT_B2",
};

/* Writes the name of a signal, or nothing. */
static void put_signal_name(struct output *output, const struct tally_chipset *chipset,
                            unsigned domain, unsigned index)
{
    struct tally_signal signal;
    for (size_t i = 0; tally_signal_at(chipset, i, &signal) == 0; i++) {
        if (signal.index != index || signal.domain != domain)
            continue;
        /* An unnamed signal ("TEX.???") may have an alias. */
        bool alias = strstr(signal.name, "???") && *signal.alias;
        output_printf(output, " %s", alias ? signal.alias : signal.name);
        if (!alias && signal.group_last > signal.group_first)
            output_printf(output, "[%u]", index - signal.group_first);
        return;
    }
}

static void put_register(struct output *output, const struct perfmon_unit *unit,
                         enum register_id id, uint32_t value)
{
    struct reg_place place;
    char name[64];
    uint32_t address = perfmon_register(unit, id, &place);
    output_printf(output, "  0x%06" PRIx32 " %-12s = 0x%08" PRIx32, address,
                  reg_element_name(&place, name, sizeof name), value);
}

/* "bd PGRAPH.IDLE, ec ZERO": the four bytes, lowest first. */
static void put_sources(struct output *output, const struct perfmon_setup *setup,
                        const struct perfmon_unit *unit, unsigned slot)
{
    const uint32_t bytes[] = {REG_GET(PCOUNTER_SRC, SIGNAL0, setup->sources[slot]),
                              REG_GET(PCOUNTER_SRC, SIGNAL1, setup->sources[slot]),
                              REG_GET(PCOUNTER_SRC, SIGNAL2, setup->sources[slot]),
                              REG_GET(PCOUNTER_SRC, SIGNAL3, setup->sources[slot])};
    put_register(output, unit, perfmon_source(slot), setup->sources[slot]);
    for (unsigned i = 0; i < EXPRESSION_LEAVES; i++) {
        output_printf(output, "%s %02" PRIx32, i ? "," : " ", bytes[i]);
        put_signal_name(output, unit->chipset, unit->domain, bytes[i]);
    }
    output_text(output, "\n");
}

/* The truth table as a formula, and the delayed arguments. */
static void put_operation(struct output *output, const struct perfmon_setup *setup,
                          const struct perfmon_unit *unit, unsigned slot)
{
    char formula[160];
    uint32_t value = setup->operations[slot];
    put_register(output, unit, perfmon_operation(slot), value);
    output_printf(
        output, "  %s",
        logic_formula((uint16_t)REG_GET(PCOUNTER_OP, LOGIC, value), formula, sizeof formula));
    if (REG_GET(PCOUNTER_OP, ARG0_DELAY, value))
        output_text(output, ", a0 one clock ago");
    if (REG_GET(PCOUNTER_OP, ARG1_DELAY, value))
        output_text(output, ", a1 one clock ago");
    output_text(output, "\n");
}

void put_placement(struct output *output, const struct perfmon_plan *plan, size_t request,
                   const char *title)
{
    const struct perfmon_placement *placement = &plan->placements[request];
    const struct perfmon_tap *tap = &plan->taps[placement->first_tap];
    const struct perfmon_setup *setup = &plan->setups[tap->setup];
    const struct perfmon_unit unit = {plan->chipset, setup->domain, setup->instance};
    const char *clock =
        setup->domain < TALLY_PCOUNTER_DOMAINS ? plan->chipset->domains[setup->domain].clock : NULL;
    output_style(output, "1");
    output_text(output, title);
    output_style(output, "0");
    output_printf(output, "\n  domain %s", tally_domain_name(placement->domain));
    if (placement->instance != ALL_INSTANCES)
        output_printf(output, "[%d]", placement->instance);
    else if (placement->tap_count > 1)
        output_printf(output, " (sum of %" PRIu32 ", the first is shown)", placement->tap_count);
    if (clock)
        output_printf(output, " (%s)", clock);
    output_printf(output, ", CTR_%s, counter mode %s, pass %" PRIu32 " of %u\n",
                  perfmon_slot_name(tap->slot), counter_modes[setup->counter_mode],
                  placement->pass + 1, plan->passes);
    /* The bits of an integer are in START_SRC, and in EVENT_SRC. */
    if (placement->function.bit_count && tap->slot == SLOT_EVENT)
        put_sources(output, setup, &unit, SLOT_START);
    put_sources(output, setup, &unit, tap->slot);
    if (placement->function.bit_count && tap->slot == SLOT_START)
        put_sources(output, setup, &unit, SLOT_EVENT);
    put_operation(output, setup, &unit, tap->slot);
}

int explain_plan(const struct arguments *arguments, const struct tally_chipset *chipset)
{
    size_t count = arguments->operand_count - 1;
    struct perfmon_request *requests = calloc(count + 1, sizeof *requests);
    struct perfmon_plan *plan = NULL;
    struct tally_error error = {-ENOMEM, "out of memory"};
    int code = EXIT_DONE;
    if (!count) {
        free(requests);
        return usage_error("explain: expects an expression after %s, such as PGRAPH.IDLE (see "
                           "tally list signals --chipset %s)",
                           chipset->name, chipset->name);
    }
    for (size_t i = 0; requests && i < count; i++)
        requests[i] = (struct perfmon_request){.expression = arguments->operands[i + 1],
                                               .domain = ANY_DOMAIN,
                                               .instance = ALL_INSTANCES};
    if (!requests || perfmon_plan_new(chipset, requests, count, 0, &plan, &error) < 0) {
        free(requests);
        return report_error(&error);
    }
    struct output *output = open_output(arguments, &code);
    for (size_t i = 0; output && i < count; i++)
        put_placement(output, plan, i, requests[i].expression);
    if (output)
        code = close_output(output, code);
    perfmon_plan_free(plan);
    free(requests);
    return code;
}
