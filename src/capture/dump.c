/* SPDX-License-Identifier: MIT */
#include "capture/dump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

static void *write_dump(void *closure)
{
    struct dump *dump = closure;
    struct record_file file;
    dump->result = record_file_open(&file, dump->path, &dump->error);
    if (dump->result == 0)
        dump->result = record_file_begin(&file, dump->head, &dump->error);
    if (dump->result == 0)
        dump->result = record_file_append(&file, dump->records, dump->size, &dump->error);
    dump->reports = file.reports;
    dump->bytes = file.whole;
    if (dump->result == 0)
        dump->result = record_file_close(&file, &dump->error);
    else
        record_file_close(&file, NULL);
    atomic_store(&dump->done, true);
    return NULL;
}

int dump_start(struct dump *dump, const struct ring *ring, const char *path,
               const struct record_head *head, struct tally_error *error)
{
    *dump = (struct dump){.head = head};
    if ((size_t)snprintf(dump->path, sizeof dump->path, "%s", path) >= sizeof dump->path)
        return fail(error, -ENAMETOOLONG, "%s: the name is too long", path);
    dump->records = ring_copy(ring, &dump->size);
    if (!dump->records)
        return fail_memory(error, "a copy of the ring");
    dump->running = true;
    dump->threaded = pthread_create(&dump->thread, NULL, write_dump, dump) == 0;
    if (!dump->threaded)
        write_dump(dump);
    return 0;
}

int dump_finish(struct dump *dump)
{
    if (dump->threaded)
        pthread_join(dump->thread, NULL);
    dump->running = false;
    free(dump->records);
    dump->records = NULL;
    return dump->result;
}
