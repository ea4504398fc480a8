/* SPDX-License-Identifier: MIT */
#include "recording/steady.h"

#include "base/bits.h"

#define VOTES_MIN 4 /* fewer may agree by chance */

/* Maximum number of periods without a pulse on time. Beyond it, the rounding errors of the period
 * would add up. */
#define ANCHOR_PERIODS 64

/*
 * STOP from another clock domain comes a little early or late. With periods shorter than this, such
 * jitter is not tolerated, and nearly all distances must be equal.
 */
#define SHORT_PERIOD 8

static uint64_t tolerance_of(uint64_t period)
{
    return period / 256 + (period >= SHORT_PERIOD);
}

bool steady_near(uint64_t distance, uint64_t period)
{
    uint64_t apart = distance > period ? distance - period : period - distance;
    return apart <= tolerance_of(period);
}

/* Finds the most frequent distance by a majority vote, and counts the distances that agree with it.
 */
static void find_period(const uint64_t *distances, size_t count, struct steady_result *out)
{
    uint64_t candidate = 0, sum = 0;
    size_t votes = 0;
    for (size_t i = 0; i < count; i++) {
        if (!votes)
            candidate = distances[i];
        votes += steady_near(distances[i], candidate) ? 1 : (size_t)-1;
    }
    out->distances = count;
    votes = 0;
    for (size_t i = 0; i < count; i++) {
        bool near = steady_near(distances[i], candidate);
        votes += near;
        sum += near ? distances[i] : 0;
    }
    if (!votes)
        return;
    uint64_t period = (sum + votes / 2) / votes;
    for (size_t i = 0; i < count; i++) {
        out->votes += steady_near(distances[i], period);
        out->jitters |= steady_near(distances[i], period) && distances[i] != period;
    }
    size_t needed = period < SHORT_PERIOD ? count - count / 16 : count / 2 + 1;
    if (out->votes >= VOTES_MIN && out->votes >= needed)
        out->period = period;
}

void steady_learn(const uint8_t *bytes, size_t slots, bool long_format, uint64_t *distances,
                  struct steady_result *out)
{
    const size_t size = packet_size(long_format);
    size_t distance_count = 0;
    uint64_t before, since_stop = 0;
    uint32_t equal[PACKET_COUNTS] = {0}, looked_at[PACKET_COUNTS] = {0};
    bool has_before = false, after_stop = false, whole = false;
    struct slot slot;
    *out = (struct steady_result){0};
    for (size_t at = 0; at < slots && at < STEADY_WINDOW; at++) {
        slot_examine(bytes + at * size, long_format, has_before ? &before : NULL, &slot);
        if (slot.kind != SLOT_PACKET) {
            after_stop = whole =
                false; /* the next packet does not include the events of this one */
            continue;
        }
        if (slot.restart)
            break;
        since_stop += slot.has_delta ? slot.delta : 0;
        if (slot.packet.stop) {
            if (after_stop && slot.packet.stop == 1)
                distances[distance_count++] = since_stop;
            /* Merged pulses came before the time of the packet. */
            after_stop = slot.packet.stop == 1;
            since_stop = 0;
        }
        if (slot.has_delta && whole) {
            out->packets++;
            for (size_t i = 0; i < PACKET_COUNTS; i++) {
                looked_at[i] += slot.packet.counts[i] < PACKET_COUNT_MAX;
                equal[i] += slot.packet.counts[i] == slot.delta;
            }
        }
        before = slot.packet.cycles;
        has_before = whole = true;
    }
    find_period(distances, distance_count, out);
    for (unsigned i = 0; i < PACKET_COUNTS; i++) {
        unsigned always = equal[i] >= VOTES_MIN && equal[i] >= looked_at[i] - looked_at[i] / 8;
        unsigned often = equal[i] >= looked_at[i] - looked_at[i] / 2;
        out->always_on |= (uint16_t)(always << i);
        out->often_on |= (uint16_t)(often << i);
    }
}

static void set_anchor(struct stop_clock *clock, uint64_t cycles, bool anchored)
{
    clock->anchored = anchored;
    clock->anchor = cycles;
    clock->seen = clock->reported = 0;
}

/*
 * A packet's cycle count is the time at which it was sent: at the pulse, or later if the outgoing
 * slot was busy. It counts all pulses up to that time, so the number of pulses due since the anchor
 * is the number of periods since then, rounded down. Pulses that jitter can explain are not counted
 * as missing: the pulse of a packet with one pulse is assumed to be on time; of several pulses, the
 * last may be late.
 */
uint64_t stop_clock_take(struct stop_clock *clock, uint64_t cycles, unsigned stop, bool *early)
{
    *early = false;
    if (!clock->period)
        return 0;
    if (!clock->anchored || stop == PACKET_STOP_MAX) {
        set_anchor(clock, cycles, stop == 1);
        return 0;
    }
    uint64_t tolerance = tolerance_of(clock->period), since = cycles - clock->anchor;
    uint64_t due_max = (since + tolerance) / clock->period; /* maximum number of pulses */
    uint64_t after = (since + tolerance) % clock->period;
    uint64_t due_min = due_max; /* minimum number of pulses */
    if (stop != 1) {
        uint64_t late = clock->jitters ? tolerance : 0;
        due_min = (since > late ? since - late : 0) / clock->period;
    }
    clock->seen += stop;
    if (clock->seen > due_max) {
        *early = true;
        set_anchor(clock, cycles, stop == 1);
        return 0;
    }
    uint64_t missing = due_min > clock->seen ? due_min - clock->seen : 0, fresh = 0;
    if (missing > clock->reported) {
        fresh = missing - clock->reported;
        clock->reported = missing;
    }
    bool on_time = after <= 2 * tolerance;
    if ((stop == 1 && on_time) || due_min > ANCHOR_PERIODS)
        set_anchor(clock, cycles, stop == 1);
    return fresh;
}

uint64_t steady_deficit(const struct slot *slot, uint16_t always_on)
{
    uint64_t deficit = 0;
    for (unsigned i = 0; i < PACKET_COUNTS; i++) {
        uint16_t count = slot->packet.counts[i];
        if (!(always_on >> i & 1) || count == PACKET_COUNT_MAX)
            continue;
        if (count == slot->delta || (deficit && deficit != slot->delta - count))
            return 0;
        deficit = slot->delta - count;
    }
    uint64_t window = slot->delta - deficit; /* cycles that the packet can cover */
    return slot->largest > window || slot->packet.stop > window ? 0 : deficit;
}
