/* SPDX-License-Identifier: MIT */
#include "capture/writer.h"

#include <string.h>

#include "base/error.h"

static void *write_chunks(void *closure)
{
    struct writer *writer = closure;
    for (struct chunk *chunk; (chunk = queue_take(writer->queue));) {
        writer->result =
            record_file_append(&writer->file, chunk->bytes, chunk->used, &writer->error);
        queue_return(writer->queue, chunk);
        if (writer->result < 0) {
            queue_fail(writer->queue);
            break;
        }
    }
    return NULL;
}

int writer_open(struct writer *writer, const char *path, struct tally_error *error)
{
    *writer = (struct writer){0};
    int result = record_file_open(&writer->file, path, error);
    writer->open = result == 0;
    return result;
}

int writer_start(struct writer *writer, struct queue *queue, const struct record_head *head,
                 struct tally_error *error)
{
    writer->queue = queue;
    int code = pthread_create(&writer->thread, NULL, write_chunks, writer);
    if (code != 0)
        return fail(error, -code, "cannot start a thread that writes %s: %s", writer->file.name,
                    strerror(code));
    writer->running = true;
    return record_file_begin(&writer->file, head, error); /* now that nothing else can fail */
}

int writer_finish(struct writer *writer, struct tally_error *error)
{
    if (writer->running) {
        queue_end(writer->queue);
        pthread_join(writer->thread, NULL);
    }
    int result = writer->open ? record_file_close(&writer->file, error) : 0;
    writer->running = writer->open = false;
    if (writer->result < 0) {
        *error = writer->error;
        return writer->result;
    }
    return result;
}
