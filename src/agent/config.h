/* SPDX-License-Identifier: MIT */
#ifndef TALLY_AGENT_CONFIG_H
#define TALLY_AGENT_CONFIG_H

#include "base/findings.h"
#include "base/yaml.h"
#include "compare/check.h"

/* What an agent does: a YAML file (docs/fleet.md). */

#define AGENT_DEVICES_MAX 16

/* Rings of each device that there is space for: one is recorded, one waits, one is kept. */
#define AGENT_RINGS_PER_DEVICE 4
#define AGENT_MAX_ADDRESS      64 /* bytes of an address to listen on, with brackets and NUL */

#define AGENT_RING_SUFFIX ".agent-ring"

struct agent_config {
    char *title;
    char *devices[AGENT_DEVICES_MAX];
    size_t device_count; /* 0: the first GPU */
    char *set, *metrics, *workload, *faults;
    bool free_clock; /* of modelled GPUs */
    uint64_t period_ns;
    uint64_t ring_ns, ring_bytes;
    bool keep_losses;
    uint64_t keep_every; /* 0: no share of time is kept */
    struct check *checks;
    size_t check_count;
    struct budget *budget; /* or NULL */
    char *budget_path;
    char *store; /* path of an SQLite store, or URL of one in ClickHouse */
    char *rings, *spool;
    double cpu_share;       /* of one processor */
    uint64_t disk_bytes;    /* of rings and spool */
    uint64_t network_bytes; /* a second; 0: not limited */
    char *listen_address;   /* NULL: no server */
    uint16_t listen_port;
};

/* Reads a configuration as yaml_read() does. On success the caller frees *out, which may be NULL
 * for checking only. The budget that it names is read with it. */
int agent_config_read(const struct yaml_source *source, struct agent_config **out,
                      findings_visit *found, void *closure, struct tally_error *error);
void agent_config_free(struct agent_config *config);

/* Whether a YAML file is meant as a configuration: it has "agent". */
bool agent_config_is(const char *path);

#endif
