/* SPDX-License-Identifier: MIT */
#include "agent/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/ratio.h"
#include "store/clickhouse.h"

#define CHECKS_MAX        64
#define PERIOD_NS         UINT64_C(1000000)
#define RING_NS           (10 * NS_PER_SECOND)
#define RING_BYTES        (UINT64_C(16) << 20)
#define RING_BYTES_MIN    (UINT64_C(64) << 10)
#define CPU_SHARE         0.05
#define DISK_BYTES        (UINT64_C(1) << 30)
#define TOKEN_OF_LOOPBACK "an address of this machine, such as 127.0.0.1:9478"

struct raw_ring {
    char *time, *size;
};

struct raw_keep {
    char *loss, *every, *budget;
    char **checks;
    unsigned checks_count;
};

struct raw_limits {
    char *cpu, *disk, *network;
};

struct raw_config {
    char *agent, *set, *metrics, *workload, *faults, *clock, *period, *store, *rings, *spool,
        *listen;
    char **devices;
    unsigned devices_count;
    struct raw_ring *ring;
    struct raw_keep *keep;
    struct raw_limits *limits;
};

static const cyaml_schema_value_t text_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, 200)};

static const cyaml_schema_field_t ring_fields[] = {
    YAML_TEXT("time", raw_ring, time, 40), YAML_TEXT("size", raw_ring, size, 40), CYAML_FIELD_END};

static const cyaml_schema_field_t keep_fields[] = {
    YAML_TEXT("loss", raw_keep, loss, 40), YAML_TEXT("every", raw_keep, every, 40),
    YAML_TEXT("budget", raw_keep, budget, 1000),
    CYAML_FIELD_SEQUENCE("checks", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_keep,
                         checks, &text_schema, 0, CHECKS_MAX),
    CYAML_FIELD_END};

static const cyaml_schema_field_t limits_fields[] = {
    YAML_TEXT("cpu", raw_limits, cpu, 40), YAML_TEXT("disk", raw_limits, disk, 40),
    YAML_TEXT("network", raw_limits, network, 40), CYAML_FIELD_END};

static const cyaml_schema_field_t config_fields[] = {
    YAML_TEXT("agent", raw_config, agent, 200),
    CYAML_FIELD_SEQUENCE("devices", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_config,
                         devices, &text_schema, 0, AGENT_DEVICES_MAX),
    YAML_TEXT("set", raw_config, set, 200),
    YAML_TEXT("metrics", raw_config, metrics, 1000),
    YAML_TEXT("workload", raw_config, workload, 1000),
    YAML_TEXT("faults", raw_config, faults, 1000),
    YAML_TEXT("clock", raw_config, clock, 40),
    YAML_TEXT("period", raw_config, period, 40),
    CYAML_FIELD_MAPPING_PTR("ring", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_config,
                            ring, ring_fields),
    CYAML_FIELD_MAPPING_PTR("keep", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_config,
                            keep, keep_fields),
    YAML_TEXT("store", raw_config, store, 1000),
    YAML_TEXT("rings", raw_config, rings, 400),
    YAML_TEXT("spool", raw_config, spool, 400),
    CYAML_FIELD_MAPPING_PTR("limits", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_config,
                            limits, limits_fields),
    YAML_TEXT("listen", raw_config, listen, 100),
    CYAML_FIELD_END};

static const cyaml_schema_value_t config_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_config, config_fields),
};

/* ---- values ---------------------------------------------------------------------------------- */

struct unit {
    const char *name;
    double factor;
};

