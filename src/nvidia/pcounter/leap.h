/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_PCOUNTER_LEAP_H
#define TALLY_NVIDIA_PCOUNTER_LEAP_H

/* Leaps over many clocks: leap.c; what inputs are in them, and their counts: leap_functions.c. */

#include <stdbool.h>
#include <stdint.h>

#include <tally/wave.h>

struct domain;
struct tally_pcounter;
struct workspace;

/* The clocks of a leap of a domain. */
struct leap_span {
    uint64_t edge; /* number of the first one */
    uint64_t clocks;
    bool swaps; /* quad event mode: SWAP is 1 at the first one */
};

/* A wave, and its clock at clock 0 of the domain, modulo 2^64. */
struct leap_term {
    const struct tally_wave *wave;
    uint64_t origin;
};

/* What an input is in a leap: a truth table of 2^count bits over waves that vary. */
struct leap_function {
    uint16_t table;
    uint8_t count;
    struct leap_term terms[4];
};

/* ---- leap_functions.c ------------------------------------------------------------------------ */

/* Returns what drives a signal from a clock on. */
struct leap_term leap_term(const struct tally_pcounter *engine, const struct domain *domain,
                           uint8_t signal, uint64_t edge);

/* Whether the wave of a term keeps its value for some clocks. */
bool leap_term_is_steady(const struct leap_term *term, uint64_t edge, uint64_t clocks);

/* Returns the function of an input in a leap. The domain keeps it for later leaps if nothing but
 * time can change it. */
const struct leap_function *leap_function(const struct tally_pcounter *engine,
                                          struct domain *domain, unsigned input,
                                          const struct leap_span *span);

/* Returns the value of a function at a clock. */
bool leap_function_at(const struct leap_function *function, uint64_t edge);

/* Returns the ones of a function in a leap, and how often it rises. before: its value at the clock
 * before. */
uint64_t leap_ones(const struct leap_function *function, struct workspace *w,
                   const struct leap_span *span);
uint64_t leap_rises(const struct leap_function *function, struct workspace *w, bool before,
                    const struct leap_span *span);

/* ---- leap.c ---------------------------------------------------------------------------------- */

/* Whether a domain can leap: no; when it has run some clocks; yes. Sets span->swaps. */
enum leap { LEAP_NO, LEAP_LATER, LEAP_YES };
enum leap leap_possible(const struct tally_pcounter *engine, struct domain *domain,
                        struct leap_span *span);

/* Advances the counters, and with GF100 EVENT, over clocks for which leap_possible() is LEAP_YES.
 */
void leap_domain(const struct tally_pcounter *engine, struct domain *domain, struct workspace *w,
                 const struct leap_span *span);

#endif
