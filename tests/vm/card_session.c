/* SPDX-License-Identifier: MIT */
/*
 * Counts on a real card, which a guest has, with the session of src/driver/perfmon:
 *
 *     card_session 0000:00:02.0 EXPRESSION SAMPLES [kill]
 *
 * prints "COUNT CLOCKS FLAGS" for each sample of 10 ms; with "kill" it ends by SIGKILL, else it
 * closes the card. test_cards.py runs it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card/card.h"
#include "driver/perfmon/perfmon.h"

#define SAMPLE_NS 10000000u

static struct card *card;

static void check(int result, const struct tally_error *error)
{
    if (result == 0)
        return;
    fprintf(stderr, "%s\n", error->message);
    card_close(card, NULL);
    exit(1);
}

int main(int count, char **arguments)
{
    struct tally_error error = {0};
    struct perfmon_plan *plan;
    struct perfmon_session *session;
    struct perfmon_sample sample;
    if (count < 4)
        return 2;
    check(card_open(&(struct card_settings){.name = arguments[1], .writable = true}, &card, &error),
          &error);
    struct driver_io io = card_io(card);
    const struct tally_chipset *chipset = card_info(card)->chipset;
    struct perfmon_request request = {
        .expression = arguments[2], .domain = ANY_DOMAIN, .instance = ALL_INSTANCES};
    check(perfmon_plan_new(chipset, &request, 1, 0, &plan, &error), &error);
    check(perfmon_session_new(chipset, &io, 0, &session, &error), &error);
    check(perfmon_session_start(session, plan, 0, &error), &error);
    for (int i = atoi(arguments[3]); i > 0; i--) {
        driver_sleep_ns(&io, SAMPLE_NS, false);
        check(perfmon_session_sample(session, &sample, &error), &error);
        printf("%llu %llu %u\n", (unsigned long long)sample.counts[0].value,
               (unsigned long long)sample.clocks[plan->placements[0].clock].value,
               (unsigned)sample.counts[0].flags);
        fflush(stdout);
    }
    if (count > 4 && !strcmp(arguments[4], "kill"))
        raise(SIGKILL);
    perfmon_session_free(session);
    perfmon_plan_free(plan);
    check(card_close(card, &error), &error);
    return 0;
}
