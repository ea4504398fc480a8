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

/* Attaches a wave in the player's repetition: random ones have other seeds. An inverse wave keeps
 * its seed: it refers to the wave of repetition 0. */
static void attach_wave(const struct nvidia_player *player, const struct nvidia_drive *drive,
                        const struct tally_wave *wave)
{
    struct tally_wave seeded;
    if (wave->kind == TALLY_WAVE_PRNG || wave->kind == TALLY_WAVE_BURSTS) {
        seeded = *wave;
        seeded.value = repeated_seed(wave->value, player->repetition);
        wave = &seeded;
    }
    pcounter_attach_from(player->gpu->pcounter, drive->domain, drive->signal, wave,
                         player->origins[drive->domain]);
}

/* Whether a drive changes its signal when a phase begins: not if it is the same constant in all. */
static bool moves(const struct nvidia_program *program, size_t drive)
{
    const struct tally_wave *first = &program->phases[0].waves[drive];
    for (size_t i = 0; i < program->phase_count; i++) {
        const struct tally_wave *wave = &program->phases[i].waves[drive];
        if (wave->kind != TALLY_WAVE_CONSTANT || first->kind != TALLY_WAVE_CONSTANT ||
            wave->value != first->value)
            return true;
    }
    return false;
}

/* Attaches the waves of all signals. At most one drive of a signal is selected; a signal without
 * one is 0. */
static void attach_all(const struct nvidia_player *player)
{
    static const struct tally_wave zero = {.kind = TALLY_WAVE_CONSTANT};
    struct nvidia_program *program = player->program;
    const struct tally_wave *waves = program->phases[player->phase].waves;
    program->playing_count = 0;
    for (size_t i = 0; i < program->drive_count;) {
        const struct nvidia_drive *first = &program->drives[i];
        size_t end = i, selected = program->drive_count;
        for (; end < program->drive_count && program->drives[end].domain == first->domain &&
               program->drives[end].signal == first->signal;
             end++)
            if (is_selected(&program->drives[end], player->gpu))
                selected = end;
        attach_wave(player, first, selected < program->drive_count ? &waves[selected] : &zero);
        if (selected < program->drive_count && moves(program, selected))
            program->playing[program->playing_count++] = selected;
        i = end;
    }
}

/* Begins a phase. */
static void enter(struct nvidia_player *player)
{
    const struct nvidia_program *program = player->program;
    const struct tally_wave *waves = program->phases[player->phase].waves;
    const struct tally_pcounter *engine = player->gpu->pcounter;
    for (unsigned i = 0; i < engine->domain_count; i++)
        player->origins[i] = engine->domains[i].edges;
    for (size_t i = 0; i < program->playing_count; i++)
        attach_wave(player, &program->drives[program->playing[i]], &waves[program->playing[i]]);
}

static void select_signals(void *closure)
{
    attach_all(closure);
}

void nvidia_player_start(struct nvidia_player *player, struct nvidia_program *program,
                         struct nvidia_gpu *gpu)
{
    *player = (struct nvidia_player){.program = program, .gpu = gpu};
    player->next_ns = gpu->ns + program->phases[0].duration_ns;
    gpu->select = select_signals;
    gpu->select_closure = player;
    program->playing_count = 0;
    enter(player);
    attach_all(player);
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
