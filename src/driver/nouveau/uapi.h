/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_NOUVEAU_UAPI_H
#define TALLY_DRIVER_NOUVEAU_UAPI_H

/*
 * The kernel's interface: libdrm's copy of nouveau_drm.h, with the requests that it does not name,
 * and NVIF: the structs of its ioctl, written down from the public definitions of Linux 6.1
 * (drivers/gpu/drm/nouveau/include/nvif/{ioctl,class,cl0080,if0000,if0002,if0003}.h) with their
 * names. Structs have the caller's byte order.
 */

#include <drm.h>
#include <nouveau_drm.h>
#include <stdint.h>

#define NOUVEAU_REQUEST(name, type) DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_##name, type)

/* ---- requests -------------------------------------------------------------------------------- */

enum nvif_ioctl_type {
    NVIF_IOCTL_V0_NOP,
    NVIF_IOCTL_V0_SCLASS,
    NVIF_IOCTL_V0_NEW,
    NVIF_IOCTL_V0_DEL,
    NVIF_IOCTL_V0_MTHD,
    NVIF_IOCTL_V0_RD,
    NVIF_IOCTL_V0_WR,
    NVIF_IOCTL_V0_MAP,
    NVIF_IOCTL_V0_UNMAP,
    NVIF_IOCTL_V0_NTFY_NEW,
    NVIF_IOCTL_V0_NTFY_DEL,
    NVIF_IOCTL_V0_NTFY_GET,
    NVIF_IOCTL_V0_NTFY_PUT
};

#define NVIF_IOCTL_V0_ROUTE_HIDDEN 0xff
#define NVIF_VERSION_LATEST        UINT64_C(0x100)

struct nvif_ioctl_v0 {
    uint8_t version, type, pad02[4], owner, route;
    uint64_t token, object;
};

struct nvif_ioctl_nop_v0 {
    uint64_t version;
};

struct nvif_ioctl_sclass_oclass_v0 {
    int32_t oclass;
    int16_t minver, maxver;
};

struct nvif_ioctl_sclass_v0 {
    uint8_t version, count, pad02[6];
};

struct nvif_ioctl_new_v0 {
    uint8_t version, pad01[6], route;
    uint64_t token, object;
    uint32_t handle;
    int32_t oclass;
};

struct nvif_ioctl_mthd_v0 {
    uint8_t version, method, pad02[6];
};

struct nvif_ioctl_rd_v0 {
    uint8_t version, size, pad02[2];
    uint32_t data;
    uint64_t addr;
};

struct nvif_ioctl_map_v0 {
    uint8_t version, type, pad02[6];
    uint64_t handle, length;
};

/* ---- classes --------------------------------------------------------------------------------- */

#define NVIF_CLASS_CLIENT    0
#define NVIF_CLASS_CONTROL   (-1)
#define NVIF_CLASS_PERFMON   (-2)
#define NVIF_CLASS_PERFDOM   (-3)
#define NVIF_CLASS_MMU_NV04  ((int32_t)0x80000009)
#define NVIF_CLASS_MMU_NV50  ((int32_t)0x80005009)
#define NVIF_CLASS_MMU_GF100 ((int32_t)0x80009009)
#define NV_DEVICE            0x80
#define NV_DMA_FROM_MEMORY   0x02
#define NV_DMA_TO_MEMORY     0x03
#define NV_DMA_IN_MEMORY     0x3d
#define NV10_CHANNEL_DMA     0x006e
#define NV17_CHANNEL_DMA     0x176e
#define NV40_CHANNEL_DMA     0x406e
#define NV50_CHANNEL_GPFIFO  0x506f
#define G82_CHANNEL_GPFIFO   0x826f
#define FERMI_CHANNEL_GPFIFO 0x906f

/* ---- client and device ----------------------------------------------------------------------- */

#define NVIF_CLIENT_V0_DEVLIST 0

struct nvif_client_devlist_v0 {
    uint8_t version, count, pad02[6];
};

struct nv_device_v0 {
    uint8_t version, priv, pad02[6];
    uint64_t device; /* all ones: the one that was opened */
};

#define NV_DEVICE_V0_INFO 0
#define NV_DEVICE_V0_TIME 1

enum nv_device_platform { NV_DEVICE_INFO_V0_IGP, NV_DEVICE_INFO_V0_PCI };

enum nv_device_family {
    NV_DEVICE_INFO_V0_CELSIUS = 2,
    NV_DEVICE_INFO_V0_KELVIN,
    NV_DEVICE_INFO_V0_RANKINE,
    NV_DEVICE_INFO_V0_CURIE,
    NV_DEVICE_INFO_V0_TESLA,
    NV_DEVICE_INFO_V0_FERMI
};

struct nv_device_info_v0 {
    uint8_t version, platform;
    uint16_t chipset;
    uint8_t revision, family, pad06[2];
    uint64_t ram_size, ram_user;
    char chip[16], name[64];
};

#define NV_DEVICE_INFO_INVALID UINT64_MAX

struct nv_device_info_v1 {
    uint8_t version, count, pad02[6];
};

struct nv_device_info_v1_data {
    uint64_t mthd, data;
};

struct nv_device_time_v0 {
    uint8_t version, pad01[7];
    uint64_t time;
};

/* ---- perfmon --------------------------------------------------------------------------------- */

#define NVIF_PERFMON_V0_QUERY_DOMAIN 0
#define NVIF_PERFMON_V0_QUERY_SIGNAL 1
#define NVIF_PERFMON_V0_QUERY_SOURCE 2

struct nvif_perfmon_query_domain_v0 {
    uint8_t version, id, counter_nr, iter;
    uint16_t signal_nr;
    uint8_t pad05[2];
    char name[64];
};

struct nvif_perfmon_query_signal_v0 {
    uint8_t version, domain;
    uint16_t iter;
    uint8_t signal, source_nr, pad05[2];
    char name[64];
};

struct nvif_perfmon_query_source_v0 {
    uint8_t version, domain, signal, iter, pad04[4];
    uint32_t source, mask;
    char name[64];
};

#define NVIF_PERFDOM_V0_INIT   0
#define NVIF_PERFDOM_V0_SAMPLE 1
#define NVIF_PERFDOM_V0_READ   2

struct nvif_perfdom_v0 {
    uint8_t version, domain, mode, pad03;
    struct {
        uint8_t signal[4];
        uint64_t source[4][8];
        uint16_t logic_op;
    } ctr[4];
};

struct nvif_perfdom_read_v0 {
    uint8_t version, pad01[7];
    uint32_t ctr[4], clk;
    uint8_t pad04[4];
};

#endif
