/* SPDX-License-Identifier: MIT */
#include "vm/qemu.h"

#include <sys/socket.h>

#include "testing.h"

struct qemu_message qemu_simple(int32_t command)
{
    return (struct qemu_message){.command = command};
}

struct qemu_message qemu_config(bool write, uint32_t address, uint32_t bytes, uint32_t value)
{
    struct qemu_message message = {.command = write ? CFGWRITE : CFGREAD, .bytes = 12};
    message.body.config.address = address;
    message.body.config.value = value;
    message.body.config.bytes = bytes;
    return message;
}

struct qemu_message qemu_bar(bool write, bool memory, uint64_t address, uint32_t bytes,
                             uint64_t value)
{
    struct qemu_message message = {.command = write ? BARWRITE : BARREAD, .bytes = 24};
    message.body.bar.address = address;
    message.body.bar.value = value;
    message.body.bar.bytes = bytes;
    message.body.bar.memory = memory;
    return message;
}

void qemu_send_part(int fd, const struct qemu_message *message, size_t bytes, const int *fds,
                    unsigned count)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(16 * sizeof(int))];
    } control = {0};
    struct iovec place = {(void *)(uintptr_t)message, bytes};
    struct msghdr header = {.msg_iov = &place, .msg_iovlen = 1};
    if (count) {
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *part = CMSG_FIRSTHDR(&header);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(part), fds, count * sizeof(int));
    }
    assert_int_equal(sendmsg(fd, &header, MSG_NOSIGNAL), bytes);
}

void qemu_send(int fd, const struct qemu_message *message, const int *fds, unsigned count)
{
    qemu_send_part(fd, message, 16 + message->bytes, fds, count);
}

uint64_t qemu_answer(int fd)
{
    struct {
        int32_t command;
        uint32_t padding;
        uint64_t bytes, value;
    } answer;
    assert_int_equal(recv(fd, &answer, sizeof answer, MSG_WAITALL), sizeof answer);
    assert_int_equal(answer.command, RET);
    assert_int_equal(answer.bytes, 8);
    return answer.value;
}

uint32_t qemu_read_config(int fd, uint32_t address, uint32_t bytes)
{
    struct qemu_message message = qemu_config(false, address, bytes, 0);
    qemu_send(fd, &message, NULL, 0);
    return (uint32_t)qemu_answer(fd);
}

void qemu_write_config(int fd, uint32_t address, uint32_t bytes, uint32_t value)
{
    struct qemu_message message = qemu_config(true, address, bytes, value);
    qemu_send(fd, &message, NULL, 0);
    qemu_answer(fd);
}

uint64_t qemu_read(int fd, uint64_t address, uint32_t bytes)
{
    struct qemu_message message = qemu_bar(false, true, address, bytes, 0);
    qemu_send(fd, &message, NULL, 0);
    return qemu_answer(fd);
}

void qemu_write(int fd, uint64_t address, uint32_t bytes, uint64_t value)
{
    struct qemu_message message = qemu_bar(true, true, address, bytes, value);
    qemu_send(fd, &message, NULL, 0);
    qemu_answer(fd);
}

void qemu_share(int fd, int file, uint64_t address, uint64_t offset, uint64_t bytes)
{
    struct qemu_message message = {.command = SYNC_SYSMEM, .bytes = 192};
    message.body.memory.address[0] = address;
    message.body.memory.bytes[0] = bytes;
    message.body.memory.offset[0] = offset;
    qemu_send(fd, &message, &file, 1);
}
