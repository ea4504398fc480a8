/* SPDX-License-Identifier: MIT */
/* Runs .pct scripts in unusual ways. */
#include "nvidia/scripts.h"

#include "nvidia/programs.h"

char *random_script(uint64_t seed)
{
    char *script = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&script, &size);
    program_write(seed, file);
    fclose(file);
    return script;
}

static int put_file(void *context, const char *text, size_t size)
{
    return fwrite(text, 1, size, context) == size ? 0 : -EIO;
}

char *play(const char *script, const struct player *player)
{
    struct tally_error error = {0};
    struct pct *pct;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(pct_new(put_file, out, &pct, &error), 0);
    if (player && player->runner)
        pct_set_runner(pct, player->runner, player->context);
    for (unsigned line = 1; *script; line++) {
        size_t length = strcspn(script, "\n");
        if (pct_line(pct, script, length, &error) != 0)
            fail_msg("line %u: %s", line, error.message);
        if (player && player->hook)
            player->hook(player->context, pct, script);
        script += length + (script[length] == '\n');
    }
    pct_free(pct);
    fclose(out);
    return text;
}

bool has_clock(const struct tally_pcounter_domain *domain, uint64_t tick)
{
    return tick % domain->period == domain->phase;
}

uint64_t clocks_before(const struct tally_pcounter_domain *domain, uint64_t tick)
{
    return tick / domain->period + (tick % domain->period > domain->phase);
}

uint64_t next_clock(const struct tally_pcounter *engine)
{
    uint64_t now = tally_pcounter_now(engine), soonest = UINT64_MAX;
    struct tally_pcounter_domain domain;
    for (unsigned i = 0; tally_pcounter_domain(engine, i, &domain) == 0; i++) {
        uint64_t into = now % domain.period;
        uint64_t wait =
            domain.phase >= into ? domain.phase - into : domain.period - (into - domain.phase);
        soonest = wait < soonest ? wait : soonest;
    }
    return now + soonest;
}

struct tally_pcounter *new_like(const struct tally_pcounter *engine)
{
    struct tally_pcounter_set sets[TALLY_PCOUNTER_DOMAINS_TOTAL];
    struct tally_pcounter_domain domain;
    struct tally_pcounter *other;
    size_t count = 0;
    for (unsigned i = 0; tally_pcounter_domain(engine, i, &domain) == 0; i++) {
        if (domain.number == 0)
            sets[count++] = (struct tally_pcounter_set){domain.set, domain.instance, 0};
        sets[count - 1].domains++;
    }
    assert_int_equal(
        tally_pcounter_new_sets(tally_pcounter_revision(engine), sets, count, &other, NULL), 0);
    return other;
}

static void mix(uint64_t *hash, uint64_t number)
{
    *hash = (*hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    *hash ^= *hash >> 29;
}

uint64_t look_at(const struct tally_pcounter *engine)
{
    uint64_t hash = 1, value;
    struct tally_pcounter_domain domain;
    mix(&hash, tally_pcounter_now(engine));
    for (unsigned i = 0; tally_pcounter_domain(engine, i, &domain) == 0; i++) {
        for (unsigned v = 0; v < TALLY_PCOUNTER_VALUES; v++)
            if (tally_pcounter_peek(engine, i, (enum tally_pcounter_value)v, &value) == 0)
                mix(&hash, value);
        for (unsigned signal = 0; signal < 256; signal++)
            mix(&hash, tally_pcounter_signal(engine, i, signal));
        for (uint32_t offset = 0; domain.address && offset < 0x200; offset += 4)
            mix(&hash, tally_pcounter_read32(engine, domain.address + offset));
    }
    for (uint32_t address = 0xa400; address < 0xa900; address += 4)
        mix(&hash, tally_pcounter_read32(engine, address));
    for (uint32_t address = 0x1b8000; address <= 0x1be000; address += 0x200)
        mix(&hash, tally_pcounter_read32(engine, address));
    mix(&hash, tally_pcounter_read32(engine, 0x200));
    return hash;
}
