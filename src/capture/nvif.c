/* SPDX-License-Identifier: MIT */
#include "capture/nvif.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <tally/chipset.h>

#define REQUEST_BYTES 4096
#define LAST          UINT8_MAX

/* Sends a request: a header, the struct of its type, and arguments, which the answer replaces. */
static int send(const struct nvif *nvif, const struct nvif_ioctl_v0 *header, const void *second,
                size_t second_size, void *arguments, size_t size)
{
    uint8_t bytes[REQUEST_BYTES];
    uint8_t *at = bytes + sizeof *header + second_size;
    size_t all = sizeof *header + second_size + size;
    if (all > sizeof bytes)
        return -E2BIG;
    memcpy(bytes, header, sizeof *header);
    if (second_size)
        memcpy(bytes + sizeof *header, second, second_size);
    if (size)
        memcpy(at, arguments, size);
    uint32_t request = (uint32_t)_IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
                                      DRM_COMMAND_BASE + DRM_NOUVEAU_NVIF, all);
    int result = device_ioctl(nvif->machine, nvif->fd, request, bytes);
    if (size)
        memcpy(arguments, at, size);
    return result < 0 ? result : 0;
}

/* Route 255 with a token of all ones stands for the device of the node. */
static struct nvif_ioctl_v0 header_of(enum nvif_ioctl_type type, uint64_t object)
{
    struct nvif_ioctl_v0 header = {.type = (uint8_t)type, .object = object};
    if (!object) {
        header.route = NVIF_IOCTL_V0_ROUTE_HIDDEN;
        header.token = UINT64_MAX;
    }
    return header;
}

int nvif_new(const struct nvif *nvif, uint64_t parent, uint64_t number, int32_t class,
             const void *arguments, size_t size)
{
    const struct nvif_ioctl_v0 header = header_of(NVIF_IOCTL_V0_NEW, parent);
    const struct nvif_ioctl_new_v0 new = {.object = number, .oclass = class};
    uint8_t copy[REQUEST_BYTES];
    if (size > sizeof copy)
        return -E2BIG;
    if (size)
        memcpy(copy, arguments, size);
    return send(nvif, &header, &new, sizeof new, copy, size);
}

int nvif_delete(const struct nvif *nvif, uint64_t number)
{
    const struct nvif_ioctl_v0 header = header_of(NVIF_IOCTL_V0_DEL, number);
    return send(nvif, &header, NULL, 0, NULL, 0);
}

int nvif_call(const struct nvif *nvif, uint64_t number, uint8_t method, void *arguments,
              size_t size)
{
    const struct nvif_ioctl_v0 header = header_of(NVIF_IOCTL_V0_MTHD, number);
    const struct nvif_ioctl_mthd_v0 call = {.method = method};
    return send(nvif, &header, &call, sizeof call, arguments, size);
}

int nvif_parameter(const struct nvif *nvif, uint64_t parameter, uint64_t *out)
{
    struct drm_nouveau_getparam get = {.param = parameter};
    int result = device_ioctl(
        nvif->machine, nvif->fd,
        (uint32_t)DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GETPARAM, struct drm_nouveau_getparam),
        &get);
    *out = get.value;
    return result < 0 ? result : 0;
}

/* ---- perfmon --------------------------------------------------------------------------------- */

/* Finds which domain has a name of the driver: "pc/01", "gpc/02/00", "part/00/01". */
static bool parse_domain(const char *name, struct nvif_domain *out)
{
    static const struct {
        const char *name;
        unsigned set;
    } sets[] = {{"gpc", TALLY_SET_GPC}, {"part", TALLY_SET_PART}};
    unsigned instance = 0, number;
    char set[8], end;
    if (sscanf(name, "pc/%x%c", &number, &end) == 1 && number < TALLY_PCOUNTER_DOMAINS) {
        out->domain = (uint8_t)TALLY_DOMAIN(TALLY_SET_ONLY, number);
        out->instance = 0;
        return true;
    }
    if (sscanf(name, "%7[a-z]/%x/%x%c", set, &instance, &number, &end) != 3 ||
        number >= TALLY_PCOUNTER_DOMAINS || instance > UINT8_MAX)
        return false;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (!strcmp(set, sets[i].name)) {
            out->domain = (uint8_t)TALLY_DOMAIN(sets[i].set, number);
            out->instance = (uint8_t)instance;
            return true;
        }
    return false;
}

static int list_signals(const struct nvif *nvif, uint64_t perfmon, struct nvif_domain *domain)
{
    struct nvif_perfmon_query_signal_v0 query = {.domain = domain->id};
    for (unsigned queries = 0; queries <= 256; queries++) {
        bool has_entry = query.iter != 0;
        int result = nvif_call(nvif, perfmon, NVIF_PERFMON_V0_QUERY_SIGNAL, &query, sizeof query);
        if (result < 0)
            return result;
        if (has_entry)
            domain->listed[query.signal / 8] |= (uint8_t)(1u << query.signal % 8);
        if (query.iter == UINT16_MAX)
            return 0;
    }
    return -EIO; /* the list has no end */
}

int nvif_list(const struct nvif *nvif, uint64_t perfmon, struct nvif_domains *out)
{
    struct nvif_perfmon_query_domain_v0 query = {0};
    *out = (struct nvif_domains){0};
    for (unsigned queries = 0; queries <= UINT8_MAX; queries++) {
        bool has_entry = query.iter != 0;
        int result = nvif_call(nvif, perfmon, NVIF_PERFMON_V0_QUERY_DOMAIN, &query, sizeof query);
        if (result < 0)
            return result;
        struct nvif_domain *domain = &out->rows[out->count];
        query.name[sizeof query.name - 1] = '\0';
        if (has_entry && out->count < NVIF_DOMAINS && parse_domain(query.name, domain)) {
            domain->id = query.id;
            out->count++;
            result = list_signals(nvif, perfmon, domain);
        }
        if (result < 0)
            return result;
        if (query.iter == LAST)
            return 0;
    }
    return -EIO;
}

int nvif_find_source(const struct nvif *nvif, uint64_t perfmon, const struct nvif_domain *domain,
                     uint8_t signal, const char *name, struct nvif_perfmon_query_source_v0 *out)
{
    *out = (struct nvif_perfmon_query_source_v0){.domain = domain->id, .signal = signal};
    for (unsigned queries = 0; queries <= UINT8_MAX; queries++) {
        bool has_entry = out->iter != 0;
        int result = nvif_call(nvif, perfmon, NVIF_PERFMON_V0_QUERY_SOURCE, out, sizeof *out);
        if (result < 0)
            return result;
        out->name[sizeof out->name - 1] = '\0';
        if (has_entry && !strcmp(out->name, name))
            return 0;
        if (out->iter == LAST)
            return -ENOENT;
    }
    return -EIO;
}
