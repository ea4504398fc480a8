/* SPDX-License-Identifier: MIT */
/* Checks and loads the input as the configuration of an agent. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "agent/config.h"
#include "lengthen.h"
#include "mistakes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct agent_config *config;
    struct tally_error error = {0};
    struct lint_findings findings = {0};
    struct yaml_source source = yaml_in(data, size, "fuzz.yaml");
    int mistakes = agent_config_read(&source, NULL, add_finding, &findings, &error);
    check_lint(mistakes, &findings, &error);
    error = (struct tally_error){0};
    if (memmem(data, size, "budget", 6)) /* which is another file */
        return 0;
    int result = agent_config_read(&source, &config, NULL, NULL, &error);
    check_load(result, mistakes, &error);
    if (result < 0)
        return 0;
    CHECK(config->title && config->store && config->rings && config->spool);
    CHECK(config->period_ns >= 1000 && config->ring_ns >= 1000000 && config->cpu_share > 0 &&
          config->cpu_share <= 1);
    CHECK(!config->listen_address || strlen(config->listen_address) < AGENT_MAX_ADDRESS);
    CHECK(config->disk_bytes >= AGENT_RINGS_PER_DEVICE * config->ring_bytes);
    agent_config_free(config);
    return 0;
}
