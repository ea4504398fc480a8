/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_NVIF_H
#define TALLY_CAPTURE_NVIF_H

/*
 * The client's side of NVIF, nouveau's interface to its objects, as far as perfmon needs it
 * (docs/nouveau-driver.md). Functions return 0 or the errno of the ioctl.
 */

#include "capture/device.h"
#include "driver/nouveau/uapi.h"

/* An open node. Objects have numbers that the client chooses, not 0. */
struct nvif {
    const struct device *machine;
    int fd;
};

/* Makes an object of a class, as a child of another one; parent 0: of the node's device. */
int nvif_new(const struct nvif *nvif, uint64_t parent, uint64_t number, int32_t class,
             const void *arguments, size_t size);
int nvif_delete(const struct nvif *nvif, uint64_t number);

/* Calls a method of an object, or of the node's device (0). The answer replaces the arguments. */
int nvif_call(const struct nvif *nvif, uint64_t number, uint8_t method, void *arguments,
              size_t size);

/* Reads a parameter of the driver, NOUVEAU_GETPARAM_... */
int nvif_parameter(const struct nvif *nvif, uint64_t parameter, uint64_t *out);

/* ---- perfmon --------------------------------------------------------------------------------- */

#define NVIF_DOMAINS 64

/* A domain that perfmon lists. */
struct nvif_domain {
    uint8_t id;               /* of perfmon */
    uint8_t domain, instance; /* TALLY_DOMAIN() */
    uint8_t listed[256 / 8];  /* mask of the signals */
};

struct nvif_domains {
    struct nvif_domain rows[NVIF_DOMAINS];
    size_t count;
};

/* Lists the domains of an object of class PERFMON with their signals; those with names that are not
 * known are left out. */
int nvif_list(const struct nvif *nvif, uint64_t perfmon, struct nvif_domains *out);

/* Finds the source of a signal by its name. Returns 0; -ENOENT: the signal does not have it. */
int nvif_find_source(const struct nvif *nvif, uint64_t perfmon, const struct nvif_domain *domain,
                     uint8_t signal, const char *name, struct nvif_perfmon_query_source_v0 *out);

#endif
