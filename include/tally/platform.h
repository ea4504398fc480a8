/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PLATFORM_H
#define TALLY_PLATFORM_H

/*
 * Intel GPUs: the tables of platforms and PCI device ids, and the topology (slices, subslices, EUs)
 * of a GPU.
 *
 * Platforms and devices are static data; never free them. All functions are pure and may be called
 * from any thread.
 */

#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Layouts of RPT_ID, the first dword of a report (PERF-4.6). */
enum tally_report_id {
    TALLY_REPORT_ID_GEN6,  /* SNB to HSW: timer and trigger bits, no context */
    TALLY_REPORT_ID_GEN8,  /* reason 24:19, context valid 25 */
    TALLY_REPORT_ID_GEN9,  /* reason 24:19, context valid 16 */
    TALLY_REPORT_ID_GEN12, /* reason 25:19, context id always valid */
};

/* An Intel GPU generation. */
struct tally_platform {
    const char *name;           /* short name in lower case: "hsw" */
    const char *title;          /* "Haswell" */
    const char *layout_family;  /* family of its report layouts: "hsw" */
    uint16_t version;           /* graphics version times ten: 75 is Gen7.5 */
    uint8_t report_id;          /* enum tally_report_id */
    uint8_t default_format;     /* enum drm_i915_oa_format with all counters; 0: the driver does not
                                   support OA */
    uint16_t kernel_formats;    /* formats that the driver accepts, a bit each */
    uint8_t eu_threads;         /* hardware threads of one EU, of the common SKU */
    uint8_t oa_timestamp_shift; /* OA timestamp = command streamer timestamp << shift */
    uint8_t max_slices;         /* of all SKUs */
    uint8_t max_subslices;      /* per slice */
    uint8_t max_eus;            /* per subslice */
    uint16_t example_eus;       /* EUs of the common SKU */
    uint16_t example_device;    /* PCI device id of the common SKU */
    uint16_t gt_min_mhz;        /* clock range of the common SKU */
    uint16_t gt_max_mhz;
    uint32_t timestamp_hz; /* OA timestamp clock of common parts */
};

/* Return the number of platforms, and the platform at an index, ordered by generation (NULL past
 * the end). */
TALLY_API size_t tally_platform_count(void);
TALLY_API const struct tally_platform *tally_platform_at(size_t index);

/* Finds a platform by its short name, ignoring case ("hsw", "SKL"). Returns NULL if it is
 * unknown. */
TALLY_API const struct tally_platform *tally_platform_find(const char *name);

/*
 * A product of a platform, by GT variant. Its name in full is "hsw/gt3"; the platform's name alone,
 * "hsw", means the platform's common SKU. A name without a GT number is subslices x EUs: "chv/2x8".
 */
struct tally_sku {
    const char *platform; /* its name */
    const char *name;     /* "gt3" */
    const char *title;    /* "Haswell GT3" */
    const char *chipset;  /* name that metric-set files use: "SKLGT2" */
    uint8_t slices;
    uint8_t subslices;    /* per slice */
    uint8_t subslice_eus; /* EUs per subslice */
    uint8_t eu_threads;   /* hardware threads of one EU */
    uint16_t gt_min_mhz;  /* clock range */
    uint16_t gt_max_mhz;
    uint16_t device_id;   /* PCI device id of a common product, vendor 8086h */
    uint8_t pci_revision; /* PCI revision of products */
};

/* Return the number of SKUs, and the SKU at an index, ordered by platform (NULL past the end). */
TALLY_API size_t tally_sku_count(void);
TALLY_API const struct tally_sku *tally_sku_at(size_t index);

/* Finds a SKU by its name, ignoring case: "hsw/gt3", or "hsw" for the common one. Returns NULL if
 * the platform or the SKU is unknown. */
TALLY_API const struct tally_sku *tally_sku_find(const char *name);

/* Finds the SKU of a PCI device id (vendor 8086h). Returns NULL if the id is not in the table. */
TALLY_API const struct tally_sku *tally_sku_of_device(uint32_t pci_id);

struct tally_chipset; /* <tally/chipset.h> */

