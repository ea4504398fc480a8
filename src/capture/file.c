/* SPDX-License-Identifier: MIT */
#include "capture/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "recording/format.h"

static int write_head(struct record_file *file, const struct record_head *head,
                      struct tally_error *error)
{
    int result = tally_recorder_new(file->fd, head->info, head->topology, head->topology_bytes,
                                    &file->recorder, error);
    if (result == 0 && head->provenance)
        result = tally_recorder_write(file->recorder, TALLY_RECORD_PROVENANCE, head->provenance,
                                      strlen(head->provenance), error);
    if (result == 0)
        result = tally_recorder_flush(file->recorder, error);
    if (result < 0)
        fail_in(error, "%s", file->name);
    return result;
}

int record_file_open(struct record_file *file, const char *path, const struct record_head *head,
                     struct tally_error *error)
{
    struct stat status;
    *file = (struct record_file){.name = path, .owned = strcmp(path, "-") != 0};
    if (!file->owned)
        file->name = "standard output";
    file->fd =
        file->owned ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : STDOUT_FILENO;
    if (file->fd < 0)
        return fail(error, -errno, "%s: %s", path, strerror(errno));
    file->regular = fstat(file->fd, &status) == 0 && S_ISREG(status.st_mode);
    int result = write_head(file, head, error);
    off_t at = file->regular ? lseek(file->fd, 0, SEEK_CUR) : 0;
    file->whole = at > 0 ? (uint64_t)at : 0;
    return result;
}

/* Of whole records: how many bytes of them lie in the first `limit` bytes, and how many reports. */
static size_t whole_records(const uint8_t *records, size_t limit, uint64_t *reports)
{
    size_t at = 0;
    while (limit - at >= TALLY_RECORD_HEADER_BYTES) {
        struct record_header header = record_header_load(records + at);
        if (header.size < TALLY_RECORD_HEADER_BYTES || header.size > limit - at)
            break;
        *reports += header.type == TALLY_RECORD_SAMPLE;
        at += header.size;
    }
    return at;
}

/* What could be written of the records stays, without the one that was cut. */
static void cut_to_whole(struct record_file *file, const void *records)
{
    off_t end = lseek(file->fd, 0, SEEK_CUR);
    if (end < 0 || (uint64_t)end < file->whole)
        return;
    file->whole += whole_records(records, (size_t)((uint64_t)end - file->whole), &file->reports);
    if (ftruncate(file->fd, (off_t)file->whole) == 0)
        lseek(file->fd, (off_t)file->whole, SEEK_SET);
}

int record_file_append(struct record_file *file, const void *records, size_t size,
                       struct tally_error *error)
{
    int result = tally_recorder_append(file->recorder, records, size, error);
    if (result == 0)
        result = tally_recorder_flush(file->recorder, error);
    if (result == 0) {
        file->whole += whole_records(records, size, &file->reports);
        return 0;
    }
    if (file->regular)
        cut_to_whole(file, records);
    fail_in(error, "%s", file->name);
    return result;
}

int record_file_close(struct record_file *file, struct tally_error *error)
{
    int result = 0;
    tally_recorder_free(file->recorder);
    file->recorder = NULL;
    if (file->owned && file->fd >= 0 && close(file->fd) < 0)
        result = fail(error, -errno, "%s: %s", file->name, strerror(errno));
    file->fd = -1;
    return result;
}
