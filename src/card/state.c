/* SPDX-License-Identifier: MIT */
/* The file with what was changed on a card. */
#include "card/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define PREFIX    "tally-"
#define SUFFIX    ".state"
#define BOOT_ID   "/proc/sys/kernel/random/boot_id"
#define MAX_BYTES (1u << 20) /* of a file that is read */

static const char letters[STATE_KINDS] = {
    [STATE_REGISTER] = 'w', [STATE_MASKED] = 'm', [STATE_CONFIG] = 'c', [STATE_POWER] = 'p'};

static void read_boot(char boot[STATE_BOOT_BYTES])
{
    FILE *file = fopen(BOOT_ID, "re");
    if (!file || fscanf(file, "%39s", boot) != 1)
        snprintf(boot, STATE_BOOT_BYTES, "unknown");
    if (file)
        fclose(file);
}

static const char *directory(void)
{
    return geteuid() ? getenv("XDG_RUNTIME_DIR") : "/run";
}

/* ---- entries --------------------------------------------------------------------------------- */

static int keep(struct state *state, const struct state_entry *entry)
{
    if (state->count == state->capacity) {
        size_t capacity = state->capacity ? 2 * state->capacity : 64;
        struct state_entry *more = realloc(state->entries, capacity * sizeof *more);
        if (!more)
            return -ENOMEM;
        state->entries = more;
        state->capacity = capacity;
    }
    state->entries[state->count++] = *entry;
    return 0;
}

/* Removes the bits of an entry that were saved before, since the oldest value is put back. */
static void drop_saved(const struct state *state, struct state_entry *entry)
{
    for (size_t i = 0; i < state->count; i++)
        if (state->entries[i].kind == entry->kind && state->entries[i].address == entry->address)
            entry->mask &= ~state->entries[i].mask;
    entry->value &= entry->mask;
}

static int write_line(struct state *state, const char *line, struct tally_error *error)
{
    size_t size = strlen(line);
    ssize_t written = write(state->fd, line, size);
    if (written == (ssize_t)size)
        return 0;
    int result = written < 0 ? -errno : -ENOSPC;
    return fail(error, result, "%s: %s; the card was not changed", state->path, strerror(-result));
}

#define LINE_BYTES 64

static void format_entry(const struct state_entry *entry, char line[LINE_BYTES])
{
    if (entry->kind == STATE_POWER)
        snprintf(line, LINE_BYTES, "%c %s\n", letters[entry->kind], entry->text);
    else
        snprintf(line, LINE_BYTES, "%c %06" PRIx32 " %08" PRIx32 " %08" PRIx32 "\n",
                 letters[entry->kind], entry->address, entry->mask, entry->value);
}

