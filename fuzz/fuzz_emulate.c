/* SPDX-License-Identifier: MIT */
/*
 * Sends the input to the server of `tally emulate` as the messages of a program: calls, and answers
 * to the server's requests. Checks that closing the descriptors afterwards releases everything.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <tally/error.h>

#include "preload/server/server.h"
#include "preload/server/trace.h"

#define INPUT_MAX 32768 /* bytes; fits in a socket's buffer */

static struct emulate_settings settings = {.device = {.gpu.platform = "skl",
                                                      .driver.noa_delay_ns = 1000,
                                                      .clock = EMULATION_WALL,
                                                      .max_lag_ns = 200000000}};
static struct emulate_outcome outcome;
static struct server server = {.settings = &settings, .outcome = &outcome};

static void stop(void)
{
    tree_remove(&server);
}

static int sleep_at_once(void *closure, uint64_t ns, bool interruptible)
{
    (void)closure, (void)interruptible;
    tally_gpu_run_ns(server.emulation->gpu, ns);
    return 0;
}

static void start(void)
{
    struct tally_error error;
    strcpy(server.directory, "/tmp/fuzz-XXXXXX");
    CHECK(mkdtemp(server.directory));
    server.epoll = epoll_create1(EPOLL_CLOEXEC);
    server.hangups = epoll_create1(EPOLL_CLOEXEC);
    CHECK(notice_make(&server, &error) == 0);
    CHECK(emulation_new(&settings.device, &server.emulation, &error) == 0);
    server.emulation->sleep_ns = sleep_at_once;
    trace_start(&server);
    CHECK(tree_make(&server, &error) == 0);
    atexit(stop);
}

/* Thread: discards the messages of the server. */
static void *discard_messages(void *closure)
{
    char messages[65536];
    while (recv(*(int *)closure, messages, sizeof messages, 0) > 0)
        continue;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int ends[2];
    pthread_t reader;
    if (!server.emulation)
        start();
    size = size < INPUT_MAX ? size : INPUT_MAX;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    CHECK(send(ends[0], data, size, 0) == (ssize_t)size);
    CHECK(shutdown(ends[0], SHUT_WR) == 0);
    CHECK(session_new(&server, ends[1]) == 0);
    CHECK(pthread_create(&reader, NULL, discard_messages, &ends[0]) == 0);
    emulation_start_clock(server.emulation);
    while (!server.sessions->broken) {
        session_serve(server.sessions);
        descriptors_update(&server);
        sessions_retry(&server);
    }
    session_free(server.sessions);
    pthread_join(reader, NULL);
    close(ends[0]);
    while (server.descriptors)
        descriptor_free(&server, server.descriptors);
    CHECK(!server.sessions);
    return 0;
}
