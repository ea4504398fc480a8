/* SPDX-License-Identifier: MIT */
/* Computes when each fault happens: the same for the same script and seed. */
#include "base/ratio.h"
#include "emulation/faults/script.h"

/* splitmix64: maps each number to a pseudo-random one. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Returns a pseudo-random number from 0 to `max`, evenly distributed. */
static uint64_t draw(const struct faults_script *script, size_t index, uint64_t n, uint64_t max)
{
    uint64_t number = mix(mix(mix(script->seed) + index) + n);
    return (uint64_t)(((uint128)number * ((uint128)max + 1)) >> 64);
}

uint64_t fault_when(const struct faults_script *script, size_t index, uint64_t n)
{
    const struct fault *fault = &script->faults[index];
    if (fault->times && n >= fault->times)
        return UINT64_MAX;
    uint128 when = (uint128)n * fault->every + fault->first + draw(script, index, n, fault->jitter);
    return when < UINT64_MAX ? (uint64_t)when : UINT64_MAX;
}

uint64_t faults_disk_bytes(const struct faults_script *script)
{
    uint64_t min = UINT64_MAX;
    for (size_t i = 0; script && i < script->count; i++)
        if (script->faults[i].kind == FAULT_DISK_FULL && script->faults[i].first < min)
            min = script->faults[i].first;
    return min;
}
