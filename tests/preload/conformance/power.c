/* SPDX-License-Identifier: MIT */
/* RC6 in sysfs. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

#define IDLE_NS 50000000u

/* Reads the residency in the card's directory, as test suites do. */
static unsigned long residency(void)
{
    char text[32] = "";
    int directory = open(CARD_DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(directory >= 0, "%s", strerror(errno));
    int fd = openat(directory, "gt/gt0/rc6_residency_ms", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        fd = openat(directory, "power/rc6_residency_ms", O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && read(fd, text, sizeof text - 1) > 0, "%s", strerror(errno));
    close(fd);
    close(directory);
    unsigned long value;
    CHECK(sscanf(text, "%lu", &value) == 1, "%s", text);
    return value;
}

static unsigned long grows_by(void)
{
    unsigned long before = residency();
    sleep_ns(IDLE_NS);
    return residency() - before;
}

static void drop_caches(void)
{
    FILE *file = fopen("/sys/kernel/debug/dri/0/i915_gem_drop_caches", "w");
    CHECK(file, "%s", strerror(errno));
    CHECK(fprintf(file, "0x%x", 0x1ffu) > 0 && fclose(file) == 0, "%s", strerror(errno));
}

static void rc6_disable(struct device *device)
{
    struct properties p = sampling_every(device, 0, exponent_of(device, 1000000));
    CHECK(read_number(CARD_DIRECTORY "/power/rc6_enable"), "RC6 is off");
    drop_caches();
    sleep_ns(IDLE_NS);
    unsigned long idle = grows_by();
    CHECK(idle > 0 && idle < 1000, "%lu ms while idle", idle);
    int stream = open_stream(device, 0, p);
    sleep_ns(1000000);
    unsigned long open = grows_by();
    CHECK(open == 0, "%lu ms while a stream is open", open);
    close(stream);
    drop_caches();
    sleep_ns(IDLE_NS);
    idle = grows_by();
    CHECK(idle > 0, "the residency does not grow again");
}

static const struct subtest rows[] = {
    {"rc6-disable", ALL, 0, NULL,
     "RC6 is enabled; its residency grows while idle, is constant while a stream is open, and "
     "grows again afterwards; caches can be dropped",
     rc6_disable, false, true},
};
GROUP(power_group, rows);
