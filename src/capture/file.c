/* SPDX-License-Identifier: MIT */
#include "capture/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/append.h"
#include "recording/chipset.h"
#include "recording/format.h"
#include "recording/phases.h"

void record_head_put(struct buffer *to, const struct record_head *head)
{
    uint8_t stream[STREAM_BYTES] = {0};
    recording_head_put(to, head->info, head->topology, head->topology_bytes);
    if (head->chipset) {
        chipset_record_put(to, head->chipset_name, head->chipset);
        signals_record_put(to, head->signals);
    }
    if (head->provenance)
        record_put(to, TALLY_RECORD_PROVENANCE, head->provenance, strlen(head->provenance));
    if (head->phases)
        phases_record_put(to, head->phases);
    if (!head->timer_ticks && !head->one_context && !head->modelled && !head->marks)
        return;
    store_le64(stream + STREAM_TIMER, head->timer_ticks);
    store_le32(stream + STREAM_FLAGS, (head->one_context ? STREAM_ONE_CONTEXT : 0) |
                                          (head->modelled ? STREAM_MODELLED : 0) |
                                          (head->marks ? STREAM_MARKS : 0));
    store_le32(stream + STREAM_CONTEXT, head->one_context ? head->context : 0);
    record_put(to, TALLY_RECORD_STREAM, stream, sizeof stream);
}

static int write_head(struct record_file *file, const void *head, size_t size,
                      struct tally_error *error)
{
    int result = recorder_new(file->fd, &file->recorder, error);
    if (result == 0)
        result = tally_recorder_append(file->recorder, head, size, error);
    if (result == 0)
        result = tally_recorder_flush(file->recorder, error);
    if (result < 0)
        fail_in(error, "%s", file->name);
    return result;
}

/* Opens or creates the file. */
static int open_file(struct record_file *file, const char *path, struct tally_error *error)
{
    file->created = false;
    file->fd = file->owned ? open(path, O_WRONLY | O_CLOEXEC) : STDOUT_FILENO;
    if (file->fd < 0 && errno == ENOENT) {
        file->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        file->created = file->fd >= 0;
    }
    if (file->fd < 0)
        return fail(error, -errno, "%s: %s", path, strerror(errno));
    return 0;
}

/* Locks a regular file until it is closed. Returns 1 if it was deleted or renamed since it was
 * opened. */
