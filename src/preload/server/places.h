/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_SERVER_PLACES_H
#define TALLY_PRELOAD_SERVER_PLACES_H

/* The directories of the virtual files. */
#define PCI     "/sys/devices/pci0000:00/0000:00:02.0"
#define CARD    PCI "/drm/card0"
#define RENDER  PCI "/drm/renderD128"
#define SYSCTL  "/proc/sys/dev/i915"
#define DEBUG   "/sys/kernel/debug/dri/0"
#define SW_SYNC "/sys/kernel/debug/sync/sw_sync"
#define EVENTS  "/sys/devices/i915"
#define TRACING "/sys/kernel/tracing"

#endif
