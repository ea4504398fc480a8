/* SPDX-License-Identifier: MIT */
/*
 * The virtual clock: the program's clocks and the GPU's are one (docs/emulate.md). It advances by a
 * constant time in each call, and while all threads of the program wait; no other way, so that the
 * load of the machine changes nothing.
 *
 * One thread continues at a time: a call is held until all other threads wait, too. Then the turn
 * is that of the thread that has waited longest by this clock, or of a timer; of several, the one
 * with the lowest number. If nobody has a turn, time advances to the next one's.
 */
#include <stdlib.h>

#include "base/minmax.h"
#include "preload/server/server.h"
#include "preload/server/tasks.h"
#include "preload/server/timers.h"

#define STEP_NS     20000u           /* while engines execute commands that something waits for */
#define PART_NS     20000000u        /* GPU time between two looks at signals */
#define SLICE_NS    20000000u        /* of the machine's time, while nothing happens */
#define SCAN_MIN_NS 50000u           /* period of scans while threads run: doubled from here, */
#define SCAN_MAX_NS 3200000u         /* to here */
#define SPIN_NS     1000000000u      /* CPU time of a thread that others wait for */
#define FOREVER_NS  (UINT64_MAX - 1) /* a sleep without end */
#define POLLS       64u /* readings of the clock in a row, after which they become longer */

/* ---- the clock ------------------------------------------------------------------------------- */

uint64_t server_device_ns(const struct server *server)
{
    return server->origin_ns + emulation_now_ns(server->emulation);
}

uint64_t server_now_ns(const struct server *server)
{
    return max_u64(server->program_ns, server_device_ns(server));
}

void virtual_start(struct server *server)
{
    server->program_ns = emulation_now_ns(server->emulation);
    server->scan_ns = SCAN_MIN_NS;
    server->tasks = tasks_cache_new();
}

void virtual_end(struct server *server)
{
    tasks_cache_free(server->tasks);
    timers_free(server);
}

int64_t virtual_offset_ns(const struct server *server)
{
    return server->settings->start_s * 1000000000 - (int64_t)server_now_ns(server);
}

/* Runs the GPU up to the program's clock if it is more than `max_ns` behind. */
static void follow_program(struct server *server, uint64_t max_ns)
{
    uint64_t device = server_device_ns(server);
    if (server->program_ns > device + max_ns)
        emulation_run_ns(server->emulation, server->program_ns - device);
}

/* Returns when the first sleep of another thread ends. */
static uint64_t other_wakes_ns(const struct server *server, const struct session *session)
{
    uint64_t first = UINT64_MAX;
    for (const struct session *s = server->sessions; s; s = s->next)
        if (s != session && s->sleeps)
            first = min_u64(first, s->wake_ns);
    return first;
}

/*
 * Returns the duration of a call. A thread that reads the clock again and again, while another one
 * sleeps, would take a call for each microsecond of that. So its calls become longer, by a constant
 * part of the time for which it does so.
 */
static uint64_t call_ns(struct server *server, const struct session *session)
{
    uint64_t now = server_now_ns(server);
    if (session->call->kind != EMULATE_NOW || server->poller != session->caller) {
        server->poller = session->caller;
        server->polls_since_ns = now;
    }
    uint64_t cost = max_u64(EMULATE_CALL_NS, (now - server->polls_since_ns) / POLLS);
    if (cost == EMULATE_CALL_NS)
        return cost;
    uint64_t wakes = other_wakes_ns(server, session);
    if (wakes >= FOREVER_NS || wakes < now + EMULATE_CALL_NS)
        return EMULATE_CALL_NS;
    return min_u64(cost, wakes - now);
}

