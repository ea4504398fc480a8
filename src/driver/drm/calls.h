/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_DRM_CALLS_H
#define TALLY_DRIVER_DRM_CALLS_H

/* The calls of the core: ioctl.c has their table, core.c performs them. */

#include "driver/drm/drm.h"

typedef int drm_call(struct drm_file *file, void *argument, const struct drm_caller *caller);

drm_call drm_version, drm_get_unique, drm_set_version, drm_get_cap, drm_set_client_cap;
drm_call drm_get_magic, drm_auth_magic, drm_set_master, drm_drop_master;
drm_call drm_get_client, drm_get_stats;
drm_call drm_ignore, drm_refuse, drm_without_display, drm_without_object;

#endif
