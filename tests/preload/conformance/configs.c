/* SPDX-License-Identifier: MIT */
/* Configurations that clients add and remove. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sets.h"

#define UUID "01234567-0123-0123-0123-0123456789ab"

/* ---- the calls ------------------------------------------------------------------------------- */

static struct drm_i915_perf_oa_config config_of(const char *uuid, struct pairs mux,
                                                struct pairs boolean, struct pairs flex)
{
    struct drm_i915_perf_oa_config config = {
        .n_mux_regs = mux.count,
        .n_boolean_regs = boolean.count,
        .n_flex_regs = flex.count,
        .mux_regs_ptr = (uintptr_t)mux.list,
        .boolean_regs_ptr = (uintptr_t)boolean.list,
        .flex_regs_ptr = (uintptr_t)flex.list,
    };
    memcpy(config.uuid, uuid, sizeof config.uuid);
    return config;
}

static int add_config(const struct device *device, struct drm_i915_perf_oa_config config)
{
    return call(device->fd, DRM_IOCTL_I915_PERF_ADD_CONFIG, &config);
}

static int remove_config(const struct device *device, uint64_t id)
{
    return call(device->fd, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &id);
}

static bool is_in_sysfs(const char *uuid, uint64_t *id)
{
    char path[160], text[32];
    snprintf(path, sizeof path, CARD_DIRECTORY "/metrics/%s/id", uuid);
    if (read_text(path, text, sizeof text) <= 0)
        return false;
    *id = strtoull(text, NULL, 10);
    return true;
}

