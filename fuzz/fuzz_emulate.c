/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what a program under `tally emulate` says to the process that owns the GPU: calls,
 * and the answers to what it is asked meanwhile. Descriptors that were given out are closed after
 * the input, and nothing of it is left.
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

#define MOST 32768 /* fits into a socket */

static struct emulate_settings settings = {
    .device = {.gpu.platform = "skl", .clock = EMULATION_WALL, .max_lag_ns = 200000000}};
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
    PROMISE(mkdtemp(server.directory));
    server.epoll = epoll_create1(EPOLL_CLOEXEC);
    server.empty = calloc(1, EMULATE_STREAMS);
    PROMISE(emulation_new(&settings.device, &server.emulation, &error) == 0);
    server.emulation->sleep_ns = sleep_at_once;
    PROMISE(tree_make(&server, &error) == 0);
    atexit(stop);
}

/* The program hears what it is told. */
static void *hear(void *closure)
{
    char answers[65536];
    while (recv(*(int *)closure, answers, sizeof answers, 0) > 0)
        continue;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int ends[2];
    pthread_t ear;
    if (!server.emulation)
        start();
    size = size < MOST ? size : MOST;
    PROMISE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    PROMISE(send(ends[0], data, size, 0) == (ssize_t)size);
    PROMISE(shutdown(ends[0], SHUT_WR) == 0);
    PROMISE(session_new(&server, ends[1]) == 0);
    PROMISE(pthread_create(&ear, NULL, hear, &ends[0]) == 0);
    emulation_start_clock(server.emulation);
    while (!server.sessions->broken) {
        session_serve(server.sessions);
        descriptors_update(&server);
        sessions_retry(&server);
    }
    session_free(server.sessions);
    pthread_join(ear, NULL);
    close(ends[0]);
    while (server.descriptors)
        descriptor_free(&server, server.descriptors);
    PROMISE(!server.sessions);
    return 0;
}
