/* SPDX-License-Identifier: MIT */
/* tally agent: the configuration and signals. */
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/agent.h"
#include "cli/cli.h"
#include "cli/unknown.h"
#include "store/clickhouse.h"

static void say(const char *message)
{
    warn("%s", message);
}

static void say_ready(const struct serve *serve)
{
    if (serve->address)
        warn("recording; serving http://%s:%u/metrics", serve->address, (unsigned)serve->port);
    else
        warn("recording");
}

static int check(const struct agent_config *config)
{
    if (store_missing())
        return usage_error("agent: %s", store_missing());
    if (clickhouse_is_url(config->store) && clickhouse_missing())
        return usage_error("agent: %s", clickhouse_missing());
    if (config->listen_address && serve_missing())
        return usage_error("agent: %s", serve_missing());
    if (config->listen_address && !serve_is_local(config->listen_address))
        return usage_error(
            "agent: listen: other machines can reach %s, expected an address of this "
            "machine, such as 127.0.0.1",
            config->listen_address);
    return EXIT_DONE;
}

int command_agent(const struct arguments *arguments)
{
    const char *path = arguments->values[OPTION_CONFIG];
    const struct yaml_source source = {.name = path};
    struct tally_error error = {0};
    struct agent_config *config = NULL;
    sigset_t signals;
    if (!path)
        return usage_error("agent: expected --config FILE");
    if (agent_config_read(&source, &config, NULL, NULL, &error) < 0)
        return report_file_error(&error, path);
    int code = check(config);
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* write(2) returns EFBIG instead */
    int fd = signalfd(-1, &signals, SFD_CLOEXEC);
    if (code == EXIT_DONE && agent_run(config, fd, say, say_ready, &error) < 0)
        code = report_error(&error);
    close(fd);
    agent_config_free(config);
    return code;
}
