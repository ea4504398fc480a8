/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTS_NOUVEAU_NVIF_H
#define TALLY_TESTS_NOUVEAU_NVIF_H

/*
 * NVIF, nouveau's interface of objects, as a client sees it: the requests of the ioctl
 * DRM_NOUVEAU_NVIF, written down from the kernel's public definitions
 * (drivers/gpu/drm/nouveau/include/nvif/{ioctl,cl0080,if0002,if0003}.h of Linux 6.1).
 */

#include <stddef.h>
#include <stdint.h>

/* The ioctl, whose size is that of the request. */
#define DRM_NVIF(size) _IOC(_IOC_READ | _IOC_WRITE, 'd', 0x40 + 0x07, size)

enum nvif_request {
    NVIF_NOP,
    NVIF_CLASSES,
    NVIF_NEW,
    NVIF_DELETE,
    NVIF_CALL,
    NVIF_READ,
    NVIF_WRITE,
    NVIF_MAP,
    NVIF_UNMAP,
    NVIF_NOTIFY_NEW,
    NVIF_NOTIFY_DELETE,
    NVIF_NOTIFY_GET,
    NVIF_NOTIFY_PUT,
    NVIF_REQUESTS
};
enum nvif_class { CLIENT = 0, CONTROL = -1, PERFMON = -2, PERFDOM = -3, DEVICE = 0x80 };
enum device_method { DEVICE_INFO, DEVICE_TIME };
enum perfmon_method { QUERY_DOMAIN, QUERY_SIGNAL, QUERY_SOURCE };
enum perfdom_method { INIT, SAMPLE, READ };

#define ROUTE_DEVICE 0xff /* with all ones as token: the device of this client */
#define COUNTERS     4
#define LAST_DOMAIN  UINT8_MAX
#define LAST_SIGNAL  UINT16_MAX
#define LAST_SOURCE  UINT8_MAX

struct nvif_header {
    uint8_t version, type, padding[4], owner, route;
    uint64_t token, object;
};

/* A request to make an object; its arguments follow. */
struct nvif_new {
    uint8_t version, padding[6], route;
    uint64_t token, object;
    uint32_t handle;
    int32_t class;
};

/* A request to call a method of an object; its arguments follow. */
struct nvif_call {
    uint8_t version, method, padding[6];
};

struct nvif_classes {
    uint8_t version, count, padding[6];
    struct {
        int32_t class;
        int16_t min_version, max_version;
    } classes[8];
};

/* A register of a device. */
struct nvif_access {
    uint8_t version, size, padding[2];
    uint32_t data;
    uint64_t address;
};

struct device_new {
    uint8_t version, padding[7];
    uint64_t device;
};

struct device_info {
    uint8_t version, platform;
    uint16_t chipset;
    uint8_t revision, family, padding[2];
    uint64_t ram, user_ram;
    char chip[16], name[64];
};

/* Masks of engines, and numbers of channels. */
struct device_lists {
    uint8_t version, count, padding[6];
    struct {
        uint64_t what, data;
    } lists[4];
};

struct device_time {
    uint8_t version, padding[7];
    uint64_t ns;
};

struct domain_query {
    uint8_t version, id, counters, next;
    uint16_t signals;
    uint8_t padding[2];
    char name[64];
};

struct signal_query {
    uint8_t version, domain;
    uint16_t next;
    uint8_t signal, sources, padding[2];
    char name[64];
};

struct source_query {
    uint8_t version, domain, signal, next, padding[4];
    uint32_t source, mask;
    char name[64];
};

struct perfdom {
    uint8_t version, domain, mode, padding;
    struct {
        uint8_t signal[4];
        uint64_t source[4][8];
        uint16_t logic;
    } counters[COUNTERS];
};

struct perfdom_values {
    uint8_t version, padding[7];
    uint32_t counts[COUNTERS], clocks;
    uint8_t padding2[4];
};

/* The largest request. */
#define NVIF_BYTES (sizeof(struct nvif_header) + sizeof(struct nvif_new) + sizeof(struct perfdom))

/* Sends a request: its two headers and arguments, which the answer replaces. Returns 0, or -1 with
 * errno. */
int nvif_send(int node, struct nvif_header *request, void *header, size_t header_size,
              void *arguments, size_t size);

/* Makes an object of a class. parent 0: the device of this client. */
int nvif_make(int node, uint64_t parent, uint64_t object, enum nvif_class class, void *arguments,
              size_t size);

/* Deletes an object. */
int nvif_delete(int node, uint64_t object);

/* Calls a method of an object. */
int nvif_method(int node, uint64_t object, unsigned method, void *arguments, size_t size);

#endif
