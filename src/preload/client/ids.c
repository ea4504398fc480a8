/* SPDX-License-Identifier: MIT */
/*
 * Simulated user and group ids. With EMULATE_IDS the program starts with these ids, such as root
 * for test suites that require it, and may drop them as usual; the device's permission checks use
 * them. Without EMULATE_IDS, ids and capabilities are the real ones.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/client/client.h"
#include "preload/privilege.h"

struct ids {
    unsigned real, effective, saved;
};

static bool simulated;
static struct ids users, groups;

/* For the environment of executed programs. */
static char variable[sizeof EMULATE_IDS + 32];

const char *ids_variable(void)
{
    return simulated ? variable : NULL;
}

static void note_ids(void)
{
    snprintf(variable, sizeof variable, EMULATE_IDS "=%u:%u", users.effective, groups.effective);
}

static void export_ids(void)
{
    note_ids();
    setenv(EMULATE_IDS, strchr(variable, '=') + 1, 1);
}

__attribute__((constructor)) static void find_ids(void)
{
    unsigned user, group;
    const char *text = getenv(EMULATE_IDS);
    if (!text || sscanf(text, "%u:%u", &user, &group) != 2)
        return;
    simulated = true;
    users = (struct ids){user, user, user};
    groups = (struct ids){group, group, group};
    note_ids(); /* a setenv() of the program itself, as bash has one, may not work yet */
}

bool ids_privileged(void)
{
    if (simulated)
        return users.effective == 0;
    return thread_is_privileged(0);
}

bool ids_trusts(unsigned user)
{
    return user == 0 || user == NEXT(geteuid)();
}

/* ---- reading --------------------------------------------------------------------------------- */

#define EVERY_CAPABILITY 0x1ffffffffffull

bool ids_simulated(void)
{
    return simulated;
}

/* Writes a line of /proc/self/status, with the simulated ids and capabilities. */
static void put_line(int fd, const char *line)
{
    static const struct {
        const char *name;
        const struct ids *ids;
    } owners[] = {{"Uid:", &users}, {"Gid:", &groups}};
    static const char *const capabilities[] = {"CapPrm:", "CapEff:"};
    for (size_t i = 0; i < 2; i++) {
        const struct ids *ids = owners[i].ids;
        if (!strncmp(line, owners[i].name, 4)) {
            dprintf(fd, "%s\t%u\t%u\t%u\t%u\n", owners[i].name, ids->real, ids->effective,
                    ids->saved, ids->effective);
            return;
        }
        if (!strncmp(line, capabilities[i], 7)) {
            dprintf(fd, "%s\t%016llx\n", capabilities[i],
                    users.effective == 0 ? EVERY_CAPABILITY : 0);
            return;
        }
    }
    dprintf(fd, "%s", line);
}

int ids_status(void)
{
    char line[512];
    FILE *status = NEXT(fopen)("/proc/self/status", "re");
    int fd = status ? memfd_create("status", MFD_CLOEXEC) : -1;
    while (fd >= 0 && fgets(line, sizeof line, status))
        put_line(fd, line);
    if (status)
        fclose(status);
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

int capget(cap_user_header_t header, cap_user_data_t data);
EXPORT int capget(cap_user_header_t header, cap_user_data_t data)
{
    int result = NEXT(capget)(header, data);
    if (result < 0 || !simulated || !data)
        return result;
    uint64_t bits = users.effective == 0 ? EVERY_CAPABILITY : 0;
    for (unsigned i = 0; i < (header->version == _LINUX_CAPABILITY_VERSION_1 ? 1u : 2u); i++)
        data[i].effective = data[i].permitted = (uint32_t)(bits >> 32 * i);
    return 0;
}

EXPORT uid_t getuid(void)
{
    return simulated ? users.real : NEXT(getuid)();
}

EXPORT uid_t geteuid(void)
{
    return simulated ? users.effective : NEXT(geteuid)();
}

EXPORT gid_t getgid(void)
{
    return simulated ? groups.real : NEXT(getgid)();
}

EXPORT gid_t getegid(void)
{
    return simulated ? groups.effective : NEXT(getegid)();
}

EXPORT int getgroups(int size, gid_t list[])
{
    return simulated ? 0 : NEXT(getgroups)(size, list);
}

/* ---- changing: -1 keeps an id ---------------------------------------------------------------- */

static bool is_one_of(const struct ids *ids, unsigned id)
{
    return id == (unsigned)-1 || id == ids->real || id == ids->effective || id == ids->saved;
}

static int change(struct ids *ids, unsigned real, unsigned effective, unsigned saved)
{
    if (users.effective != 0 &&
        !(is_one_of(ids, real) && is_one_of(ids, effective) && is_one_of(ids, saved))) {
        errno = EPERM;
        return -1;
    }
    if (real != (unsigned)-1)
        ids->real = real;
    if (effective != (unsigned)-1)
        ids->effective = effective;
    if (saved != (unsigned)-1)
        ids->saved = saved;
    export_ids();
    return 0;
}

/* Changes all three ids if the program is root, else the effective id. */
static int change_one(struct ids *ids, unsigned id)
{
    return users.effective == 0 ? change(ids, id, id, id)
                                : change(ids, (unsigned)-1, id, (unsigned)-1);
}

/* Evaluates a call and logs it if ids are simulated. */
#define LOGGED(call, ...)                                                                          \
    __extension__({                                                                                \
        int logged_result = (call);                                                                \
        if (simulated)                                                                             \
            log_call(logged_result < 0 ? -errno : 0, __VA_ARGS__);                                 \
        logged_result;                                                                             \
    })

EXPORT int setuid(uid_t id)
{
    return LOGGED(simulated ? change_one(&users, id) : NEXT(setuid)(id), "setuid(%d)", (int)id);
}

EXPORT int setgid(gid_t id)
{
    return LOGGED(simulated ? change_one(&groups, id) : NEXT(setgid)(id), "setgid(%d)", (int)id);
}

EXPORT int seteuid(uid_t id)
{
    return LOGGED(simulated ? change(&users, (unsigned)-1, id, (unsigned)-1) : NEXT(seteuid)(id),
                  "seteuid(%d)", (int)id);
}

EXPORT int setegid(gid_t id)
{
    return LOGGED(simulated ? change(&groups, (unsigned)-1, id, (unsigned)-1) : NEXT(setegid)(id),
                  "setegid(%d)", (int)id);
}

EXPORT int setreuid(uid_t real, uid_t effective)
{
    return LOGGED(
        simulated ? change(&users, real, effective, effective) : NEXT(setreuid)(real, effective),
        "setreuid(%d, %d)", (int)real, (int)effective);
}

EXPORT int setregid(gid_t real, gid_t effective)
{
    return LOGGED(
        simulated ? change(&groups, real, effective, effective) : NEXT(setregid)(real, effective),
        "setregid(%d, %d)", (int)real, (int)effective);
}

EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
    return LOGGED(simulated ? change(&users, real, effective, saved)
                            : NEXT(setresuid)(real, effective, saved),
                  "setresuid(%d, %d, %d)", (int)real, (int)effective, (int)saved);
}

EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved)
{
    return LOGGED(simulated ? change(&groups, real, effective, saved)
                            : NEXT(setresgid)(real, effective, saved),
                  "setresgid(%d, %d, %d)", (int)real, (int)effective, (int)saved);
}

EXPORT int setgroups(size_t count, const gid_t *list)
{
    if (!simulated)
        return NEXT(setgroups)(count, list);
    int result = users.effective == 0 ? 0 : -1;
    if (result < 0)
        errno = EPERM;
    return LOGGED(result, "setgroups(%zu)", count);
}
