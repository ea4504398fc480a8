/* SPDX-License-Identifier: MIT */
/* Moving batches from a source through workers: order, early stop, errors, sources of both kinds.
 */
#include "pipeline/tests.h"

#include <errno.h>
#include <stdatomic.h>

#include "base/bits.h"
#include "pipeline/run.h"

/* ---- a source of numbered batches ------------------------------------------------------------ */

#define LEDGER 3

struct numbers {
    size_t next, count; /* batches delivered, and their total */
    int result;         /* result after the last batch */
    uint64_t size;
    atomic_int open; /* batches that are not freed yet */
};

static struct numbers numbers;

static int numbers_init(struct pipeline_batch *batch)
{
    *batch = (struct pipeline_batch){.packets = calloc(1, sizeof *batch->packets)};
    atomic_fetch_add(&numbers.open, 1);
    return 0;
}

static void numbers_fini(struct pipeline_batch *batch)
{
    free(batch->packets);
    atomic_fetch_sub(&numbers.open, 1);
}

static int numbers_read(void *self, struct pipeline_batch *batch, struct tally_error *error)
{
    struct numbers *source = self;
    if (source->next == source->count) {
        if (source->result < 0)
            *error = (struct tally_error){source->result, "the source failed"};
        return source->result;
    }
    batch->packets->index = source->next++;
    batch->packet_count = 1;
    return 1;
}

static uint64_t numbers_position(const void *self)
{
    return ((const struct numbers *)self)->next;
}

static uint64_t numbers_size(const void *self)
{
    return ((const struct numbers *)self)->size;
}

static size_t numbers_losses(const void *self, const struct tally_loss **out)
{
    (void)self;
    *out = NULL;
    return LEDGER;
}

static const char *numbers_path(const void *self)
{
    (void)self;
    return "numbers";
}

static const struct pipeline_source_calls numbers_calls = {
    numbers_init, numbers_fini,   numbers_read, numbers_position,
    numbers_size, numbers_losses, numbers_path,
};

/* ---- workers --------------------------------------------------------------------------------- */

#define STOPPED 17

static struct {
    atomic_size_t worked;
    size_t committed; /* commits happen one at a time and in order */
    bool in_order;
    size_t stop_at; /* the number of the batch whose commit stops */
} all;

struct counter {
    uint64_t number;
};

static int work(void *worker, const struct pipeline_batch *batch)
{
    struct counter *counter = worker;
    counter->number = batch->packets->index;
    atomic_fetch_add(&all.worked, 1);
    return 0;
}

static int commit(void *worker)
{
    const struct counter *counter = worker;
    all.in_order &= counter->number == all.committed;
    all.committed++;
    return counter->number == all.stop_at ? STOPPED : 0;
}

static size_t progress_calls;
static uint64_t progress_latest;

static void note_progress(void *closure, uint64_t done, uint64_t total)
{
    assert_ptr_equal(closure, &progress_calls);
    assert_int_equal(total, numbers.size);
    progress_calls++;
    progress_latest = done;
}

static int run_numbers(size_t workers, bool ahead, struct tally_error *error)
{
    struct counter counters[PIPELINE_WORKERS_MAX];
    void *closures[PIPELINE_WORKERS_MAX];
    struct pipeline_source source = {&numbers_calls, &numbers};
    for (size_t i = 0; i < PIPELINE_WORKERS_MAX; i++)
        closures[i] = &counters[i];
    progress_calls = progress_latest = 0;
    atomic_store(&all.worked, 0);
    all.committed = 0;
    all.in_order = true;
    const struct pipeline_run run = {
        .source = &source,
        .work = work,
        .commit = commit,
        .workers = closures,
        .worker_count = workers,
        .ahead = ahead,
        .progress = note_progress,
        .progress_closure = &progress_calls,
    };
    return pipeline_run(&run, error);
}

