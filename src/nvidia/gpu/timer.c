/* SPDX-License-Identifier: MIT */
/* PTIMER: a counter of 56 bits, shown as nanoseconds of which it is bits 60:5, its alarm, and the
 * signal of PCOUNTER that follows one of its bits. */
#include "base/bits.h"
#include "nvidia/gpu/gpu.h"
#include "nvidia/gpu/registers.h"
#include "nvidia/pcounter/engine.h"

/* The clock sources: the external one, which is selected after a reset, is 31.25 MHz, so that with
 * the ratio 1 the time is in nanoseconds (decided); the crystal is as the board's straps say. */
#define EXTERNAL_KHZ 31250u
#define CRYSTAL_KHZ  25000u

#define NS_PER_MS UINT64_C(1000000)

/* Bits of TIME_LOW's counter, and of both. */
#define LOW_BITS     REG_WIDTH(PTIMER_TIME_LOW, COUNTER)
#define COUNTER_MASK ((UINT64_C(1) << (LOW_BITS + REG_WIDTH(PTIMER_TIME_HIGH, COUNTER))) - 1)

#define SIGNAL_NAME "PTIMER_TIME_B12"
#define SIGNAL_BIT  12u

/* ---- the counter ----------------------------------------------------------------------------- */

/* Returns the clocks of the source up to a time. */
static uint64_t source_clocks(const struct nvidia_timer *timer, uint64_t ns)
{
    uint32_t mul = REG_GET(PTIMER_CLOCK_SOURCE, INTERNAL_MUL, timer->source) + 1;
    uint32_t div = REG_GET(PTIMER_CLOCK_SOURCE, INTERNAL_DIV, timer->source) + 1;
    uint64_t khz = REG_GET(PTIMER_CLOCK_SOURCE, SELECT, timer->source) ? EXTERNAL_KHZ
                                                                       : CRYSTAL_KHZ * mul / div;
    return ns / NS_PER_MS * khz + ns % NS_PER_MS * khz / NS_PER_MS;
}

/* Advances a copy of the timer to a time. A multiplier above the divider is not possible, and
 * counts like the divider; a divider of 0 stops the counter (decided). */
static struct nvidia_timer timer_at(const struct nvidia_timer *timer, uint64_t ns)
{
    struct nvidia_timer now = *timer;
    if (ns <= timer->base_ns)
        return now;
    uint64_t clocks = source_clocks(timer, ns) - source_clocks(timer, timer->base_ns);
    now.base_ns = ns;
    if (timer->disabled || !timer->div)
        return now;
    uint64_t mul = timer->mul < timer->div ? timer->mul : timer->div;
    uint64_t rest = clocks % timer->div * mul + timer->remainder;
    uint64_t ticks = clocks / timer->div * mul + rest / timer->div;
    now.counter = (timer->counter + ticks) & COUNTER_MASK;
    now.remainder = rest % timer->div;
    return now;
}

uint32_t nvidia_timer_read(const struct nvidia_gpu *gpu, unsigned id)
{
    const struct nvidia_timer now = timer_at(&gpu->timer, gpu->ns);
    switch ((enum nvidia_register_id)id) {
    case GPU_CLOCK_DIV:
        return now.div;
    case GPU_CLOCK_MUL:
        return now.mul;
    case GPU_CLOCK_SOURCE:
        return now.source;
    case GPU_TIMER_INTR:
        return now.intr;
    case GPU_TIMER_INTR_EN:
        return now.intr_en;
    case GPU_TIMER_ALARM:
        return now.alarm;
    case GPU_TIME_LOW:
        return REG_PUT(PTIMER_TIME_LOW, COUNTER, now.counter);
    default:
        return REG_PUT(PTIMER_TIME_HIGH, COUNTER, now.counter >> LOW_BITS);
    }
}

/* ---- the signal ------------------------------------------------------------------------------ */

/* Returns the ones of a counter's bit at 64 clocks of domain 0. */
static uint64_t signal_word(const struct nvidia_gpu *gpu, uint64_t clock)
{
    const struct domain *domain = &gpu->pcounter->domains[0];
    uint64_t word = 0, first_ns = tick_of(domain, clock) / gpu->ticks_per_ns;
    uint64_t last_ns = tick_of(domain, clock + 63) / gpu->ticks_per_ns;
    uint64_t first = timer_at(&gpu->timer, first_ns).counter;
    uint64_t last = timer_at(&gpu->timer, last_ns).counter;
    if (first >> SIGNAL_BIT == last >> SIGNAL_BIT)
        return first >> SIGNAL_BIT & 1 ? UINT64_MAX : 0;
    for (unsigned i = 0; i < 64; i++) {
        uint64_t ns = tick_of(domain, clock + i) / gpu->ticks_per_ns;
        word |= (timer_at(&gpu->timer, ns).counter >> SIGNAL_BIT & 1) << i;
    }
    return word;
}