int state_add(struct state *state, const struct state_entry *entry, struct tally_error *error)
{
    struct state_entry added = *entry;
    char line[LINE_BYTES];
    drop_saved(state, &added);
    if (!added.mask)
        return 0;
    format_entry(&added, line);
    int result = write_line(state, line, error);
    if (result == 0 && keep(state, &added) < 0)
        result = fail_memory(error, "the state of the card");
    return result;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Parses a line exactly as it is written. */
static bool parse_entry(const char *line, struct state_entry *entry)
{
    char again[LINE_BYTES];
    *entry = (struct state_entry){.mask = UINT32_MAX};
    while (entry->kind < STATE_KINDS && letters[entry->kind] != *line)
        entry->kind++;
    if (entry->kind == STATE_KINDS)
        return false;
    bool parsed = entry->kind == STATE_POWER
                      ? sscanf(line + 1, " %7[a-z]", entry->text) == 1
                      : sscanf(line + 1, " %8" SCNx32 " %8" SCNx32 " %8" SCNx32, &entry->address,
                               &entry->mask, &entry->value) == 3 &&
                            entry->address % 4 == 0;
    if (!parsed)
        return false;
    format_entry(entry, again);
    size_t size = strlen(line);
    return !strncmp(line, again, size) && !strcmp(again + size, "\n");
}

static bool parse_head(struct state *state, const char *line)
{
    struct card_address where;
    int used = 0;
    return sscanf(line, "tally-state 1 %19s %4" SCNx16 ":%4" SCNx16 " %18ld %39s%n", state->card,
                  &state->vendor, &state->device, &state->process, state->boot, &used) == 5 &&
           !line[used] && card_parse_address(state->card, &where);
}

int state_parse(struct state *state, const char *text, size_t size, struct tally_error *error)
{
    const char *end = text + size, *newline;
    for (unsigned number = 1; (newline = memchr(text, '\n', (size_t)(end - text))); number++) {
        char line[192];
        struct state_entry entry;
        size_t length = (size_t)(newline - text);
        bool fits = length < sizeof line && !memchr(text, '\0', length);
        snprintf(line, sizeof line, "%.*s", fits ? (int)length : 0, text);
        if (!fits || !(number == 1 ? parse_head(state, line) : parse_entry(line, &entry)))
            return fail(error, -EBADMSG, "%s:%u: not a line of a state file", state->path, number);
        if (number > 1 && keep(state, &entry) < 0)
            return fail_memory(error, "the state of the card");
        text = newline + 1;
    }
    if (!*state->card)
        return fail(error, -EBADMSG, "%s: no state of a card", state->path);
    return 0;
}

/* Reads a file's lines. Without a whole one, its process was killed before it changed anything. */
static int load(struct state *state, int fd, struct tally_error *error)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = size < 0 || size > MAX_BYTES ? NULL : malloc((size_t)size + 1);
    int result = 0;
    if (!text)
        result = fail(error, -EBADMSG, "%s: too long for a state file", state->path);
    else if (pread(fd, text, (size_t)size, 0) != size)
        result = fail(error, -EIO, "%s: cannot be read", state->path);
    else if (memchr(text, '\n', (size_t)size))
        result = state_parse(state, text, (size_t)size, error);
    free(text);
    return result;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Opens the file and locks it. A process that ends in between may have removed it; then it is
 * opened again. */
static int open_locked(struct state *state, int flags, struct tally_error *error)
{
    for (;;) {
        struct stat file;
        state->fd = open(state->path, flags | O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (state->fd < 0)
            return fail(error, -errno, "%s: %s", state->path, strerror(errno));
        if (flock(state->fd, LOCK_EX | LOCK_NB) < 0) {
            close(state->fd);
            state->fd = -1;
            return fail(error, -EBUSY, "%s: another process uses the card", state->path);
        }
        if (fstat(state->fd, &file) == 0 && file.st_nlink) {
            bool own = S_ISREG(file.st_mode) && file.st_uid == geteuid() &&
                       !(file.st_mode & (S_IRWXG | S_IRWXO));
            if (own)
                return 0;
            state_close(state);
            return fail(error, -EPERM, "%s: not a file of this user with mode 0600", state->path);
        }
        close(state->fd);
    }
}

/* Whether a process that was killed has left changes that are still there. A file without any, or
 * of before a restart of the machine, begins anew. */
static int check_left(const struct state *state, struct tally_error *error)
{
    struct state left = {.fd = -1};
    memcpy(left.path, state->path, sizeof left.path);
    int result = load(&left, state->fd, error);
    bool changed = result == 0 && left.count && state_is_current(&left);
    free(left.entries);
    if (changed)
        return fail(error, -EBUSY,
                    "%s: a process that was killed has left the card changed; tally doctor "
                    "--restore puts it back",
                    state->path);
    if (result == 0 && ftruncate(state->fd, 0) < 0)
        return fail(error, -errno, "%s: %s", state->path, strerror(errno));
    return result;
}

int state_create(struct state *state, const char *card, uint16_t vendor, uint16_t device,
                 struct tally_error *error)
{
    char line[160];
    const char *where = directory();
    *state =
        (struct state){.vendor = vendor, .device = device, .process = (long)getpid(), .fd = -1};
    if (!where || !*where)
        return fail(error, -EACCES,
                    "no directory for the state of the card, expected $XDG_RUNTIME_DIR");
    snprintf(state->card, sizeof state->card, "%s", card);
    snprintf(state->path, sizeof state->path, "%s/" PREFIX "%s" SUFFIX, where, card);
    read_boot(state->boot);
    int result = open_locked(state, O_CREAT, error);
    if (result < 0)
        return result;
    result = check_left(state, error);
    if (result < 0) {
        state_close(state);
        return result;
    }
    snprintf(line, sizeof line, "tally-state 1 %s %04x:%04x %ld %s\n", card, vendor, device,
             state->process, state->boot);
    result = write_line(state, line, error);
    if (result < 0)
        state_remove(state);
    return result;
}

void state_close(struct state *state)
{
    if (state->fd >= 0)
        close(state->fd);
    state->fd = -1;
    free(state->entries);
    state->entries = NULL;
    state->count = state->capacity = 0;
}

void state_remove(struct state *state)
{
    if (state->fd >= 0)
        unlink(state->path);
    state_close(state);
}

int state_open(struct state *state, const char *path, struct tally_error *error)
{
    *state = (struct state){.fd = -1};
    snprintf(state->path, sizeof state->path, "%s", path);
    int result = open_locked(state, 0, error);
    if (result == 0)
        result = load(state, state->fd, error);
    if (result < 0)
        state_close(state);
    return result;
}

bool state_is_current(const struct state *state)
{
    char boot[STATE_BOOT_BYTES];
    read_boot(boot);
    return !strcmp(state->boot, boot);
}

static int is_state(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name), suffix = strlen(SUFFIX);
    return size > suffix && !strncmp(entry->d_name, PREFIX, strlen(PREFIX)) &&
           !strcmp(entry->d_name + size - suffix, SUFFIX);
}

size_t state_list(void (*visit)(void *closure, const char *path), void *closure)
{
    struct dirent **entries;
    const char *where = directory();
    int count = where ? scandir(where, &entries, is_state, alphasort) : 0;
    for (int i = 0; i < count; i++) {
        char path[STATE_PATH_BYTES];
        if ((size_t)snprintf(path, sizeof path, "%s/%s", where, entries[i]->d_name) < sizeof path)
            visit(closure, path);
        free(entries[i]);
    }
    if (count > 0 || (where && count == 0))
        free(entries);
    return count > 0 ? (size_t)count : 0;
}
