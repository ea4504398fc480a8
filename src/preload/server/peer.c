/* SPDX-License-Identifier: MIT */
/*
 * Who is at the other end of a connection: its user and process are what the kernel says
 * (SO_PEERCRED), and its privileges those of that process at the time of a call
 * (docs/emulate.md#who-may-do-what).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/parent.h"
#include "preload/privilege.h"
#include "preload/server/server.h"

#define MAX_ANCESTORS 256

/* ---- descendants ----------------------------------------------------------------------------- */

/* Orphans are children of the server: see PR_SET_CHILD_SUBREAPER. */
static bool is_descendant(long pid)
{
    for (unsigned i = 0; i < MAX_ANCESTORS && pid > 1; i++) {
        pid = parent_of(pid);
        if (pid == getpid())
            return true;
    }
    return false;
}

bool peer_descends(struct session *session, long pid)
{
    if (!session->ancestors[0]) {
        long at = session->pid;
        for (unsigned i = 0; i < SESSION_ANCESTORS && at > 1; i++, at = parent_of(at))
            session->ancestors[i] = (pid_t)at;
    }
    for (unsigned i = 0; i < SESSION_ANCESTORS && session->ancestors[i]; i++)
        if (session->ancestors[i] == pid)
            return true;
    return false;
}

/* ---- connections ----------------------------------------------------------------------------- */

int peer_accept(struct session *session)
{
    struct ucred peer;
    char path[32];
    socklen_t size = sizeof peer;
    if (getsockopt(session->source.fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return -errno;
    snprintf(path, sizeof path, "/proc/%d", (int)peer.pid);
    session->process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (session->process < 0 && errno != ENOENT) /* its privileges could not be checked */
        return -errno;
    session->pid = peer.pid;
    session->supervises =
        session->server->settings->by_namespace && peer.pid == session->server->child;
    if (peer.uid == geteuid() || (geteuid() == 0 && is_descendant(peer.pid)))
        return 0;
    return -EACCES;
}

void peer_change(struct session *session, long thread)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%ld", thread);
    if (session->process >= 0)
        close(session->process);
    session->process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    session->pid = (pid_t)thread;
    session->shares_users = false;
    session->ancestors[0] = 0;
}

pid_t peer_process(const struct session *session)
{
    char text[512] = "";
    if (!session->supervises)
        return session->pid;
    int fd = openat(session->process, "status", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, text, sizeof text - 1) < 0)
        *text = '\0';
    if (fd >= 0)
        close(fd);
    const char *process = strstr(text, "\nTgid:");
    return process ? (pid_t)strtol(process + 6, NULL, 10) : session->pid;
}

/* Whether the process is in the server's user namespace: in one of its own, an ordinary user has
 * all capabilities. The descriptor is of this process, even if another one has its number now. */
static bool shares_users(const struct session *session)
{
    struct stat ours, its;
    return stat("/proc/self/ns/user", &ours) == 0 &&
           fstatat(session->process, "ns/user", &its, 0) == 0 && ours.st_dev == its.st_dev &&
           ours.st_ino == its.st_ino;
}

/* The namespace is checked again after the process was without capabilities, because that takes
 * longer than a call. */
bool peer_is_privileged(struct session *session, const struct emulate_header *call)
{
    if (!(call->flags & EMULATE_PRIVILEGED))
        return false;
    if (session->server->settings->as_root)
        return true;
    if (session->process < 0 || !thread_is_privileged(session->pid)) {
        session->shares_users = false;
        return false;
    }
    session->shares_users = session->shares_users || shares_users(session);
    return session->shares_users;
}

/* ---- threads --------------------------------------------------------------------------------- */

bool peer_has_thread(const struct session *session, long thread)
{
    char path[48];
    struct stat about;
    snprintf(path, sizeof path, "task/%ld", thread);
    return thread > 0 && session->process >= 0 && fstatat(session->process, path, &about, 0) == 0;
}

void peer_name(const struct session *session, long thread, char *out, size_t size)
{
    char path[48];
    snprintf(path, sizeof path, "task/%ld/comm", thread);
    int fd = session && session->process >= 0 ? openat(session->process, path, O_RDONLY | O_CLOEXEC)
                                              : -1;
    ssize_t got = fd < 0 ? 0 : read(fd, out, size - 1);
    if (fd >= 0)
        close(fd);
    memset(out + (got > 0 ? got : 0), 0, size - (size_t)(got > 0 ? got : 0));
    char *end = strchr(out, '\n');
    if (end)
        *end = '\0';
}

long peer_thread(struct session *session, long claimed)
{
    if (session->supervises || (claimed > 0 && claimed == session->thread))
        return claimed;
    session->thread = peer_has_thread(session, claimed) ? claimed : session->pid;
    return session->thread;
}

void peer_opens(const struct session *session, struct drm_file *file)
{
    int comm = openat(session->process, "comm", O_RDONLY | O_CLOEXEC);
    ssize_t length = comm < 0 ? 0 : read(comm, file->opener_name, sizeof file->opener_name - 1);
    if (comm >= 0)
        close(comm);
    file->opener_name[length > 0 ? length : 0] = '\0';
    file->opener_name[strcspn(file->opener_name, "\n")] = '\0';
    file->opener = session->pid;
}