/* A GPU: an Intel one by its PCI device id, or one of NVIDIA by its chipset. Exactly one of
 * `platform` and `nvidia` is not NULL. */
struct tally_device {
    uint16_t id;     /* PCI device id, of vendor 8086h or 10deh; 0: unknown, or not a PCI device */
    char chipset[8]; /* name that metric-set files use: "HSW", "SKLGT2", "g92" */
    const struct tally_platform *platform; /* of an Intel GPU */
    const struct tally_chipset *nvidia;    /* of an NVIDIA GPU */
};

/* Returns the short name of a GPU's platform or chipset, "skl" or "g92", and its title, "Skylake"
 * or "G92". Static text. */
TALLY_API const char *tally_device_name(const struct tally_device *device);
TALLY_API const char *tally_device_title(const struct tally_device *device);

/*
 * Finds a PCI device id (vendor 8086h). Fills *out and returns 0, or -ENODEV if the id is not in
 * the table.
 */
TALLY_API int tally_device_find(uint32_t pci_id, struct tally_device *out);

/* The slices, subslices and EUs of a GPU that are not fused off. Plain data. */
struct tally_topology {
    uint32_t slices;        /* enabled slices */
    uint32_t subslices;     /* enabled subslices, in all slices */
    uint32_t eus;           /* enabled EUs, in all subslices */
    uint32_t max_slices;    /* dimensions of the masks in the kernel's reply */
    uint32_t max_subslices; /* per slice */
    uint32_t max_eus;       /* per subslice */
    uint64_t slice_mask;    /* bit s: slice s is enabled */
    uint64_t subslice_mask; /* as equations read it: 3 bits per slice before Gen11, else 8 */
};

/*
 * Fuses of slices, subslices and EUs: masks in which 1 disables, by slice and by subslice of the
 * slice. Numbers are those of the hardware, from 0. What a platform can have: OA-14.9 of
 * docs/reference/intel-oa-hardware.md. Plain data; all zero: everything is enabled.
 */
#define TALLY_FUSE_SLICES    3
#define TALLY_FUSE_SUBSLICES 8
struct tally_fuses {
    uint8_t slice_disable;
    uint8_t subslice_disable[TALLY_FUSE_SLICES];
    uint16_t eu_disable[TALLY_FUSE_SLICES][TALLY_FUSE_SUBSLICES];
};

/*
 * Fills in the topology that fuses leave of a SKU. A subslice without EUs, and a slice without
 * subslices, are disabled. Returns 0; -EINVAL and a message if a mask has bits of parts that the
 * SKU does not have, if the platform cannot disable them so, or if no EU is left.
 */
TALLY_API int tally_sku_fuse(const struct tally_sku *sku, const struct tally_fuses *fuses,
                             struct tally_topology *out, struct tally_error *error);

/*
 * Parses the reply to DRM_I915_QUERY_TOPOLOGY_INFO (PERF-1.2), `size` bytes, which recordings
 * store. Returns 0, or -EINVAL and a message if a dimension is out of range or a mask lies outside
 * the reply.
 */
TALLY_API int tally_topology_parse(const struct tally_platform *platform, const void *bytes,
                                   size_t size, struct tally_topology *out,
                                   struct tally_error *error);

/*
 * Fills in the topology of a SKU with `eus` enabled EUs, at most those of the SKU; 0: all. With
 * fewer, the highest subslices are fused off, in all slices evenly.
 */
TALLY_API void tally_sku_topology(const struct tally_sku *sku, unsigned eus,
                                  struct tally_topology *out);

/* Fills in the topology of the platform's common SKU, for recordings without a topology. */
TALLY_API void tally_topology_default(const struct tally_platform *platform,
                                      struct tally_topology *out);

/*
 * The inverse of tally_topology_parse(): writes a topology reply to `bytes`. Subslices are spread
 * evenly over the slices, EUs evenly over the subslices, lowest numbers first. Returns the size in
 * bytes; writes nothing if that is larger than `capacity`, or the counts do not fit the dimensions.
 */
TALLY_API size_t tally_topology_format(const struct tally_topology *topology, void *bytes,
                                       size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