static void test_batches_are_committed_in_order(void **state)
{
    static const struct {
        unsigned line;
        size_t batches;
        int result;     /* of the source, after its last batch */
        size_t stop_at; /* SIZE_MAX: never */
        int expected;
        size_t committed;
    } rows[] = {
        {__LINE__, 0, 0, SIZE_MAX, 0, 0},
        {__LINE__, 1, 0, SIZE_MAX, 0, 1},
        {__LINE__, 3, 0, SIZE_MAX, 0, 3},
        {__LINE__, 1000, 0, SIZE_MAX, 0, 1000},
        {__LINE__, 0, -EIO, SIZE_MAX, -EIO, 0},
        {__LINE__, 1000, -EBADMSG, SIZE_MAX, -EBADMSG, 1000}, /* all before the fault */
        {__LINE__, 1000, 0, 0, STOPPED, 1},
        {__LINE__, 1000, 0, 500, STOPPED, 501},
        {__LINE__, 1000, -EBADMSG, 999, STOPPED, 1000},
    };
    (void)state;
    for (size_t r = 0; r < COUNT(rows); r++) {
        for (size_t workers = 1; workers <= PIPELINE_WORKERS_MAX; workers++) {
            for (int ahead = 0; ahead < 2; ahead++) {
                struct tally_error error = {0};
                numbers = (struct numbers){
                    .count = rows[r].batches, .result = rows[r].result, .size = 1u << 30};
                all.stop_at = rows[r].stop_at;
                int result = run_numbers(workers, ahead, &error);
                ROW(rows[r].line,
                    result == rows[r].expected && all.committed == rows[r].committed &&
                        all.in_order && numbers.open == 0 &&
                        (result >= 0 || !strcmp(error.message, "the source failed")),
                    "%zu workers, ahead %d: result %d, %zu committed", workers, ahead, result,
                    all.committed);
            }
        }
    }
    ROWS_DONE();
}

static void test_progress_is_that_of_the_source(void **state)
{
    struct tally_error error = {0};
    (void)state;
    for (size_t workers = 1; workers <= 2; workers++) {
        numbers = (struct numbers){.count = 100, .size = 1u << 30};
        all.stop_at = SIZE_MAX;
        assert_int_equal(run_numbers(workers, false, &error), 0);
        assert_true(progress_calls >= 100);
        assert_int_equal(progress_latest, 100);
    }
}

static void test_small_inputs_have_one_worker(void **state)
{
    (void)state;
    assert_int_equal(pipeline_worker_count(1), 1);
    assert_int_equal(pipeline_worker_count((UINT64_C(4) << 20) - 1), 1);
    assert_in_range(pipeline_worker_count(UINT64_C(4) << 20), 1, PIPELINE_WORKERS_MAX);
    assert_int_equal(pipeline_worker_count(0), pipeline_worker_count(UINT64_MAX));
}

/* ---- record buffers -------------------------------------------------------------------------- */

struct packet_sums {
    uint64_t packets, cycles;
};

static int add_packets(void *worker, const struct pipeline_batch *batch)
{
    struct packet_sums *sums = worker;
    assert_null(batch->reports);
    for (size_t i = 0; i < batch->packet_count; i++) {
        assert_int_equal(batch->packets[i].index, sums->packets);
        sums->packets++;
        sums->cycles += batch->packets[i].delta;
    }
    return 0;
}

static void test_packets_are_a_source(void **state)
{
    enum { PACKETS = 3000 };
    static uint8_t bytes[PACKETS * 16 + 5]; /* the last one is truncated */
    struct tally_packets *packets;
    struct tally_error error = {0};
    struct packet_sums sums = {0};
    void *worker = &sums;
    (void)state;
    for (uint64_t i = 0; i < PACKETS; i++) {
        uint64_t cycles = (i + 1) * 1000;
        store_le16(bytes + i * 16, (uint16_t)cycles);
        store_le32(bytes + i * 16 + 2, (uint32_t)(cycles >> 16));
        store_le16(bytes + i * 16 + 6, 1);
    }
    assert_int_equal(tally_packets_open_memory(bytes, sizeof bytes, "record", TALLY_PACKET_SHORT,
                                               &packets, &error),
                     0);
    struct pipeline_source source = source_of_packets(packets);
    const struct pipeline_run run = {
        .source = &source, .work = add_packets, .workers = &worker, .worker_count = 1};
    assert_int_equal(pipeline_run(&run, &error), -EBADMSG);
    assert_non_null(strstr(error.message, "truncated: 5 bytes"));
    assert_int_equal(sums.packets, PACKETS);
    assert_int_equal(sums.cycles, (PACKETS - 1) * 1000);
    assert_int_equal(source.calls->position(source.self), sizeof bytes);
    assert_int_equal(source.calls->size_bytes(source.self), sizeof bytes);
    assert_string_equal(source.calls->path(source.self), "record");
    assert_int_equal(source_loss_count(&source), 1); /* the truncated packet */
    tally_packets_close(packets);
}

int test_runs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches_are_committed_in_order),
        cmocka_unit_test(test_progress_is_that_of_the_source),
        cmocka_unit_test(test_small_inputs_have_one_worker),
        cmocka_unit_test(test_packets_are_a_source),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