void virtual_begin_call(struct server *server, const struct session *session, uint64_t max_ns)
{
    server->program_ns = server_now_ns(server) + call_ns(server, session);
    follow_program(server, max_ns);
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* Returns since when a session's turn has been due. */
static uint64_t turn_ns(const struct session *session)
{
    return session->sleeps && session->woken_number != session->sleep_number ? session->wake_ns
                                                                             : session->since_ns;
}

static bool is_before(const struct session *a, const struct session *b)
{
    return turn_ns(a) < turn_ns(b) || (turn_ns(a) == turn_ns(b) && a->caller < b->caller);
}

static struct session *next_session(const struct server *server)
{
    struct session *first = NULL;
    for (struct session *s = server->sessions; s; s = s->next)
        if (!s->passed && session_is_ready(s) && (!first || is_before(s, first)))
            first = s;
    return first;
}

/* Lets one thread continue, or one timer expire. Returns false if nobody has a turn. */
static bool take_turn(struct server *server)
{
    for (struct session *s = server->sessions; s; s = s->next)
        s->passed = false;
    for (;;) {
        struct session *session = next_session(server);
        uint64_t timer = timers_next_ns(server), now = server_now_ns(server);
        if (timer <= now && (!session || timer <= turn_ns(session))) {
            timers_expire(server, now);
            server->turn = 0;
            return true;
        }
        if (!session)
            return false;
        long thread = session->caller;
        bool continues = session_continue(session);
        session->passed = true;
        if (session->broken)
            session_free(session);
        if (continues) {
            server->turn = thread;
            return true;
        }
    }
}

bool virtual_is_due(const struct server *server, const struct session *session, uint64_t ns)
{
    uint64_t end = server_now_ns(server) + ns;
    for (const struct session *s = server->sessions; s; s = s->next)
        if (s != session && (s->held || (s->sleeps && s->wake_ns < end)))
            return true;
    return timers_next_ns(server) < end;
}

/* ---- advancing ------------------------------------------------------------------------------- */

/* Whether what a read waits for can come without a call of another thread: the reports of a stream,
 * or the events of requests. */
static bool waits_for_gpu(const struct server *server, const struct session *session)
{
    return session->waiting.kind == EMULATE_READ || server_is_busy(server);
}

/* Returns the time to which the clock may advance: the end of a sleep, a timer, or the driver's
 * next timer, if a client waits for the GPU. 0: no client waits for time. *requests: something
 * waits for requests of the GPU, which may be complete before. */
static uint64_t next_ns(struct server *server, bool *requests)
{
    timers_reap(server);
    uint64_t end = timers_next_ns(server), device = emulation_next_ns(server->emulation);
    bool endless = false, gpu = false, streams = descriptors_may_wake(server, requests);
    for (const struct session *session = server->sessions; session; session = session->next) {
        gpu = gpu || session->suspended || (session->waits && waits_for_gpu(server, session));
        *requests = *requests || session->suspended;
        if (session->sleeps && session->wake_ns < FOREVER_NS)
            end = min_u64(end, session->wake_ns);
        endless = endless || (session->sleeps && session->wake_ns >= FOREVER_NS);
    }
    gpu = gpu || (streams && (endless || end != UINT64_MAX));
    if (gpu && device != UINT64_MAX)
        end = min_u64(end, device + server->origin_ns);
    if (gpu && end == UINT64_MAX)
        end = server_now_ns(server) + SLICE_NS;
    return end == UINT64_MAX ? 0 : max_u64(end, server_now_ns(server) + 1);
}

/* Lets time pass until a time, or until a descriptor becomes readable, a request that a call waits
 * for is complete, or a signal comes. */
static void advance(struct server *server, uint64_t end_ns, bool requests)
{
    server->poller = 0;
    for (uint64_t now; (now = server_now_ns(server)) < end_ns;) {
        uint64_t step = PART_NS;
        if (requests && server_is_busy(server))
            step = min_u64(max_u64(emulation_quiet_ns(server->emulation), STEP_NS), PART_NS);
        server->program_ns = now + min_u64(step, end_ns - now);
        follow_program(server, 0);
        if (server_take_signals(server) || sessions_any_wait_is_over(server) ||
            descriptors_have_news(server))
            break;
    }
}

/* Returns the CPU time since the latest call beyond SPIN_NS by which the clock must still advance.
 */
static uint64_t spent_ns(struct server *server, const struct tasks *tasks)
{
    if (!server->seen_cpu_ns || tasks->cpu_ns < server->seen_cpu_ns)
        server->seen_cpu_ns = tasks->cpu_ns;
    uint64_t spent = tasks->cpu_ns - server->seen_cpu_ns;
    if (spent <= SPIN_NS)
        return 0;
    spent = min_u64(spent - SPIN_NS, SLICE_NS);
    server->seen_cpu_ns += spent;
    return spent;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static bool is_held(const void *closure, long thread)
{
    const struct server *server = closure;
    for (const struct session *session = server->sessions; session; session = session->next)
        if (session->held && session->caller == thread)
            return true;
    return false;
}

/* Waits for an event until the next look at the threads. */
static int wait_longer(struct server *server, struct epoll_event *event)
{
    uint64_t scan = server->scan_ns;
    server->scan_ns = min_u64(2 * scan, SCAN_MAX_NS);
    return server_wait_ns(server, scan, event);
}

/* Whether the thread whose turn it was computes: then the others need not be looked at, for a
 * while. */
static bool turn_lasts(const struct server *server)
{
    return server->turn && server->scan_ns < SCAN_MAX_NS && tasks_runs(server->tasks, server->turn);
}

/*
 * Continues while threads run. One that uses more CPU time than SPIN_NS without a call may be
 * polling memory, for the GPU or for another thread: then the others no longer wait for it, and the
 * clock follows its CPU time. What happens then depends on the machine, so it is counted.
 */
static int wait_for_threads(struct server *server, const struct tasks *tasks,
                            struct epoll_event *event)
{
    uint64_t spent = spent_ns(server, tasks);
    bool requests = true;
    server->computes = server->computes || spent;
    if (server->computes)
        lease_end(server);
    if (server->computes && take_turn(server)) {
        server->outcome->computed++;
        return 0;
    }
    uint64_t end = spent ? next_ns(server, &requests) : 0, now = server_now_ns(server);
    if (end || (spent && server_is_busy(server))) {
        server->outcome->computed++;
        advance(server, end ? min_u64(end, now + spent) : now + spent, requests);
        return 0;
    }
    return wait_longer(server, event);
}

int virtual_wait(struct server *server, struct epoll_event *event)
{
    struct tasks tasks;
    bool requests;
    /* The thread whose turn it was will soon make its next call. */
    int count = server_wait_ns(server, server->took_turn ? SCAN_MIN_NS : 0, event);
    server->took_turn = false;
    while (count != 1 && turn_lasts(server))
        count = wait_longer(server, event);
    if (count != 1 && server->turn) /* it waits: its call may have come */
        count = server_wait_ns(server, 0, event);
    bool idle = count != 1 && tasks_idle(server->tasks, is_held, server, &tasks);
    if (count != 1) /* what a thread did before the scan is in the queue */
        count = server_wait_ns(server, 0, event);
    if (count == 1) {
        server->scan_ns = SCAN_MIN_NS;
        if (!server->computes)
            server->seen_cpu_ns = 0;
        return 1;
    }
    if (!idle)
        return wait_for_threads(server, &tasks, event);
    lease_end(server);
    server->computes = false;
    server->seen_cpu_ns = 0;
    server->scan_ns = SCAN_MIN_NS;
    server->took_turn = take_turn(server);
    if (server->took_turn)
        return 0;
    uint64_t end = next_ns(server, &requests);
    if (!end)
        return server_wait_ns(server, SLICE_NS, event);
    advance(server, end, requests);
    return 0;
}
