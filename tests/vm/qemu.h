/* SPDX-License-Identifier: MIT */
#ifndef TESTS_VM_QEMU_H
#define TESTS_VM_QEMU_H

/* What QEMU does at the other end of the socket, written down from its protocol. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYNC_SYSMEM, RET, CFGWRITE, CFGREAD, BARWRITE, BARREAD, SET_IRQFD, DEVICE_RESET };

struct qemu_message {
    int32_t command;
    uint32_t padding;
    uint64_t bytes;
    union {
        uint8_t data[192];
        struct {
            uint32_t address, value, bytes;
        } config;
        struct {
            uint64_t address, value;
            uint32_t bytes;
            uint8_t memory, padding[3];
        } bar;
        struct {
            uint64_t address[8], bytes[8], offset[8];
        } memory;
    } body;
};

/* Messages as QEMU sends them. */
struct qemu_message qemu_config(bool write, uint32_t address, uint32_t bytes, uint32_t value);
struct qemu_message qemu_bar(bool write, bool memory, uint64_t address, uint32_t bytes,
                             uint64_t value);
struct qemu_message qemu_simple(int32_t command);

/* Sends `bytes` bytes of a message with descriptors. */
void qemu_send_part(int fd, const struct qemu_message *message, size_t bytes, const int *fds,
                    unsigned count);
void qemu_send(int fd, const struct qemu_message *message, const int *fds, unsigned count);

/* Waits for an answer and returns its value. */
uint64_t qemu_answer(int fd);

/* Sends and waits. */
uint32_t qemu_read_config(int fd, uint32_t address, uint32_t bytes);
void qemu_write_config(int fd, uint32_t address, uint32_t bytes, uint32_t value);
uint64_t qemu_read(int fd, uint64_t address, uint32_t bytes);
void qemu_write(int fd, uint64_t address, uint32_t bytes, uint64_t value);

/* Shares memory: `bytes` of a file from `offset` on, at a physical address. */
void qemu_share(int fd, int file, uint64_t address, uint64_t offset, uint64_t bytes);

#endif