static const uint64_t *supply(void *context, uint64_t first, size_t count, uint64_t *buffer)
{
    const struct nvidia_gpu *gpu = context;
    for (size_t i = 0; i < count; i++)
        buffer[i] = signal_word(gpu, gpu->timer_origin + first + 64 * i);
    return buffer;
}

/* Attaches the signal: from the next clock on it follows the timer as it is now. */
static void attach(struct nvidia_gpu *gpu)
{
    const struct tally_wave wave = tally_wave_custom(supply, gpu);
    gpu->timer_origin = gpu->pcounter->domains[0].edges;
    tally_pcounter_attach(gpu->pcounter, 0, (unsigned)gpu->timer_signal, &wave);
}

/* Whether the signal follows the timer: a caller may have attached another wave. */
static bool is_attached(const struct nvidia_gpu *gpu)
{
    return gpu->timer_signal >= 0 &&
           gpu->pcounter->domains[0].waves[gpu->timer_signal].wave.context == gpu;
}

void nvidia_timer_init(struct nvidia_gpu *gpu)
{
    gpu->timer_signal =
        tally_signal_find(gpu->chipset, TALLY_DOMAIN(TALLY_SET_ONLY, 0), SIGNAL_NAME);
    if (gpu->timer_signal >= 0)
        attach(gpu);
}

/* ---- changes --------------------------------------------------------------------------------- */

static void change(struct nvidia_gpu *gpu, const struct nvidia_timer *timer)
{
    gpu->timer = *timer;
    if (is_attached(gpu))
        attach(gpu);
}

void nvidia_timer_reset(struct nvidia_gpu *gpu, bool enable)
{
    const struct nvidia_timer timer = {.base_ns = gpu->ns,
                                       .div = REG_RESET(PTIMER_CLOCK_DIV),
                                       .mul = REG_RESET(PTIMER_CLOCK_MUL),
                                       .source = REG_RESET(PTIMER_CLOCK_SOURCE),
                                       .disabled = !enable};
    change(gpu, &timer);
}

void nvidia_timer_write(struct nvidia_gpu *gpu, unsigned id, uint32_t value)
{
    struct nvidia_timer timer = timer_at(&gpu->timer, gpu->ns);
    uint64_t low = timer.counter & low_bits(LOW_BITS), high = timer.counter >> LOW_BITS;
    switch ((enum nvidia_register_id)id) {
    case GPU_CLOCK_DIV:
        timer.div = REG_GET(PTIMER_CLOCK_DIV, DIV, value);
        timer.remainder = 0;
        break;
    case GPU_CLOCK_MUL:
        timer.mul = REG_GET(PTIMER_CLOCK_MUL, MUL, value);
        timer.remainder = 0;
        break;
    case GPU_CLOCK_SOURCE:
        timer.source = value & (REG_MASK(PTIMER_CLOCK_SOURCE, INTERNAL_MUL) |
                                REG_MASK(PTIMER_CLOCK_SOURCE, INTERNAL_DIV) |
                                REG_MASK(PTIMER_CLOCK_SOURCE, SELECT));
        timer.remainder = 0;
        break;
    case GPU_TIMER_INTR:
        timer.intr &= ~value;
        break;
    case GPU_TIMER_INTR_EN:
        timer.intr_en = value & REG_MASK(PTIMER_INTR_EN, ALARM);
        break;
    case GPU_TIMER_ALARM:
        timer.alarm = value & REG_MASK(PTIMER_ALARM, TIME);
        break;
    case GPU_TIME_LOW:
        low = REG_GET(PTIMER_TIME_LOW, COUNTER, value);
        break;
    default:
        high = REG_GET(PTIMER_TIME_HIGH, COUNTER, value);
        break;
    }
    timer.counter = high << LOW_BITS | low;
    change(gpu, &timer);
    nvidia_interrupts_update(gpu);
}

/* ---- the alarm ------------------------------------------------------------------------------- */

void nvidia_timer_alarm(struct nvidia_gpu *gpu, uint64_t before_ns)
{
    uint64_t before = timer_at(&gpu->timer, before_ns).counter;
    uint64_t after = timer_at(&gpu->timer, gpu->ns).counter;
    uint64_t alarm = REG_GET(PTIMER_ALARM, TIME, gpu->timer.alarm);
    if (((alarm - before - 1) & low_bits(LOW_BITS)) >= after - before)
        return;
    gpu->timer.intr |= REG_MASK(PTIMER_INTR, ALARM);
    nvidia_interrupts_update(gpu);
}
