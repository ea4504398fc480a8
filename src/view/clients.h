/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_CLIENTS_H
#define TALLY_VIEW_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/sample.h"

/* The processes that use a GPU, as the kernel reports them in /proc/PID/fdinfo (the DRM usage
 * statistics of drivers): how long each DRM client had the render engine. */

/* What a file of fdinfo says about a client. */
struct client_info {
    uint64_t id;        /* of the client; descriptors that share a file have the same one */
    uint64_t render_ns; /* of the render engine since the client was opened */
};

/* Parses a file of fdinfo. Returns whether it is that of a DRM client of the PCI device `pdev`
 * ("0000:00:02.0") whose driver reports the time of the render engine. */
bool client_parse(const char *text, const char *pdev, struct client_info *out);

/* Clients of the latest scan. {0} has none. */
struct clients {
    char pdev[32]; /* "": the GPU has no PCI address, or it is not known; nothing is found */
    uint64_t scanned_ns;
    size_t count;
    struct client_known {
        struct client_info info;
        int pid;
    } known[VIEW_CLIENTS_MAX];
};

/* Prepares a scan for a device node, such as /dev/dri/renderD128. */
void clients_start(struct clients *clients, const char *node);

/*
 * Scans the processes in `proc` ("/proc"), and sets the share of the time since the previous scan
 * that each client had the render engine: those that had it, at most VIEW_CLIENTS, the largest
 * first. Returns their number. Processes of other users are seen with their permission only.
 */
size_t clients_scan(struct clients *clients, const char *proc, uint64_t now_ns,
                    struct view_client *out);

#endif
