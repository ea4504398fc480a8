/* SPDX-License-Identifier: MIT */
/* Moving bytes between descriptors, and the keys that end a machine. */
#include "guest/tests.h"

#include <poll.h>
#include <signal.h>

#include "vm/pump.h"
#include "vm/terminal.h"

static bool is_ready(const struct pump *pump)
{
    struct pollfd polled = pump_poll(pump);
    return poll(&polled, 1, 0) == 1;
}

/* Bytes arrive complete and in order, whatever the writer's and the reader's pace. */
static void test_pump(void **state)
{
    (void)state;
    int in[2], out[2];
    struct pump pump;
    struct random rng = random_start(13);
    unsigned sent = 0, received = 0;
    const unsigned total = 300000;
    assert_int_equal(pipe2(in, O_NONBLOCK), 0);
    assert_int_equal(pipe2(out, O_NONBLOCK), 0);
    pump_open(&pump, in[0], out[1]);
    while (received < total) {
        unsigned char bytes[9000];
        unsigned size = (unsigned)(random_next(&rng) % sizeof bytes);
        size = size < total - sent ? size : total - sent;
        for (unsigned i = 0; i < size; i++)
            bytes[i] = (unsigned char)((sent + i) * 7 >> 3);
        ssize_t n = random_next(&rng) % 3 ? write(in[1], bytes, size) : 0;
        sent += n > 0 ? (unsigned)n : 0;
        if (sent == total && in[1] >= 0) {
            close(in[1]);
            in[1] = -1;
        }
        for (unsigned i = 0; i < 4 && is_ready(&pump); i++)
            pump_move(&pump);
        n = random_next(&rng) % 2 ? read(out[0], bytes, sizeof bytes) : 0;
        for (ssize_t i = 0; i < n; i++, received++)
            assert_int_equal(bytes[i], (unsigned char)(received * 7 >> 3));
    }
    while (!pump.ended && is_ready(&pump))
        pump_move(&pump);
    assert_true(pump.ended);
    assert_false(pump_is_full(&pump));
    assert_int_equal(pump.error, 0);
    close(in[0]);
    close(out[0]);
    close(out[1]);
}

static void test_pump_without_a_reader(void **state)
{
    (void)state;
    int in[2], out[2];
    struct pump pump;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    close(out[0]);
    assert_int_equal(write(in[1], "x", 1), 1);
    pump_open(&pump, in[0], out[1]);
    pump_move(&pump);
    assert_true(pump_is_full(&pump));
    pump_move(&pump);
    assert_int_equal(pump.error, EPIPE);
    assert_int_equal(pump_poll(&pump).fd, -1);
    close(in[0]);
    close(in[1]);
    close(out[1]);
    pump_open(&pump, -1, 5);
    assert_true(pump.ended);
    assert_int_equal(pump_poll(&pump).fd, -1);
}

static void test_keys_that_end_a_machine(void **state)
{
    (void)state;
    // clang-format off
    static const struct {
        unsigned line;
        const char *keys;   /* ] stands for Ctrl-] */
        unsigned step_ms;   /* between keys */
        bool ends;
    } rows[] = {
        {__LINE__, "]]]", 0, true},
        {__LINE__, "a]]]", 300, true},
        {__LINE__, "]]]a", 300, true}, /* before the last key */
        {__LINE__, "]]", 0, false},
        {__LINE__, "]]a]", 0, false},
        {__LINE__, "]]]", 600, false},
        {__LINE__, "]]]]]", 600, false},
        {__LINE__, "]a]]]", 100, true},
    };
    // clang-format on
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct terminal terminal = {.escapes = 0};
        bool ends = false;
        uint64_t now_ns = UINT64_C(5000000000);
        for (const char *key = rows[i].keys; *key; key++) {
            char typed = *key == ']' ? 0x1d : *key;
            ends |= terminal_wants_end(&terminal, &typed, 1, now_ns);
            now_ns += rows[i].step_ms * UINT64_C(1000000);
        }
        ROW(rows[i].line, ends == rows[i].ends, "%s", ends ? "ends" : "does not end");
    }
    struct terminal terminal = {.escapes = 0};
    assert_true(terminal_wants_end(&terminal, "\x1d\x1d\x1d", 3, 1));
    ROWS_DONE();
}

int test_streams(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pump),
        cmocka_unit_test(test_pump_without_a_reader),
        cmocka_unit_test(test_keys_that_end_a_machine),
    };
    return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
