/* SPDX-License-Identifier: MIT */
/* Waveforms (OAT-3). */
#include "oa_reference.h"

static uint64_t splitmix64(uint64_t seed, uint64_t m)
{
    uint64_t z = seed + (m + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static bool prng_bit(uint64_t seed, uint64_t p, uint64_t k)
{
    return (splitmix64(seed, k / 8) >> (8 * (k % 8)) & 0xff) < p;
}

/* docs/oat.md, "scatter": in each block of 256 clocks, p of them. */
static bool scatter_bit(uint64_t seed, uint64_t p, uint64_t k)
{
    uint64_t rotated = k % 256 + splitmix64(seed, k / 256) % 256;
    return rotated * 157 % 256 < p;
}

uint32_t oa_reference_wave_value(const struct oa_reference_wave *wave, uint64_t n)
{
    uint64_t k = n - wave->start;
    bool bit = false;
    switch (wave->kind) {
    case OA_WAVE_CONST:
        bit = true;
        break;
    case OA_WAVE_PATTERN:
        bit = wave->bits[k % wave->count] == '1';
        break;
    case OA_WAVE_ONCE:
        bit = k < wave->count && wave->bits[k] == '1';
        break;
    case OA_WAVE_EVERY:
        bit = k % wave->p == wave->q;
        break;
    case OA_WAVE_PRNG:
        bit = prng_bit(wave->p, wave->q, k);
        break;
    case OA_WAVE_SCATTER:
        bit = scatter_bit(wave->p, wave->q, k);
        break;
    case OA_WAVE_SEQ:
        return wave->values[k % wave->count];
    case OA_WAVE_UNI:
        return (uint32_t)((splitmix64(wave->p, k) >> 32) % (wave->value + 1));
    }
    return bit ? (uint32_t)wave->value : 0;
}
