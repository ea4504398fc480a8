/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_TRACKS_H
#define TALLY_SINK_TRACKS_H

#include "sink/sink.h"

/*
 * What timelines show besides counters, found batch by batch in the order of the recording: the
 * times that a context ran, the reports that an event has caused (a trigger, RC6, a change of the
 * clock), correlation points, and at the end the losses, pauses, sections of marks, and frames.
 */
struct tracks {
    bool cpu_time;    /* times are those of the CPU: the input begins with a correlation point */
    bool running;     /* a context runs at the end of the last batch */
    uint32_t context; /* its id */
    uint64_t start_ticks; /* since when */
    uint64_t last_ticks;  /* time of the last report */
    uint64_t point_ticks; /* of the latest correlation point; 0: none */
    uint64_t events;      /* calls so far */
    struct buffer bytes;  /* what the calls have written and is not in the output yet */
};

/* Each appends to `to`; `id` is unique within the input. `point` may be NULL. */
struct tracks_calls {
    void (*slice)(struct buffer *to, const struct sink_context *context, uint64_t id,
                  uint64_t start_ticks, uint64_t end_ticks, uint32_t gpu_context);
    void (*event)(struct buffer *to, const struct sink_context *context, uint64_t id,
                  uint64_t ticks, unsigned reasons);
    void (*point)(struct buffer *to, const struct sink_context *context,
                  const struct tally_correlation *point);
    /* `end_ticks` is at least `start_ticks`. */
    void (*loss)(struct buffer *to, const struct sink_context *context, uint64_t id,
                 uint64_t start_ticks, uint64_t end_ticks, const struct tally_loss *loss);
    void (*pause)(struct buffer *to, const struct sink_context *context, uint64_t id,
                  uint64_t start_ticks, uint64_t end_ticks, const struct tally_pause *pause);
    /* `name` is an index of the marks' names, or MARK_OTHERS; `text` is it as a text. */
    void (*section)(struct buffer *to, const struct sink_context *context, uint64_t id,
                    uint64_t start_ticks, uint64_t end_ticks, uint32_t name, const char *text);
    /* A frame ends; they are counted from 1. */
    void (*frame)(struct buffer *to, const struct sink_context *context, uint64_t id,
                  uint64_t ticks, size_t number);
};

/* Makes the calls for a batch, or for the end of the input, and writes their bytes at once. */
void tracks_batch(struct output *output, const struct sink_context *context,
                  const struct tally_batch *batch, const struct tracks_calls *calls);
void tracks_end(struct output *output, const struct sink_context *context,
                const struct tracks_calls *calls);

/* Decides which clock the times have; called before any of the others. */
void tracks_begin(const struct sink_context *context);

/* Converts a time to nanoseconds of that clock: the CPU's if there are correlation points, else the
 * GPU's. */
uint64_t tracks_ns(const struct sink_context *context, uint64_t ticks);

/* Formats the names of an input's GPU, "modelled Haswell GT3" or, of several inputs, "modelled
 * Haswell GT3 #1"; and what is known of a loss, "report-lost 2 after report 61, about 3 reports".
 * Return `text`. */
#define TRACKS_TEXT_BYTES 128
char *tracks_gpu_name(char text[TRACKS_TEXT_BYTES], const struct sink_context *context);
char *tracks_loss_text(char text[TRACKS_TEXT_BYTES], const struct tally_loss *loss);

/* What to write into a timeline without CPU times. */
extern const char tracks_without_cpu_time[];

/* Appends the bytes of a buffer to the output at once, and frees them. */
void tracks_write(struct output *output, struct buffer *bytes);

#endif
