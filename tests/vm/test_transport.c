/* SPDX-License-Identifier: MIT */
/* The protocol of x-pci-proxy-dev: every message, and what is wrong with others. */
#include <errno.h>
#include <sys/socket.h>

#include "vm/qemu.h"
#include "vm/tests.h"
#include "vm/transport.h"

struct pair {
    int qemu;
    struct vm_link link;
    struct tally_error error;
};

static struct pair open_pair(void)
{
    struct pair pair = {0};
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    pair.qemu = fds[0];
    vm_link_open(&pair.link, &vm_mpqemu, fds[1]);
    return pair;
}

static void close_pair(struct pair *pair)
{
    vm_link_close(&pair->link);
    close(pair->link.fd);
    if (pair->qemu >= 0)
        close(pair->qemu);
}

static int receive(struct pair *pair, struct vm_request *request)
{
    return pair->link.transport->receive(&pair->link, request, &pair->error);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void test_accesses(void **state)
{
    static const struct {
        int line;
        bool config, write, memory;
        uint64_t address, value;
        uint32_t bytes;
        enum vm_request_kind kind;
    } rows[] = {
        {__LINE__, true, false, false, 0x10, 0, 4, VM_CONFIG_READ},
        {__LINE__, true, true, false, 0x14, 0xffffffff, 4, VM_CONFIG_WRITE},
        {__LINE__, true, true, false, 0x3c, 0xab, 1, VM_CONFIG_WRITE},
        {__LINE__, false, false, true, 0xfeb0a278, 0, 4, VM_MEMORY_READ},
        {__LINE__, false, true, true, 0x12345678cafe0, UINT64_MAX - 1, 8, VM_MEMORY_WRITE},
        {__LINE__, false, false, false, 0xc000, 0, 2, VM_PORT_READ},
        {__LINE__, false, true, false, 0xc004, 0x1234, 4, VM_PORT_WRITE},
    };
    struct pair pair = open_pair();
    struct vm_request request;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qemu_message message = rows[i].config
                                          ? qemu_config(rows[i].write, (uint32_t)rows[i].address,
                                                        rows[i].bytes, (uint32_t)rows[i].value)
                                          : qemu_bar(rows[i].write, rows[i].memory, rows[i].address,
                                                     rows[i].bytes, rows[i].value);
        qemu_send(pair.qemu, &message, NULL, 0);
        bool same = receive(&pair, &request) == VM_LINK_REQUEST && request.kind == rows[i].kind &&
                    request.address == rows[i].address && request.bytes == rows[i].bytes &&
                    request.value == rows[i].value && request.count == 0;
        if (!same)
            fail_msg("row %d: kind %d, address %#lx", rows[i].line, (int)request.kind,
                     (long)request.address);
        assert_int_equal(
            vm_mpqemu.answer(&pair.link, &request, 0x1122334455667788u + i, &pair.error), 0);
        assert_int_equal(qemu_answer(pair.qemu), 0x1122334455667788u + i);
    }
    assert_int_equal(receive(&pair, &request), VM_LINK_PENDING);
    close_pair(&pair);
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void test_descriptors(void **state)
{
    struct pair pair = open_pair();
    struct vm_request request;
    char byte;
    int pipes[2];
    (void)state;
    assert_int_equal(pipe(pipes), 0);
    struct qemu_message reset = qemu_simple(DEVICE_RESET), irq = qemu_simple(SET_IRQFD);
    struct qemu_message memory = {.command = SYNC_SYSMEM, .bytes = 192};
    for (unsigned i = 0; i < 8; i++) {
        memory.body.memory.address[i] = 0x1000 * i;
        memory.body.memory.bytes[i] = 0x100 + i;
        memory.body.memory.offset[i] = 0x10000 * i;
    }
    qemu_send(pair.qemu, &reset, NULL, 0);
    qemu_send(pair.qemu, &irq, (int[]){pipes[0], pipes[1]}, 2);
    qemu_send(pair.qemu, &memory, (int[]){pipes[0], pipes[1], pipes[0]}, 3);

    assert_int_equal(receive(&pair, &request), VM_LINK_REQUEST);
    assert_int_equal(request.kind, VM_RESET);
    assert_int_equal(vm_mpqemu.answer(&pair.link, &request, 0, &pair.error), 0);
    qemu_answer(pair.qemu);

    assert_int_equal(receive(&pair, &request), VM_LINK_REQUEST);
    assert_int_equal(request.kind, VM_SET_INTERRUPTS);
    assert_int_equal(request.count, 2);
    assert_int_equal(write(request.fds[1], "i", 1), 1);
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    vm_request_close(&request);

    assert_int_equal(receive(&pair, &request), VM_LINK_REQUEST);
    assert_int_equal(request.kind, VM_MAP_MEMORY);
    assert_int_equal(request.count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(request.regions[i].address, 0x1000 * i);
        assert_int_equal(request.regions[i].bytes, 0x100 + i);
        assert_int_equal(request.regions[i].offset, 0x10000 * i);
        assert_int_equal(request.regions[i].fd, request.fds[i]);
        assert_true(is_open(request.fds[i]));
    }
    int first = request.fds[0];
    vm_request_close(&request);
    assert_false(is_open(first));

    /* neither of the two is answered */
    request.kind = VM_MAP_MEMORY;
    assert_int_equal(vm_mpqemu.answer(&pair.link, &request, 0, &pair.error), 0);
    assert_int_equal(recv(pair.qemu, &byte, 1, MSG_DONTWAIT), -1);
    close(pipes[0]);
    close(pipes[1]);
    close_pair(&pair);
}

/* A message may arrive in any pieces. */
static void test_pieces(void **state)
{
    struct qemu_message message = qemu_bar(true, true, 0xfe000000, 4, 0x55);
    (void)state;
    for (size_t cut = 1; cut < 40; cut++) {
        struct pair pair = open_pair();
        struct vm_request request = {0};
        qemu_send_part(pair.qemu, &message, cut, NULL, 0);
        assert_int_equal(receive(&pair, &request), VM_LINK_PENDING);
        assert_int_equal(send(pair.qemu, (char *)&message + cut, 40 - cut, 0), 40 - cut);
        assert_int_equal(receive(&pair, &request), VM_LINK_REQUEST);
        assert_int_equal(request.address, 0xfe000000);
        assert_int_equal(request.value, 0x55);
        close_pair(&pair);
    }
}

/* ---- what is wrong --------------------------------------------------------------------------- */

static void test_malformed(void **state)
{
    static const struct {
        int line, command;
        uint64_t bytes;
        unsigned fds;
        const char *expected;
    } rows[] = {
        {__LINE__, -1, 0, 0, "command -1, expected 0 or 2 to 7"},
        {__LINE__, 8, 0, 0, "command 8, expected"},
        {__LINE__, RET, 8, 0, "command 1, expected"},
        {__LINE__, CFGREAD, 11, 0, "PCI_CFGREAD of 11 bytes, expected 12"},
        {__LINE__, CFGWRITE, 13, 0, "PCI_CFGWRITE of 13 bytes"},
        {__LINE__, BARREAD, 0, 0, "BAR_READ of 0 bytes, expected 24"},
        {__LINE__, BARWRITE, UINT64_MAX, 0, "BAR_WRITE of 18446744073709551615 bytes"},
        {__LINE__, SYNC_SYSMEM, 193, 1, "SYNC_SYSMEM of 193 bytes, expected 192"},
        {__LINE__, SET_IRQFD, 0, 1, "SET_IRQFD with 1 descriptors, expected 2 to 2"},
        {__LINE__, SET_IRQFD, 0, 3, "SET_IRQFD with 3 descriptors"},
        {__LINE__, CFGREAD, 12, 1, "PCI_CFGREAD with 1 descriptors, expected 0 to 0"},
        {__LINE__, DEVICE_RESET, 0, 2, "DEVICE_RESET with 2 descriptors"},
        {__LINE__, SYNC_SYSMEM, 192, 9, "SYNC_SYSMEM with 9 descriptors, expected 0 to 8"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pair pair = open_pair();
        struct vm_request request;
        struct qemu_message message = {.command = rows[i].command, .bytes = rows[i].bytes};
        int fds[9];
        for (unsigned k = 0; k < 9; k++)
            fds[k] = pair.qemu;
        size_t bytes = 16 + (rows[i].bytes < 192 ? (size_t)rows[i].bytes : 0);
        if (rows[i].bytes == 192)
            bytes += 192;
        qemu_send_part(pair.qemu, &message, bytes, fds, rows[i].fds);
        int result = receive(&pair, &request);
        if (result != -EBADMSG || !strstr(pair.error.message, rows[i].expected))
            fail_msg("row %d: %d, %s", rows[i].line, result, pair.error.message);
        close_pair(&pair);
    }
}

static void test_disconnect(void **state)
{
    struct qemu_message message = qemu_config(false, 0, 4, 0);
    (void)state;
    for (size_t bytes = 0; bytes < 28; bytes++) {
        struct pair pair = open_pair();
        struct vm_request request;
        if (bytes)
            qemu_send_part(pair.qemu, &message, bytes, NULL, 0);
        close(pair.qemu);
        pair.qemu = -1;
        assert_int_equal(receive(&pair, &request), bytes ? -EBADMSG : VM_LINK_CLOSED);
        if (bytes)
            assert_non_null(strstr(pair.error.message, "closed the connection after"));
        close_pair(&pair);
    }
}

static void test_answer_without_peer(void **state)
{
    struct pair pair = open_pair();
    struct vm_request request = {.kind = VM_CONFIG_READ};
    (void)state;
    close(pair.qemu);
    pair.qemu = -1;
    assert_int_equal(vm_mpqemu.answer(&pair.link, &request, 0, &pair.error), -EPIPE);
    close_pair(&pair);
}

int run_transport_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accesses),   cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_pieces),     cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_disconnect), cmocka_unit_test(test_answer_without_peer),
    };
    return cmocka_run_group_tests_name("transport", tests, NULL, NULL);
}
