/* SPDX-License-Identifier: MIT */
/* Which domain a register needs: the tables that tally mmio uses, compared with the model. */
#include <string.h>

#include "driver/domains.h"
#include "driver/mmio_rig.h"
#include "driver/tests.h"
#include "intel/gpu/gpu.h"
#include "intel/registers.h"

static const struct driver_io *io_of(const struct mmio_rig *rig)
{
    static struct driver_io io;
    io = (struct driver_io){emulation_read32, emulation_write32, emulation_gpu_ns,
                            emulation_sleep_ns, rig->emulation};
    return &io;
}

/* Returns the number of addresses at which table and model differ while `awake` (indices into
 * wake_domains, a mask) are awake, and prints the first. */
static unsigned differences(const struct mmio_rig *rig, uint32_t awake, unsigned *asleep)
{
    const struct reg_index *index = intel_register_index(rig->platform->revision);
    unsigned differ = 0;
    for (uint32_t at = 0; at < 0x200000; at += 4) {
        unsigned element;
        if (!reg_index_find(index, at, &element))
            continue;
        const char *outcome = tally_gpu_outcome(rig->emulation->gpu, at, false);
        uint32_t needed = wake_domains_at(rig->platform, at);
        bool sleeps = !strcmp(outcome, "asleep"), expected = needed && !(needed & awake);
        /* Registers of engines that do not exist are in no domain of the model. */
        if (!strcmp(outcome, "unimplemented") || !strcmp(outcome, "fused off"))
            continue;
        *asleep += sleeps;
        if (sleeps != expected && !differ++)
            print_error("%s: 0x%06x: the model is %s, needed %x, awake %x\n",
                        rig->platform->info.name, at, outcome, needed, awake);
    }
    return differ;
}

/* Whether the GPU has a domain: those of engines that a product lacks are missing. */
static bool has_domain(const struct mmio_rig *rig, const struct wake_domain *domain)
{
    return domain->revisions & INTEL_BIT(rig->platform->revision) &&
           rig->emulation->gpu->wake.present & GT_DOMAIN_BIT(domain->domain);
}

static void test_needed_domains(void **state)
{
    (void)state;
    for (size_t p = 0; emulation_platform(p, false); p++) {
        const char *name = emulation_platform(p, false);
        unsigned asleep = 0, before = 0;
        struct mmio_rig *rig = mmio_rig_new(name, NULL);
        unsigned differ = differences(rig, 0, &before);
        ROW(__LINE__, !differ && before, "%s: %u registers differ, %u asleep", name, differ,
            before);
        for (unsigned i = 0; i < WAKE_DOMAINS; i++) {
            const struct wake_domain *domain = &wake_domains[i];
            if (!has_domain(rig, domain))
                continue;
            ROW(__LINE__, !wake_domain_is_awake(domain, io_of(rig)), "%s: %u", name, i);
            wake_domain_request(domain, io_of(rig), true);
            ROW(__LINE__, wake_domain_is_awake(domain, io_of(rig)), "%s: %u", name, i);
            asleep = 0;
            differ = differences(rig, 1u << i, &asleep);
            ROW(__LINE__, !differ && asleep < before, "%s: domain %u: %u registers differ", name, i,
                differ);
            wake_domain_request(domain, io_of(rig), false);
        }
        asleep = 0;
        differ = differences(rig, 0, &asleep);
        ROW(__LINE__, !differ && asleep == before, "%s: %u asleep again of %u", name, asleep,
            before);
        mmio_rig_free(rig);
    }
    ROWS_DONE();
}

/* The kernel's request stays when a user's is released. */
static void test_the_users_bit(void **state)
{
    (void)state;
    for (size_t p = 0; emulation_platform(p, false); p++) {
        struct mmio_rig *rig = mmio_rig_new(emulation_platform(p, false), NULL);
        const struct driver_io *io = io_of(rig);
        for (unsigned i = 0; i < WAKE_DOMAINS; i++) {
            const struct wake_domain *domain = &wake_domains[i];
            /* SNB's only bit is the kernel's. */
            if (!has_domain(rig, domain) || domain->request == FORCEWAKE)
                continue;
            driver_write32(io, domain->request, WAKE_REQUEST);
            wake_domain_request(domain, io, true);
            ROW(__LINE__, driver_read32(io, domain->request) == 3, "%s: %u",
                rig->platform->info.name, i);
            wake_domain_request(domain, io, false);
            ROW(__LINE__, driver_read32(io, domain->request) == 1, "%s: %u",
                rig->platform->info.name, i);
        }
        mmio_rig_free(rig);
    }
    ROWS_DONE();
}

int run_domains_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_needed_domains),
        cmocka_unit_test(test_the_users_bit),
    };
    return cmocka_run_group_tests_name("domains", tests, NULL, NULL);
}