static const struct unit times[] = {
    {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
static const struct unit sizes[] = {{"", 1},
                                    {"K", 1024},
                                    {"M", 1024. * 1024},
                                    {"G", 1024. * 1024 * 1024},
                                    {"T", 1024. * 1024 * 1024 * 1024}};

/* Parses a number with a unit between two limits. Returns whether it is one. */
static bool parse(const char *text, const struct unit *units, size_t count, double min, double max,
                  uint64_t *out)
{
    char *end;
    size_t digits = strspn(text, "0123456789.");
    if (!isdigit((unsigned char)*text) || digits > 20)
        return false;
    double value = strtod(text, &end);
    for (size_t i = 0; i < count; i++)
        if (end == text + digits && !strcmp(end, units[i].name) && value * units[i].factor >= min &&
            value * units[i].factor <= max) {
            *out = (uint64_t)(value * units[i].factor + 0.5);
            return true;
        }
    return false;
}

static void read_time(struct yaml *yaml, const char *key, const char *text, double min,
                      const char *expected, uint64_t *out)
{
    if (text)
        yaml_expect(yaml, key, text,
                    parse(text, times, ARRAY_COUNT(times), min, 86400e9, out) ? NULL : expected);
}

static void read_size(struct yaml *yaml, const char *key, const char *text, double min,
                      const char *expected, uint64_t *out)
{
    if (text)
        yaml_expect(yaml, key, text,
                    parse(text, sizes, ARRAY_COUNT(sizes), min, 1e15, out) ? NULL : expected);
}

/* Reads one of two words. */
static void read_choice(struct yaml *yaml, const char *key, const char *text, const char *no,
                        const char *yes, const char *expected, bool *out)
{
    bool known = !text || !strcmp(text, yes) || !strcmp(text, no);
    if (!known)
        yaml_expect(yaml, key, text, expected);
    else if (text)
        *out = !strcmp(text, yes);
}

/* Copies a text, or its default; NULL: none. */
static bool copy(char **to, const char *text, const char *other)
{
    text = text ? text : other;
    *to = text ? strdup(text) : NULL;
    return !text || *to;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static bool read_keep(struct yaml *yaml, const struct raw_keep *raw, struct agent_config *config)
{
    const char *every = raw->every ? raw->every : "";
    read_choice(yaml, "keep", raw->loss, "no", "yes", "keep.loss: yes or no", &config->keep_losses);
    if (raw->every && strspn(every, "0123456789") == strlen(every) && strlen(every) < 10 && *every)
        config->keep_every = strtoull(every, NULL, 10);
    if (raw->every && !config->keep_every)
        yaml_expect(yaml, "keep", every, "keep.every: a number N, of which one ring is kept");
    config->checks = calloc(raw->checks_count + 1, sizeof *config->checks);
    for (unsigned i = 0; config->checks && i < raw->checks_count; i++) {
        const char *expected = check_parse(raw->checks[i], &config->checks[i]);
        if (!expected && config->checks[i].kind >= CHECK_WITHIN)
            expected = "a condition without a baseline";
        yaml_expect(yaml, "keep", raw->checks[i], expected);
        config->check_count++;
    }
    return config->checks && copy(&config->budget_path, raw->budget, NULL);
}

static void read_listen(struct yaml *yaml, const char *text, struct agent_config *config)
{
    const char *colon = strrchr(text, ':');
    size_t size = colon ? (size_t)(colon - text) : 0;
    unsigned port = 0;
    bool valid = size && size < AGENT_MAX_ADDRESS && strlen(colon) > 1 && strlen(colon) < 7 &&
                 strspn(colon + 1, "0123456789") == strlen(colon + 1);
    if (valid)
        port = (unsigned)strtoul(colon + 1, NULL, 10);
    bool bracket = *text == '[' && size > 2 && text[size - 1] == ']';
    valid = valid && port <= UINT16_MAX;
    yaml_expect(yaml, "listen", text, valid ? NULL : TOKEN_OF_LOOPBACK);
    if (!valid)
        return;
    config->listen_address = strndup(text + bracket, size - 2 * bracket);
    config->listen_port = (uint16_t)port;
}

static void read_limits(struct yaml *yaml, const struct raw_limits *raw,
                        struct agent_config *config)
{
    const char *expected = raw->cpu ? share_parse(raw->cpu, &config->cpu_share) : NULL;
    if (raw->cpu && (expected || config->cpu_share < 0.001))
        yaml_expect(yaml, "limits", raw->cpu,
                    "limits.cpu: a share of one processor, from 0.1% to 100%");
    read_size(yaml, "limits", raw->disk, 1, "limits.disk: a size such as 512M",
              &config->disk_bytes);
    read_size(yaml, "limits", raw->network, 1024,
              "limits.network: bytes a second, 1K or more, such as 1M", &config->network_bytes);
}

static bool read_texts(struct yaml *yaml, const struct raw_config *raw, struct agent_config *config)
{
    struct clickhouse_url url;
    struct tally_error error;
    bool done = copy(&config->title, raw->agent, "") && copy(&config->set, raw->set, NULL) &&
                copy(&config->metrics, raw->metrics, NULL) &&
                copy(&config->workload, raw->workload, NULL) &&
                copy(&config->faults, raw->faults, NULL) && copy(&config->store, raw->store, "") &&
                copy(&config->rings, raw->rings, "/var/lib/tally/rings") &&
                copy(&config->spool, raw->spool, "/var/lib/tally/spool");
    for (unsigned i = 0; done && i < raw->devices_count; i++)
        done = copy(&config->devices[config->device_count++], raw->devices[i], NULL);
    if (!raw->agent)
        yaml_mistake(yaml, "agent", "agent, a title, is missing");
    if (!raw->store)
        yaml_mistake(yaml, "store", "store is missing");
    else if (clickhouse_is_url(raw->store) && clickhouse_parse_url(raw->store, &url, &error) < 0)
        yaml_mistake(yaml, "store", "%s", error.message);
    return done;
}

/* Checks what depends on several values. */
static void check_all(struct yaml *yaml, const struct agent_config *config)
{
    uint64_t devices = config->device_count ? config->device_count : 1;
    if (config->disk_bytes / AGENT_RINGS_PER_DEVICE / devices < config->ring_bytes)
        yaml_mistake(yaml, "limits",
                     "limits.disk: expected at least %d times ring.size for each device",
                     AGENT_RINGS_PER_DEVICE);
    if (!config->keep_losses && !config->keep_every && !config->check_count && !config->budget_path)
        yaml_mistake(yaml, "keep", "keep: nothing is kept, expected loss, every, checks or budget");
}

static bool read_config(struct yaml *yaml, const void *structs, void *out)
{
    static const struct raw_config nothing;
    static const struct raw_ring no_ring;
    static const struct raw_keep no_keep;
    static const struct raw_limits no_limits;
    const struct raw_config *raw = structs ? structs : &nothing;
    const struct raw_ring *ring = raw->ring ? raw->ring : &no_ring;
    struct agent_config *config = out;
    config->period_ns = PERIOD_NS;
    config->ring_ns = RING_NS;
    config->ring_bytes = RING_BYTES;
    config->cpu_share = CPU_SHARE;
    config->disk_bytes = DISK_BYTES;
    if (!read_texts(yaml, raw, config) ||
        !read_keep(yaml, raw->keep ? raw->keep : &no_keep, config))
        return false;
    read_choice(yaml, "clock", raw->clock, "wall", "free", "wall or free", &config->free_clock);
    read_time(yaml, "period", raw->period, 1e3, "a time such as 1ms", &config->period_ns);
    read_time(yaml, "ring", ring->time, 1e6, "ring.time: a time from 1ms to a day, such as 10s",
              &config->ring_ns);
    read_size(yaml, "ring", ring->size, (double)RING_BYTES_MIN,
              "ring.size: a size of at least 64K, such as 16M", &config->ring_bytes);
    read_limits(yaml, raw->limits ? raw->limits : &no_limits, config);
    if (raw->listen)
        read_listen(yaml, raw->listen, config);
    check_all(yaml, config);
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Reads the budget, whose path is from the directory of the configuration. */
static int read_budget(struct agent_config *config, const struct yaml_source *from,
                       struct tally_error *error)
{
    if (!config->budget_path)
        return 0;
    char *path = yaml_path(from, config->budget_path);
    if (!path)
        return fail_memory(error, "a path");
    const struct yaml_source source = {.name = path};
    int result = budget_read(&source, &config->budget, NULL, NULL, error);
    free(path);
    return result;
}

int agent_config_read(const struct yaml_source *source, struct agent_config **out,
                      findings_visit *found, void *closure, struct tally_error *error)
{
    static const struct yaml_kind kind = {
        "the configuration of an agent", &config_schema, {NULL}, read_config, true};
    struct agent_config *config = calloc(1, sizeof *config);
    int result = config ? yaml_read(&kind, source, config, found, closure, error)
                        : fail_memory(error, kind.what);
    if (result == 0 && out)
        result = read_budget(config, source, error);
    if (result == 0 && out)
        *out = config;
    else
        agent_config_free(config);
    return result;
}

void agent_config_free(struct agent_config *config)
{
    if (!config)
        return;
    char *texts[] = {config->title,       config->set,           config->metrics, config->workload,
                     config->faults,      config->store,         config->rings,   config->spool,
                     config->budget_path, config->listen_address};
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
        free(texts[i]);
    for (size_t i = 0; i < config->device_count; i++)
        free(config->devices[i]);
    free(config->checks);
    budget_free(config->budget);
    free(config);
}

bool agent_config_is(const char *path)
{
    return yaml_has(path, "agent", "checks");
}