uint64_t find_test_set(const struct device *device)
{
    struct test_set set = test_set_of(device->platform);
    uint64_t id;
    if (is_in_sysfs(set.uuid, &id))
        return id;
    errno = 0;
    int added = add_config(device, config_of(set.uuid, set.mux, set.boolean, set.flex));
    if (added > 0)
        CHECK(is_in_sysfs(set.uuid, &id) && id == (uint64_t)added, "set %d is not in sysfs", added);
    CHECK(added > 0 || errno == EACCES, "%s", strerror(errno));
    return added > 0 ? (uint64_t)added : 0;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static const struct pair noa[] = {{0x9888, 0}};

static struct pairs list_of(const struct pair *list, size_t count)
{
    return (struct pairs){list, (uint32_t)count};
}

static const struct pairs none = {NULL, 0};

static void invalid_create(struct device *device)
{
    static const struct pair wrong[] = {{0x12345678, 0}};
    static const char *const uuids[] = {
        "01234567-0123-0123-0123-0123456789a", /* it ends with the list's first byte, 0 */
        "01234567-0123-0123-0123-0123456789ag", "01234567_0123-0123-0123-0123456789ab",
        "012345670-123-0123-0123-0123456789ab", "                                    ",
    };
    struct pairs good = list_of(noa, 1);
    for (size_t i = 0; i < COUNT(uuids); i++)
        FAILS(add_config(device, config_of(uuids[i], good, none, none)), EINVAL);
    FAILS(add_config(device, config_of(UUID, list_of(wrong, 1), none, none)), EINVAL);
    FAILS(add_config(device, config_of(UUID, none, list_of(wrong, 1), none)), EINVAL);
    FAILS(add_config(device, config_of(UUID, list_of(noa, 0), none, none)), EINVAL);
    FAILS(add_config(device, config_of(UUID, none, none, none)), EINVAL);
    FAILS(add_config(device, config_of(UUID, list_of(NULL, 42), none, none)), EINVAL);
    FAILS(add_config(device,
                     config_of(UUID, list_of((const void *)(uintptr_t)0xdeadbeef, 42), none, none)),
          EFAULT);
    uint64_t id;
    CHECK(!is_in_sysfs(UUID, &id), "a rejected set is in sysfs");
}

/* ---- removing -------------------------------------------------------------------------------- */

static uint64_t shared_id;

static void removal_is_denied(struct device *device)
{
    FAILS(remove_config(device, shared_id), EACCES);
}

static void invalid_remove(struct device *device)
{
    uint64_t id, wrong = 999999999;
    shared_id = (uint64_t)WORKS(add_config(device, config_of(UUID, list_of(noa, 1), none, none)));
    in_child(device, true, removal_is_denied);
    CHECK(is_in_sysfs(UUID, &id) && id == shared_id, "the set was removed");
    FAILS(remove_config(device, wrong), ENOENT);
    WORKS(remove_config(device, shared_id));
    FAILS(remove_config(device, shared_id), ENOENT);
    CHECK(!is_in_sysfs(UUID, &id), "the set was not removed");
}

/* ---- adding, using and removing a set -------------------------------------------------------- */

static struct drm_i915_perf_oa_config example(const struct device *device)
{
    static struct pair flex[50];
    for (size_t i = 0; i < COUNT(flex); i++)
        flex[i] = (struct pair){0xe458, 0};
    return config_of(UUID, list_of(noa, 1), none,
                     device->platform == HSW ? none : list_of(flex, COUNT(flex)));
}

static void addition_is_denied(struct device *device)
{
    FAILS(add_config(device, example(device)), EACCES);
}

static void create_destroy(struct device *device)
{
    in_child(device, true, addition_is_denied);
    uint64_t id = (uint64_t)WORKS(add_config(device, example(device)));
    CHECK(id > 1, "id %llu", (unsigned long long)id);
    FAILS(add_config(device, example(device)), EADDRINUSE);
    device->set = id;
    struct properties p = sampling_every(device, 0, exponent_of(device, 1000000));
    int stream = open_stream(device, 0, p);
    WORKS(remove_config(device, id)); /* while it is in use */
    uint8_t report[256];
    read_reports(device, stream, format_of_all(device), exponent_of(device, 1000000), false, report,
                 1);
    close(stream);
    REFUSE(device, 0, p, EINVAL);
    id = (uint64_t)WORKS(add_config(device, example(device)));
    device->set = id;
    close(open_stream(device, 0, sampling_every(device, 0, exponent_of(device, 1000000))));
    WORKS(remove_config(device, id));
}

/* ---- registers ------------------------------------------------------------------------------- */

#define MOST 32

static unsigned add_range(struct pair *list, unsigned count, uint32_t first, uint32_t last)
{
    for (; first <= last; first += 4)
        list[count++] = (struct pair){first, 0};
    return count;
}

static unsigned add_all(struct pair *list, const uint32_t *addresses, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        list[i] = (struct pair){addresses[i], 0};
    return count;
}

static struct pairs mux_registers(const struct device *device, struct pair *list)
{
    static const uint32_t hsw[] = {0x9888, 0x9ec0, 0x25100, 0x2ff90, 0xe180, 0x91b8, 0x91c8},
                          chv[] = {0x9888, 0x182300, 0x1823a4, 0xe180, 0x91b8, 0x91c8},
                          others[] = {0x9888, 0xd04, 0xd2c, 0x20cc, 0xe180, 0x91b8, 0x91c8},
                          gen12[] = {0x9888, 0xd04, 0xd2c, 0x20cc};
    if (device->platform == HSW)
        return list_of(list, add_all(list, hsw, COUNT(hsw)));
    if (device->platform == CHV)
        return list_of(list, add_all(list, chv, COUNT(chv)));
    if (device->platform == TGL)
        return list_of(list, add_all(list, gen12, COUNT(gen12)));
    return list_of(list, add_all(list, others, COUNT(others)));
}

static void whitelisted(struct device *device)
{
    static const uint32_t addresses[] = {0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c};
    struct pair boolean[MOST], flex[MOST], mux[MOST];
    bool gen12 = device->platform == TGL;
    unsigned count =
        gen12 ? add_range(boolean, 0, 0xd900, 0xd91c) : add_range(boolean, 0, 0x2710, 0x272c);
    count = gen12 ? add_range(boolean, count, 0xd920, 0xd93c)
                  : add_range(boolean, count, 0x2740, 0x275c);
    struct pairs flexible = none;
    if (device->platform != HSW)
        flexible = list_of(flex, add_all(flex, addresses, COUNT(addresses)));
    struct drm_i915_perf_oa_config config =
        config_of(UUID, mux_registers(device, mux), list_of(boolean, count), flexible);
    uint64_t id = (uint64_t)WORKS(add_config(device, config));
    WORKS(remove_config(device, id));
    flex[0] = (struct pair){0x12345678, 0}; /* not in the whitelist */
    FAILS(add_config(device, config_of(UUID, list_of(flex, 1), none, none)), EINVAL);
}

static const struct subtest rows[] = {
    {"invalid-create-userspace-config", ALL, 0, NULL,
     "malformed uuids, an address that is not a register, no registers, and counts without lists: "
     "EINVAL; 42 registers at an inaccessible address: EFAULT",
     invalid_create, false, false},
    {"invalid-remove-userspace-config", ALL, 0, NULL,
     "removing a set without root: EACCES, and the set stays; removing an unknown set: ENOENT",
     invalid_remove, false, false},
    {"create-destroy-userspace-config", ALL, 0, NULL,
     "adding without root: EACCES; the same uuid twice: EADDRINUSE; a stream opens with the new "
     "set, which can be removed while in use, is then unknown, and can be added again",
     create_destroy, false, false},
    {"whitelisted-registers-userspace-config", ALL, 0, NULL,
     "a set with all trigger, flexible EU and NOA registers of PERF-3.5 is accepted; a set with "
     "address 12345678h is not",
     whitelisted, false, false},
};
GROUP(configs_group, rows);
