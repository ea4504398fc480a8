/* SPDX-License-Identifier: MIT */
/* PTIMER: a counter of 56 bits, shown as nanoseconds of which it is bits 60:5, and the signal of
 * PCOUNTER that follows one of its bits. */
#include "base/bits.h"
#include "nvidia/gpu/gpu.h"
#include "nvidia/gpu/registers.h"
#include "nvidia/pcounter/engine.h"

/* Its clock source is 31.25 MHz, so that with the ratio 1 the time is in nanoseconds (decided; a
 * driver sets the ratio of a real one for that). */
#define SOURCE_NS 32u

/* Bits of TIME_LOW's counter, and of both. */
#define LOW_BITS     REG_WIDTH(PTIMER_TIME_LOW, COUNTER)
#define COUNTER_MASK ((UINT64_C(1) << (LOW_BITS + REG_WIDTH(PTIMER_TIME_HIGH, COUNTER))) - 1)

#define SIGNAL_NAME "PTIMER_TIME_B12"
#define SIGNAL_BIT  12u

/* ---- the counter ----------------------------------------------------------------------------- */

/* Advances a copy of the timer to a time. A multiplier above the divider is not possible, and
 * counts like the divider; a divider of 0 stops the counter (decided). */
static struct nvidia_timer timer_at(const struct nvidia_timer *timer, uint64_t ns)
{
    struct nvidia_timer now = *timer;
    if (ns <= timer->base_ns)
        return now;
    uint64_t clocks = ns / SOURCE_NS - timer->base_ns / SOURCE_NS;
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
    uint64_t word = 0, first_ns = tick_of(domain, clock) * NVIDIA_TICK_NS;
    uint64_t last_ns = tick_of(domain, clock + 63) * NVIDIA_TICK_NS;
    uint64_t first = timer_at(&gpu->timer, first_ns).counter;
    uint64_t last = timer_at(&gpu->timer, last_ns).counter;
    if (first >> SIGNAL_BIT == last >> SIGNAL_BIT)
        return first >> SIGNAL_BIT & 1 ? UINT64_MAX : 0;
    for (unsigned i = 0; i < 64; i++) {
        uint64_t ns = tick_of(domain, clock + i) * NVIDIA_TICK_NS;
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
    case GPU_TIME_LOW:
        low = REG_GET(PTIMER_TIME_LOW, COUNTER, value);
        break;
    default:
        high = REG_GET(PTIMER_TIME_HIGH, COUNTER, value);
        break;
    }
    timer.counter = high << LOW_BITS | low;
    change(gpu, &timer);
}