static int lock_file(struct record_file *file, struct tally_error *error)
{
    struct stat status, named;
    file->regular = fstat(file->fd, &status) == 0 && S_ISREG(status.st_mode);
    if (!file->regular)
        return 0;
    /* Another error means that the file system has no locks. */
    if (flock(file->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        return fail(error, -ETXTBSY, "%s: another process is recording to this file", file->name);
    return file->owned && (stat(file->name, &named) < 0 || named.st_ino != status.st_ino ||
                           named.st_dev != status.st_dev);
}

int record_file_open(struct record_file *file, const char *path, struct tally_error *error)
{
    int result;
    *file = (struct record_file){.name = path, .owned = strcmp(path, "-") != 0};
    if (!file->owned)
        file->name = "standard output";
    do {
        result = open_file(file, path, error);
        if (result < 0)
            return result;
        result = lock_file(file, error);
        if (result && file->owned)
            close(file->fd);
    } while (result > 0);
    if (result < 0) {
        file->fd = -1;
        file->created = false;
    }
    return result;
}

/* Renames the file, a symbolic link's target, to "NAME.old", and creates and locks a new one with
 * the same mode. */
static int replace_file(struct record_file *file, mode_t mode, struct tally_error *error)
{
    char *path = realpath(file->name, NULL), *old = NULL;
    int before = file->fd;
    int result = path ? 0 : fail(error, -errno, "%s: %s", file->name, strerror(errno));
    if (result == 0 && asprintf(&old, "%s.old", path) < 0) {
        old = NULL;
        result = fail_memory(error, "a path");
    }
    if (result == 0 && rename(path, old) < 0)
        result = fail(error, -errno, "%s: cannot keep the existing file as %s: %s", file->name, old,
                      strerror(errno));
    if (result == 0) {
        file->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777);
        if (file->fd < 0 && errno == EEXIST)
            result =
                fail(error, -ETXTBSY, "%s: another process is recording to this file", file->name);
        else if (file->fd < 0)
            result = fail(error, -errno, "%s: %s", file->name, strerror(errno));
        else if (lock_file(file, error) < 0)
            result = -ETXTBSY;
        close(before);
    }
    free(path);
    free(old);
    return result;
}

/* Keeps what a file already has under another name. */
static int keep_contents(struct record_file *file, struct tally_error *error)
{
    struct stat status;
    if (!file->owned || !file->regular || file->created)
        return 0;
    if (fstat(file->fd, &status) < 0)
        return fail(error, -errno, "%s: %s", file->name, strerror(errno));
    return status.st_size ? replace_file(file, status.st_mode, error) : 0;
}

int record_file_begin_bytes(struct record_file *file, const void *head, size_t size,
                            uint64_t disk_bytes, struct tally_error *error)
{
    file->begun = true;
    file->max_bytes = disk_bytes ? disk_bytes : UINT64_MAX;
    int result = keep_contents(file, error);
    if (result < 0)
        return result;
    result = write_head(file, head, size, error);
    off_t at = file->regular ? lseek(file->fd, 0, SEEK_CUR) : 0;
    file->whole = at > 0 ? (uint64_t)at : 0;
    return result;
}

int record_file_continue(struct record_file *file, const struct record_head *head,
                         struct tally_correlation now, struct tally_error *error)
{
    int result = append_check(file->name, head, now, error);
    file->append = result > 0;
    return result < 0 ? result : 0;
}

/* Moves to the end of the recording that is continued. */
static int continue_file(struct record_file *file, const struct record_head *head,
                         struct tally_error *error)
{
    file->begun = true;
    file->max_bytes = head->disk_bytes ? head->disk_bytes : UINT64_MAX;
    int result = head->marks ? append_allow_marks(file->name, file->fd, error) : 0;
    off_t end = lseek(file->fd, 0, SEEK_END);
    if (result == 0 && end < 0)
        result = fail(error, -errno, "%s: %s", file->name, strerror(errno));
    file->whole = end > 0 ? (uint64_t)end : 0;
    return result ? result : recorder_new(file->fd, &file->recorder, error);
}

int record_file_begin(struct record_file *file, const struct record_head *head,
                      struct tally_error *error)
{
    struct buffer bytes = {0};
    if (file->append)
        return continue_file(file, head, error);
    record_head_put(&bytes, head);
    int result = bytes.broken ? fail_memory(error, "the head of a recording")
                              : record_file_begin_bytes(file, bytes.bytes, bytes.size,
                                                        head->disk_bytes, error);
    buffer_fini(&bytes);
    return result;
}

/* Counts the whole records in the first `limit` bytes, which are in the file. */
static void count_whole(struct record_file *file, const uint8_t *records, size_t limit)
{
    size_t at = 0;
    while (limit - at >= TALLY_RECORD_HEADER_BYTES) {
        struct record_header header = record_header_load(records + at);
        if (header.size < TALLY_RECORD_HEADER_BYTES || header.size > limit - at)
            break;
        file->last_reports = record_reports(records + at);
        file->reports += file->last_reports;
        file->last = file->last_reports ? header.size : 0;
        at += header.size;
    }
    file->whole += at;
}

/* Truncates the file after the last record that was written completely. */
static void truncate_to_whole(struct record_file *file, const void *records)
{
    off_t end = lseek(file->fd, 0, SEEK_CUR);
    if (end < 0 || (uint64_t)end < file->whole)
        return;
    count_whole(file, records, (size_t)((uint64_t)end - file->whole));
    if (ftruncate(file->fd, (off_t)file->whole) == 0)
        lseek(file->fd, (off_t)file->whole, SEEK_SET);
}

int record_file_append(struct record_file *file, const void *records, size_t size,
                       struct tally_error *error)
{
    uint64_t space = file->max_bytes > file->whole ? file->max_bytes - file->whole : 0;
    size_t fits = size < space ? size : (size_t)space;
    int result = tally_recorder_append(file->recorder, records, fits, error);
    if (result == 0)
        result = tally_recorder_flush(file->recorder, error);
    if (result == 0 && fits < size)
        result = fail(error, -ENOSPC, "%s", strerror(ENOSPC));
    if (result == 0) {
        count_whole(file, records, size);
        return 0;
    }
    file->full = result == -ENOSPC || result == -EDQUOT || result == -EFBIG;
    if (file->regular)
        truncate_to_whole(file, records);
    fail_in(error, "%s", file->name);
    return result;
}

/* Replaces the last record of reports by a LEDGER record, since a full disk has no space for both.
 */
static void record_unwritten(struct record_file *file)
{
    uint8_t record[TALLY_RECORD_HEADER_BYTES + LEDGER_BYTES] = {0};
    if (!file->regular || !file->full || file->last < sizeof record)
        return;
    uint64_t at = file->whole - file->last;
    record_header_store(record, TALLY_RECORD_LEDGER, sizeof record);
    store_le32(record + TALLY_RECORD_HEADER_BYTES + LEDGER_KIND, TALLY_LOSS_UNWRITTEN);
    store_le64(record + TALLY_RECORD_HEADER_BYTES + LEDGER_RECORDS, 1);
    file->reports -= file->last_reports;
    store_le64(record + TALLY_RECORD_HEADER_BYTES + LEDGER_ESTIMATED,
               file->expected > file->reports ? file->expected - file->reports : 0);
    bool written = ftruncate(file->fd, (off_t)at) == 0 &&
                   pwrite(file->fd, record, sizeof record, (off_t)at) == (ssize_t)sizeof record;
    file->whole = at + (written ? sizeof record : 0);
    if (!written && ftruncate(file->fd, (off_t)at) < 0)
        return; /* readers report that the last record is truncated */
}

int record_file_close(struct record_file *file, struct tally_error *error)
{
    int result = 0;
    if (file->fd >= 0)
        record_unwritten(file);
    tally_recorder_free(file->recorder);
    file->recorder = NULL;
    if (file->owned && file->fd >= 0 && close(file->fd) < 0)
        result = fail(error, -errno, "%s: %s", file->name, strerror(errno));
    if (file->created && !file->begun)
        unlink(file->name);
    file->fd = -1;
    return result;
}
