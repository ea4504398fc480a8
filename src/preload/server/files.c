/* SPDX-License-Identifier: MIT */
/* Virtual files that are not plain: what is written has an effect, or what is read is consumed. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/minmax.h"
#include "preload/server/places.h"
#include "preload/server/server.h"
#include "preload/server/trace_pipe.h"

#define MAX_READ 65536u /* of a file that is no pipe */

/* ---- opening --------------------------------------------------------------------------------- */

/* Makes the reader of a pipe of tracefs. Returns 0, also for other files, or -ENOMEM. */
static int open_pipe(const char *path, int flags, struct trace_pipe **out)
{
    const char *name = strstr(path, TRACING);
    *out = NULL;
    if (!name || (flags & O_ACCMODE) == O_WRONLY)
        return 0;
    int result = trace_pipe_new(name + sizeof TRACING - 1, out);
    return result == -ENOENT ? 0 : result;
}

int file_open(struct session *session, const struct emulate_header *call, struct descriptor **out,
              int *client_end)
{
    struct server *server = session->server;
    char path[PATH_MAX];
    struct trace_pipe *pipe = NULL;
    int flags = (int)(call->a & (O_ACCMODE | O_CLOEXEC | O_NONBLOCK | O_TRUNC));
    buffer_append(&session->argument, "", 1);
    if (session->argument.broken)
        return -ENOMEM;
    int control = control_find(server, session->argument.bytes, path);
    if (control < 0)
        return control;
    if (!peer_is_privileged(session, call))
        return -EACCES;
    char *copy = strdup(path);
    int result = copy ? open_pipe(path, flags, &pipe) : -ENOMEM;
    if (result == 0)
        result = descriptor_new(server, OF_FILE, 0, out, client_end);
    if (result < 0) {
        trace_pipe_free(pipe);
        free(copy);
        return result;
    }
    struct descriptor *file = *out;
    file->control = (unsigned)control;
    file->path = copy;
    file->flags = flags;
    file->pipe = pipe;
    if (control_is_timeline(file->control) && (result = software_open(session, file)) < 0) {
        descriptor_free(server, file);
        close(*client_end);
        return result;
    }
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    control_opened(server, file->control, path, writes && flags & O_TRUNC);
    return 0;
}

/* ---- reading and writing --------------------------------------------------------------------- */

/* Reads a file of the tree at a position, and moves that; at the start, it is rewritten first. */
static int64_t read_tree(struct server *server, const struct descriptor *file, uint64_t *position,
                         uint64_t bytes, struct buffer *reply)
{
    size_t size = (size_t)min_u64(bytes, MAX_READ);
    if (!*position)
        control_read(server, file->control, file->path);
    int fd = tree_open(file->path, O_RDONLY, 0);
    if (fd < 0)
        return -errno;
    char *to = buffer_reserve(reply, size ? size : 1);
    ssize_t got = to ? pread(fd, to, size, (off_t)*position) : -1;
    int code = to ? errno : ENOMEM;
    close(fd);
    if (got < 0)
        return -code;
    reply->size += (size_t)got;
    *position += (uint64_t)got;
    return got;
}

int64_t file_read(struct session *session, const struct emulate_header *call, struct buffer *reply)
{
    struct server *server = session->server;
    struct descriptor *file = descriptor_find(server, OF_FILE, call->target);
    uint64_t bytes = min_u64(call->a, EMULATE_MAX_BYTES), given = call->c - 1;
    if (!file || (file->flags & O_ACCMODE) == O_WRONLY)
        return -EBADF;
    if (file->pipe && call->c)
        return -ESPIPE;
    if (!control_is_readable(file->control))
        return -EINVAL;
    return file->pipe ? trace_pipe_read(file->pipe, &server->trace_log, bytes, call->b, reply)
           : call->b  ? -EINVAL
                      : read_tree(server, file, call->c ? &given : &file->position, bytes, reply);
}

int64_t file_write(struct session *session, const struct emulate_header *call,
                   struct i915_wait *wait)
{
    struct descriptor *file = descriptor_find(session->server, OF_FILE, call->target);
    const struct buffer *text = &session->argument;
    if (!file || (file->flags & O_ACCMODE) == O_RDONLY)
        return -EBADF;
    if (control_waits(session->server, file->control, text->bytes, text->size,
                      session->attempt.begun_ns, wait))
        return -EINPROGRESS;
    int64_t done =
        control_write(session->server, file->control, file->path, text->bytes, text->size);
    if (done > 0 && !call->a)
        file->position += (uint64_t)done;
    return done;
}

int64_t file_seek(struct session *session, const struct emulate_header *call)
{
    struct descriptor *file = descriptor_find(session->server, OF_FILE, call->target);
    int64_t offset = (int64_t)call->a;
    struct stat about;
    if (!file)
        return -EBADF;
    if (file->pipe)
        return -ESPIPE;
    if (call->b == SEEK_CUR && __builtin_add_overflow(offset, (int64_t)file->position, &offset))
        return -EOVERFLOW;
    if (call->b == SEEK_END) {
        if (stat(file->path, &about) < 0)
            return -errno;
        if (__builtin_add_overflow(offset, about.st_size, &offset))
            return -EOVERFLOW;
    }
    if (call->b > SEEK_END || offset < 0)
        return -EINVAL;
    file->position = (uint64_t)offset;
    return offset;
}

/* ---- ioctl ----------------------------------------------------------------------------------- */

int file_ioctl(struct session *session, const struct descriptor *file, uint32_t request)
{
    return file->timeline ? software_ioctl(session, file->timeline, request) : -ENOTTY;
}

/* ---- waiting --------------------------------------------------------------------------------- */

bool file_is_readable(const struct server *server, const struct descriptor *descriptor)
{
    return descriptor->pipe && trace_pipe_polls(descriptor->pipe, &server->trace_log);
}

bool file_ends(const struct server *server, const struct descriptor *descriptor,
               const struct emulate_header *call)
{
    return !descriptor->pipe || trace_pipe_ends(descriptor->pipe, &server->trace_log, call->b);
}

bool file_continues(struct server *server, const struct emulate_header *call)
{
    const struct descriptor *file = descriptor_find(server, OF_FILE, call->target);
    return !file || !file->pipe || trace_pipe_continues(file->pipe, &server->trace_log, call->b);
}
