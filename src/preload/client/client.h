/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_CLIENT_CLIENT_H
#define TALLY_PRELOAD_CLIENT_CLIENT_H

/*
 * The preloaded library: libc's functions, as far as the virtual device needs them. It uses nothing
 * of libtally, allocates nothing, and must not disturb the program: no output, no signals, no
 * descriptors that the program could see but one channel a thread.
 *
 * next.c has the real functions; paths.c says which files are virtual, descriptors.c which
 * descriptors; channel.c talks to the server, user.c reaches the program's memory without faulting,
 * ids.c is who the program believes to be, log.c what it asked. calls_*.c are the functions
 * themselves; calls_time.c those that read a clock or wait for one.
 */

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/protocol.h"

#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

#define TREE_ROOM 4608 /* a path in the tree */

/* ---- next.c ---------------------------------------------------------------------------------- */

/* The real function of a name, found once. NULL: libc has none. */
void *next_function(void **cache, const char *name);
#define NEXT(name)                                                                                 \
    __extension__({                                                                                \
        static void *next_cache;                                                                   \
        void *next_known = __atomic_load_n(&next_cache, __ATOMIC_RELAXED);                         \
        if (!next_known)                                                                           \
            next_known = next_function(&next_cache, #name);                                        \
        __extension__(__typeof__(&name)) next_known;                                               \
    })

/* ---- paths.c --------------------------------------------------------------------------------- */

/* The server's directory, or NULL: there is no emulation. */
const char *tree_directory(void);

enum path_kind {
    PATH_REAL,       /* the program's own */
    PATH_VIRTUAL,    /* in the tree */
    PATH_DEVICE,     /* a node of the device; its place in the tree stands for it */
    PATH_LINK,       /* in the tree, and a link to such a node */
    PATH_DESCRIPTOR, /* /proc/self/fd/N of a device */
    PATH_CONTENT,    /* in the tree, and made anew when it is opened */
    PATH_STATUS      /* /proc/self/status of somebody who is not who it believes to be */
};

struct path {
    enum path_kind kind;
    unsigned minor;               /* PATH_DEVICE, PATH_LINK, PATH_DESCRIPTOR */
    enum emulate_content content; /* PATH_CONTENT */
    bool sysctl;                  /* only root may write it */
    char real[TREE_ROOM];         /* not PATH_REAL: what stands for it */
};

/* Which file is meant by a name as open() gets it; errno stays. `out->real` is not set if it is
 * real. directory: a descriptor, or AT_FDCWD. */
enum path_kind path_of(int directory, const char *name, struct path *out);

/* Is it surely the program's own? Quick; names none, too, which are its own mistakes. */
bool path_is_real(int directory, const char *name);

/* The same for a call that does not follow a link at its end. */
enum path_kind path_of_link(int directory, const char *name, struct path *out);

/* Is it a device's node, once links have been followed? */
bool path_is_node(const struct path *path);

/* The program's name of a place in the tree; NULL: it is elsewhere. */
const char *path_outside(const char *place);

/* The working directory is another one. */
void path_moved(void);

/* What the link /proc/self/fd/N, or the like, of a stream or an event says; NULL: it is of none. */
const char *path_link_text(const char *name);

/* What stands for a device's node in the tree. */
void path_of_minor(unsigned minor, char out[TREE_ROOM]);

/* ---- descriptors.c --------------------------------------------------------------------------- */

enum descriptor_kind { DESCRIPTOR_OTHER, DESCRIPTOR_DEVICE, DESCRIPTOR_STREAM, DESCRIPTOR_EVENT };

struct descriptor {
    enum descriptor_kind kind;
    uint32_t number; /* the server's */
    unsigned minor;  /* of a device */
};

/* Has it been asked, and is the program's own? */
#define DESCRIPTORS 65536
extern HIDDEN uint8_t descriptor_others[DESCRIPTORS];

static inline bool descriptor_is_other(int fd)
{
    return (unsigned)fd < DESCRIPTORS && __atomic_load_n(&descriptor_others[fd], __ATOMIC_RELAXED);
}

/* It has just been opened, and is the program's own: nobody needs to ask. -1 is allowed. */
int descriptor_opened(int fd);

/* Whose is it? Quick for those of the program. errno stays. */
bool descriptor_is_ours(int fd, struct descriptor *out);

/* True if the GPU can make it readable: of streams and fences. */
bool descriptor_follows_gpu(int fd);

/* It may be another one from now on; it is a copy of another. */
void descriptor_forget(int fd);
void descriptor_copied(int from, int to);

/* Does the server say that a stream has nothing to read? */
bool descriptor_is_dry(const struct descriptor *descriptor);

/* ---- channel.c ------------------------------------------------------------------------------- */

struct call {
    struct emulate_header header;
    const void *bytes; /* of the header's `bytes` */
    uint64_t argument; /* where a result's bytes go, in the program's memory */
    bool unwritten;    /* the result's bytes could not be put there */
    uint16_t flags;    /* of the result */
    int descriptor;    /* that came before the result, or -1 */
    int64_t mapped;    /* by EMULATE_MEMORY */
    void *map_hint;    /* what mmap() was called with */
    int map_protection, map_flags;
};

/* Does a call: the result, or a negative errno: -ENODEV when the server is gone. */
int64_t channel_call(struct call *call);

/*
 * poll() by the program's clock: waits until one of `count` entries is ready, or it is
 * `deadline_ns` of time_now_ns() (UINT64_MAX: no deadline). The list has space for one entry more,
 * which is overwritten. mask: signals that are blocked meanwhile; NULL: as they are. Returns the
 * number of entries that are ready, 0, or a negative errno; -ENODEV when the server is gone.
 */
int64_t channel_poll(struct pollfd *entries, size_t count, uint64_t deadline_ns,
                     const sigset_t *mask);

/* A line for the log. */
void channel_tell(const char *line, size_t bytes);

/* ---- calls_time.c ---------------------------------------------------------------------------- */

/* Do the program's clocks follow the GPU's? (EMULATE_CLOCK) */
bool time_is_free(void);

/* "NAME=value" of EMULATE_CLOCK for what is executed; NULL: the clocks are the machine's. */
const char *time_variable(void);

/* ---- user.c ---------------------------------------------------------------------------------- */

/* Copies, that fail instead of faulting. */
bool user_read(void *to, uint64_t from, size_t bytes);
bool user_write(uint64_t to, const void *from, size_t bytes);

/* How many of these bytes can be reached, from the first on. */
size_t user_reach(uint64_t address, size_t bytes);

/* ---- ids.c ----------------------------------------------------------------------------------- */

/* CAP_PERFMON or CAP_SYS_ADMIN, or root as far as the program knows. */
bool ids_privileged(void);

/* Are they not the real ones? */
bool ids_pretended(void);

/* /proc/self/status, opened, as it is then: a descriptor; or -1 and errno. */
int ids_status(void);

/* EMULATE_IDS and its value, for what is executed; NULL: ids are the real ones. */
const char *ids_variable(void);

/* ---- log.c ----------------------------------------------------------------------------------- */

/* A call and its result: a number, or a negative errno. errno stays. */
__attribute__((format(printf, 2, 3))) void log_call(int64_t result, const char *format, ...);
bool log_is_on(void);

/* The flags of open(): "O_RDWR|O_CLOEXEC". */
#define FLAGS_ROOM 192
const char *log_flags(int flags, char out[FLAGS_ROOM]);

/* An ioctl with what its argument says, after the call. */
void log_ioctl(int64_t result, int fd, uint32_t request, uint64_t argument);

#endif
