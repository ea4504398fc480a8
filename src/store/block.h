/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_BLOCK_H
#define TALLY_STORE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/recording.h>

#include "base/buffer.h"
#include "store/hash.h"

/*
 * Blocks of a recording (docs/store.md). A block has the bytes of up to BLOCK_ROWS consecutive
 * rows (reports or packets of record mode) as columns of 32-bit words, and the bytes between them
 * as they are. Each block is packed and unpacked alone; all blocks of a recording are its bytes.
 */
#define BLOCK_ROWS 4096

/* Maximum bytes of a row, of the bytes between the rows of a block, and of an unpacked block. */
#define BLOCK_ROW_MAX      1088
#define BLOCK_LITERALS_MAX (1u << 20)
#define BLOCK_BYTES_MAX    (BLOCK_ROWS * (8 + BLOCK_ROW_MAX) + BLOCK_LITERALS_MAX + (1u << 17))

/* Bytes of the head of a block. */
#define BLOCK_HEAD_BYTES 24

/* Where the rows of a recording are. */
enum block_rows {
    BLOCK_ROWS_BARE,    /* back to back */
    BLOCK_ROWS_SAMPLES, /* in SAMPLE records */
    BLOCK_ROWS_COUNT
};

/* A packed block. */
struct packed_block {
    uint64_t start; /* offset of its first byte in the recording */
    uint64_t size;  /* unpacked bytes */
    uint32_t rows;
    struct buffer bytes;
};

/* Packs the bytes of a recording, which arrive in pieces of any size. */
struct packer;

/* Called with each block, which the receiver owns, in the order of the recording. Returns 0, or
 * another value to stop. */
typedef int block_function(void *closure, struct packed_block *block);

/* Returns NULL if out of memory. */
struct packer *packer_new(void);

/* Begins a recording of this kind, with reports of `row_bytes`. */
void packer_begin(struct packer *packer, enum tally_recording_kind kind, size_t row_bytes,
                  block_function *put, void *closure);
void packer_free(struct packer *packer);

/* Packs the next bytes. Returns 0, -ENOMEM, or the value with which `put` has stopped. */
int packer_add(struct packer *packer, const uint8_t *bytes, size_t size);

/* Packs what is left at the end of the recording. Returns as packer_add(). */
int packer_end(struct packer *packer);

/* Returns the hash of the bytes so far, as 32 hexadecimal digits. Equal recordings have equal
 * hashes; the reverse is likely, but has to be checked. */
#define BLOCK_HASH_BYTES HASH_TEXT_BYTES
void packer_hash(const struct packer *packer, char text[BLOCK_HASH_BYTES]);

/* Unpacks blocks, one at a time; keeps its memory for the next one. */
struct unpacker;

/* Returns NULL if out of memory. */
struct unpacker *unpacker_new(void);
void unpacker_free(struct unpacker *unpacker);

/* Unpacks a block, and appends its bytes to `to`. Returns 0; -EBADMSG with a message: it is
 * malformed; -ENOMEM. */
int unpacker_run(struct unpacker *unpacker, const uint8_t *bytes, size_t size, struct buffer *to,
                 struct tally_error *error);

#endif
