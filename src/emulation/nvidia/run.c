/* SPDX-License-Identifier: MIT */
/* Plays a program: attaches the waves of a phase to the signals that the selectors let through. */
#include "base/minmax.h"
#include "emulation/nvidia/program.h"
#include "nvidia/pcounter/engine.h"

/* Whether the selectors let a drive reach its signal. */
static bool is_selected(const struct nvidia_drive *drive, const struct nvidia_gpu *gpu)
{
    for (unsigned i = 0; i < drive->conditions; i++) {
        const uint32_t *units = gpu->selected[drive->condition[i].selector];
        uint32_t value = units[drive->condition[i].unit];
        if ((value & drive->condition[i].mask) != drive->condition[i].value)
            return false;
    }
    return true;
}

/* Returns the wave of a drive in the player's repetition: random ones have other seeds. An inverse
 * wave keeps its seed: it refers to the wave of repetition 0. */
static struct tally_wave wave_of(const struct nvidia_player *player, size_t drive)
{
    struct tally_wave wave = player->program->phases[player->phase].waves[drive];
    if (wave.kind == TALLY_WAVE_PRNG || wave.kind == TALLY_WAVE_BURSTS)
        wave.value = repeated_seed(wave.value, player->repetition);
    return wave;
}

/* Attaches the waves of all signals. At most one drive of a signal is selected; a signal without
 * one is 0. */
static void attach(const struct nvidia_player *player)
{
    const struct nvidia_program *program = player->program;
    for (size_t i = 0; i < program->drive_count;) {
        const struct nvidia_drive *first = &program->drives[i];
        struct tally_wave wave = tally_wave_constant(false);
        size_t end = i;
        for (; end < program->drive_count && program->drives[end].domain == first->domain &&
               program->drives[end].signal == first->signal;
             end++)
            if (is_selected(&program->drives[end], player->gpu))
                wave = wave_of(player, end);
        pcounter_attach_from(player->gpu->pcounter, first->domain, first->signal, &wave,
                             player->origins[first->domain]);
        i = end;
    }
}

static void enter(struct nvidia_player *player)
{
    const struct tally_pcounter *engine = player->gpu->pcounter;
    for (unsigned i = 0; i < engine->domain_count; i++)
        player->origins[i] = engine->domains[i].edges;
    attach(player);
}

static void select_signals(void *closure)
{
    attach(closure);
}

void nvidia_player_start(struct nvidia_player *player, const struct nvidia_program *program,
                         struct nvidia_gpu *gpu)
{
    *player = (struct nvidia_player){.program = program, .gpu = gpu};
    player->next_ns = gpu->ns + program->phases[0].duration_ns;
    gpu->select = select_signals;
    gpu->select_closure = player;
    enter(player);
}

void nvidia_player_act(struct nvidia_player *player)
{
    while (player->gpu->ns >= player->next_ns) {
        if (++player->phase == player->program->phase_count) {
            player->phase = 0;
            player->repetition++;
        }
        player->next_ns += player->program->phases[player->phase].duration_ns;
        enter(player);
    }
}
