/* SPDX-License-Identifier: MIT */
#include "vm/signals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "testbench/pct.h"

#define SCRIPT_BYTES_MAX (16u << 20)

struct vm_signals {
    char *path;
    struct buffer text;
    size_t at;      /* next line */
    unsigned line;  /* its number, from 1 on */
    uint64_t ticks; /* time of the GPU at which the script continues */
    struct pct *pct;

    void (*note)(void *closure, const char *text);
    void *closure;
};

/* ---- lines ----------------------------------------------------------------------------------- */

static int ignore_output(void *context, const char *text, size_t size)
{
    (void)context, (void)text, (void)size;
    return 0;
}

/* `run`: time passes elsewhere. */
static int wait_ticks(void *context, struct tally_pcounter *engine, uint64_t ticks,
                      struct tally_error *error)
{
    struct vm_signals *signals = context;
    (void)engine, (void)error;
    signals->ticks = ticks > UINT64_MAX - signals->ticks ? UINT64_MAX : signals->ticks + ticks;
    return 0;
}

static bool has_ended(const struct vm_signals *signals)
{
    return signals->at >= signals->text.size;
}

static int play_line(struct vm_signals *signals, struct tally_error *error)
{
    const char *line = signals->text.bytes + signals->at;
    size_t left = signals->text.size - signals->at;
    const char *end = memchr(line, '\n', left);
    size_t size = end ? (size_t)(end - line) + 1 : left;
    int result = pct_line(signals->pct, line, size, error);
    if (result < 0) {
        char place[300];
        snprintf(place, sizeof place, "%.256s:%u", signals->path, signals->line);
        signals->at = signals->text.size;
        return error->message[0] ? fail_in(error, "%s", place) : fail_memory(error, "a script");
    }
    signals->at += size;
    signals->line++;
    return 0;
}

/* Executes lines up to a time in ticks. */
static int play_until(struct vm_signals *signals, uint64_t ticks, struct tally_error *error)
{
    int result = 0;
    while (result == 0 && !has_ended(signals) && signals->ticks <= ticks)
        result = play_line(signals, error);
    return result;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Begins the script, for an engine. */
static int begin(struct vm_signals *signals, const struct tally_chipset *chipset,
                 struct tally_pcounter *engine, void (*note)(void *closure, const char *text),
                 void *closure, struct tally_error *error)
{
    pct_free(signals->pct);
    signals->at = 0;
    signals->line = 1;
    signals->ticks = 0;
    int result = pct_new(ignore_output, NULL, &signals->pct, error);
    if (result < 0) {
        signals->pct = NULL;
        return result;
    }
    pct_drive(signals->pct, chipset, engine);
    pct_allow_files(signals->pct, note, closure);
    pct_set_runner(signals->pct, wait_ticks, signals);
    return 0;
}

/* Executes all lines on another GPU, so that an error shows at once. */
static int check(struct vm_signals *signals, const struct tally_chipset *chipset,
                 struct tally_error *error)
{
    struct nvidia_gpu *gpu;
    int result = nvidia_gpu_new(chipset, &gpu, error);
    if (result < 0)
        return result;
    result = begin(signals, chipset, gpu->pcounter, NULL, NULL, error);
    if (result == 0)
        result = play_until(signals, UINT64_MAX, error);
    nvidia_gpu_free(gpu);
    return result;
}

/* ---- use ------------------------------------------------------------------------------------- */

static uint64_t next_ns(void *closure)
{
    const struct vm_signals *signals = closure;
    return has_ended(signals) ? UINT64_MAX : signals->ticks; /* a tick of this GPU is 1 ns */
}

static int play(struct vm_signals *signals, struct tally_error *error)
{
    return play_until(signals, tally_pcounter_now(pct_engine(signals->pct)), error);
}

static void act(void *closure)
{
    struct vm_signals *signals = closure;
    struct tally_error error = {0};
    if (play(signals, &error) < 0 && signals->note)
        signals->note(signals->closure, error.message);
}

int vm_signals_new(const char *path, struct driven_gpu *driven,
                   void (*note)(void *closure, const char *text), void *closure,
                   struct vm_signals **out, struct tally_error *error)
{
    struct vm_signals *signals = calloc(1, sizeof *signals);
    if (!signals || !(signals->path = strdup(path))) {
        free(signals);
        return fail_memory(error, "a script");
    }
    const struct nvidia_gpu *gpu = driven->gpu;
    signals->note = note;
    signals->closure = closure;
    int result = buffer_load(&signals->text, path, SCRIPT_BYTES_MAX, error);
    if (result == 0 && signals->text.size > SCRIPT_BYTES_MAX)
        result = fail(error, -EFBIG, "%s: longer than %u MiB", path, SCRIPT_BYTES_MAX >> 20);
    if (result == 0)
        result = check(signals, gpu->chipset, error);
    if (result == 0)
        result = begin(signals, gpu->chipset, gpu->pcounter, note, closure, error);
    if (result == 0)
        result = play(signals, error);
    if (result < 0) {
        vm_signals_free(signals);
        return result;
    }
    driven->next_ns = next_ns;
    driven->act = act;
    driven->act_closure = signals;
    *out = signals;
    return 0;
}

void vm_signals_free(struct vm_signals *signals)
{
    if (!signals)
        return;
    pct_free(signals->pct);
    buffer_fini(&signals->text);
    free(signals->path);
    free(signals);
}
