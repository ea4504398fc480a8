/* SPDX-License-Identifier: MIT */
/* tally serve: options, devices and signals. */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/input.h"
#include "cli/model.h"
#include "serve/serve.h"

#define DEFAULT_PERIOD_NS 1000000u

/* Splits "ADDRESS:PORT", "[ADDRESS]:PORT", ":PORT" or "ADDRESS" in `text`, which it changes. */
static int parse_listen(char *text, struct serve *serve)
{
    char *end, *port = strrchr(text, ':');
    bool bracket = *text == '[';
    char *close = bracket ? strchr(text, ']') : NULL;
    if (port && ((bracket && port != close + 1) || (!bracket && strchr(text, ':') != port)))
        port = NULL; /* one of an IPv6 address */
    if (port) {
        *port++ = '\0';
        unsigned long value = strtoul(port, &end, 10);
        if (!isdigit((unsigned char)*port) || *end || value > UINT16_MAX)
            return usage_error("serve: port \"%s\", expected 0 to 65535", port);
        serve->port = (uint16_t)value;
    }
    if (close)
        *close = '\0';
    text += bracket;
    if (*text)
        serve->address = text;
    return EXIT_DONE;
}

/* Sets the token of --token TEXT or @FILE. The file is read so that a list of processes does not
 * show the token. */
static int parse_token(const char *text, char token[SERVE_TOKEN_MAX + 2], struct serve *serve)
{
    int result = 0;
    if (!text)
        return EXIT_DONE;
    if (*text == '@')
        result = text_load(text + 1, token, SERVE_TOKEN_MAX + 2);
    else
        snprintf(token, SERVE_TOKEN_MAX + 2, "%s", text);
    if (result >= 0 && strlen(token) > SERVE_TOKEN_MAX)
        result = -EMSGSIZE;
    if (result < 0)
        return usage_error("serve: --token: %s, expected up to %d characters, or @FILE",
                           strerror(-result), SERVE_TOKEN_MAX);
    if (strlen(token) < 16)
        return usage_error("serve: --token: %zu characters, expected at least 16", strlen(token));
    serve->token = token;
    return EXIT_DONE;
}

static int check_listen(const struct serve *serve)
{
    if (!serve->token && !serve_is_local(serve->address))
        return usage_error("serve: --listen %s: other machines can reach this address, expected "
                           "--token, or 127.0.0.1",
                           serve->address);
    return EXIT_DONE;
}

static int open_device(const struct arguments *arguments, const char *name, struct serve *serve)
{
    struct serve_device *device = &serve->devices[serve->device_count];
    struct tally_error error = {0};
    bool model = name && is_model(name);
    const struct tally_capture_device_options options = {
        .size = sizeof options,
        .workload = model ? arguments->values[OPTION_WORKLOAD] : NULL,
        .faults = model ? arguments->values[OPTION_FAULT] : NULL,
    };
    int code = model ? check_model(name) : EXIT_DONE;
    if (code != EXIT_DONE)
        return code;
    for (size_t i = 0; i < serve->device_count; i++)
        if (name && !strcmp(serve->devices[i].name, name))
            return usage_error("serve: device %s is given twice", name);
    if (tally_capture_open(name, &options, &device->capture, &error) < 0) {
        code = report_error(&error);
        return name ? code : EXIT_NO_DEVICE;
    }
    device->name = tally_capture_info(device->capture)->name;
    device->settings = &serve->settings;
    device->folder = &serve->folder;
    serve->device_count++;
    return EXIT_DONE;
}

static int open_devices(const struct arguments *arguments, struct serve *serve)
{
    int code = EXIT_DONE;
    if (arguments->device_count > SERVE_DEVICES_MAX)
        return usage_error("serve: %zu devices, expected at most %d", arguments->device_count,
                           SERVE_DEVICES_MAX);
    if (!arguments->device_count)
        return open_device(arguments, NULL, serve);
    for (size_t i = 0; code == EXIT_DONE && i < arguments->device_count; i++)
        code = open_device(arguments, arguments->devices[i], serve);
    return code;
}

/* Starts the threads. Those that cannot count show why. */
static int start_devices(struct serve *serve, size_t *started)
{
    struct tally_error error = {0};
    for (; *started < serve->device_count; ++*started) {
        struct serve_device *device = &serve->devices[*started];
        if (live_start(device, &error) < 0)
            return report_error(&error);
        if (live_count(device, "", &error) < 0)
            warn("%s: %s", device->name, error.message);
    }
    return EXIT_DONE;
}

static void say_ready(const struct serve *serve)
{
    bool v6 = strchr(serve->address, ':') != NULL;
    warn("serving http://%s%s%s:%u/", v6 ? "[" : "", serve->address, v6 ? "]" : "",
         (unsigned)serve->port);
}

static int run(struct serve *serve)
{
    struct tally_error error = {0};
    size_t started = 0;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* write(2) returns EFBIG instead */
    serve->stop_fd = signalfd(-1, &signals, SFD_CLOEXEC);
    int code = start_devices(serve, &started);
    if (code == EXIT_DONE && serve_run(serve, &error) < 0)
        code = report_error(&error);
    for (size_t i = 0; i < started; i++) {
        live_end(&serve->devices[i]);
        if (serve->devices[i].unwritten.code) {
            int failed = report_error(&serve->devices[i].unwritten);
            code = code == EXIT_DONE ? failed : code;
        }
    }
    close(serve->stop_fd);
    return code;
}

int command_serve(const struct arguments *arguments)
{
    const char *listen = arguments->values[OPTION_LISTEN];
    const char *period = arguments->values[OPTION_PERIOD];
    char token[SERVE_TOKEN_MAX + 2] = ""; /* one more shows that it is too long */
    struct tally_error error = {0};
    struct serve *serve = calloc(1, sizeof *serve);
    char *address = strdup(listen ? listen : "127.0.0.1");
    int code = serve && address ? EXIT_DONE : EXIT_FAILED;
    if (code == EXIT_DONE && serve_missing()) {
        warn("serve: %s", serve_missing());
        code = EXIT_FAILED;
    }
    if (code == EXIT_DONE) {
        serve->address = "127.0.0.1";
        serve->port = SERVE_PORT;
        serve->ready = say_ready;
        serve->folder.fd = -1;
        serve->settings = (struct serve_settings){
            .set = arguments->values[OPTION_SET],
            .metrics = arguments->values[OPTION_METRICS],
            .period_ns = period ? parse_time_ns(period) : DEFAULT_PERIOD_NS,
            .counters = arguments->counters,
            .counter_count = arguments->counter_count,
        };
        if (!serve->settings.period_ns)
            code = usage_error("serve: --period \"%s\", expected a time such as 1ms", period);
    }
    if (code == EXIT_DONE)
        code = parse_listen(address, serve);
    if (code == EXIT_DONE)
        code = parse_token(arguments->values[OPTION_TOKEN], token, serve);
    if (code == EXIT_DONE)
        code = check_listen(serve);
    if (code == EXIT_DONE &&
        folder_open(&serve->folder, arguments->operand_count ? arguments->operands[0] : NULL,
                    &error) < 0)
        code = report_error(&error);
    if (code == EXIT_DONE)
        code = open_devices(arguments, serve);
    if (code == EXIT_DONE)
        code = run(serve);
    for (size_t i = 0; serve && i < serve->device_count; i++)
        tally_capture_close(serve->devices[i].capture);
    if (serve)
        folder_close(&serve->folder);
    free(address);
    free(serve);
    return code;
}
