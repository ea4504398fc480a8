/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_BLOCK_FORMAT_H
#define TALLY_STORE_BLOCK_FORMAT_H

/*
 * The head of a packed block. Runs follow: for each, the numbers (varint) of rows and of literal
 * bytes after them; then the literal bytes, and the columns of words of the rows.
 */
enum {
    BLOCK_VERSION = 0,   /* BLOCK_FORMAT */
    BLOCK_KIND = 1,      /* enum block_rows */
    BLOCK_ROW_BYTES = 2, /* a multiple of 4; 0: no rows */
    BLOCK_ROW_COUNT = 4,
    BLOCK_SIZE = 8, /* unpacked bytes */
    BLOCK_RUNS = 12,
    BLOCK_LITERALS = 16,
    BLOCK_CHECK = 20 /* lower half of the first word of the hash of the unpacked bytes */
};

#define BLOCK_FORMAT 1

#endif
