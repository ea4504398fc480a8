/* SPDX-License-Identifier: MIT */
#include "capture/writer.h"

#include <errno.h>

#include "base/error.h"

static void *write_chunks(void *closure)
{
    struct writer *writer = closure;
    for (struct chunk *chunk; (chunk = queue_take(writer->queue));) {
        writer->result =
            record_file_append(&writer->file, chunk->bytes, chunk->used, &writer->error);
        queue_give_back(writer->queue, chunk);
        if (writer->result < 0) {
            queue_fail(writer->queue);
            break;
        }
    }
    return NULL;
}

int writer_start(struct writer *writer, struct queue *queue, const char *path,
                 const struct record_head *head, struct tally_error *error)
{
    *writer = (struct writer){.queue = queue};
    int result = record_file_open(&writer->file, path, head, error);
    if (result == 0 && pthread_create(&writer->thread, NULL, write_chunks, writer) != 0)
        result = fail(error, -EAGAIN, "cannot start a thread that writes %s", writer->file.name);
    writer->running = result == 0;
    if (result < 0)
        record_file_close(&writer->file, NULL);
    return result;
}

int writer_finish(struct writer *writer, struct tally_error *error)
{
    if (!writer->running)
        return 0;
    queue_end(writer->queue);
    pthread_join(writer->thread, NULL);
    writer->running = false;
    int result = record_file_close(&writer->file, error);
    if (writer->result < 0) {
        *error = writer->error;
        return writer->result;
    }
    return result;
}
