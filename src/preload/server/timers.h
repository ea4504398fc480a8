/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_SERVER_TIMERS_H
#define TALLY_PRELOAD_SERVER_TIMERS_H

#include "preload/server/server.h"

/* EMULATE_TIMER. Returns the timer's number or, with a descriptor, 0 and the client's end of it;
 * else -1 there. -EAGAIN: too many timers. */
int64_t timer_new(struct session *session, const struct emulate_header *call, int *client_end);

/* The other calls of a timer; what they return is in session->reply. *drained: the program must
 * read the byte of the timer's socket. -EBADF, -EINVAL: unknown timer; -EAGAIN: not expired. */
int64_t timer_call(struct session *session, const struct emulate_header *call, bool *drained);

/* Returns when the next timer expires that a program can notice; UINT64_MAX: none. */
uint64_t timers_next_ns(const struct server *server);

/* Removes the timers of processes that have ended. */
void timers_reap(struct server *server);

/* Lets the first one of those expire that are due. */
void timers_expire(struct server *server, uint64_t now_ns);

bool timer_is_readable(const struct server *server, const struct descriptor *descriptor);

/* Must be called before the descriptor of a timer is freed. */
void timer_descriptor_ends(struct server *server, const struct descriptor *descriptor);
void timers_free(struct server *server);

#endif
