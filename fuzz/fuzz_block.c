/* SPDX-License-Identifier: MIT */
/* Unpacks the input as a block of a store; then packs it as a recording in pieces, and unpacks
 * that. */
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "fuzz.h"
#include "store/block.h"

static struct unpacker *unpacker;

/* A recording that is packed and unpacked again. */
struct round_trip {
    struct buffer bytes;
    uint64_t start;
};

static int unpack(void *closure, struct packed_block *block)
{
    struct round_trip *trip = closure;
    struct tally_error error = {0};
    CHECK(block->start == trip->bytes.size && block->size && block->size <= BLOCK_BYTES_MAX);
    CHECK(unpacker_run(unpacker, (const uint8_t *)block->bytes.bytes, block->bytes.size,
                       &trip->bytes, &error) == 0);
    CHECK(block->start + block->size == trip->bytes.size);
    buffer_fini(&block->bytes);
    return 0;
}

/* Packs the bytes in pieces of random sizes up to `max`. */
static void pack(struct packer *packer, const uint8_t *data, size_t size, size_t max,
                 char hash[BLOCK_HASH_BYTES])
{
    static const size_t row_bytes[] = {256, 64, 192, 1088};
    uint64_t random = max;
    enum tally_recording_kind kind = size % 3 ? TALLY_KIND_CONTAINER : TALLY_KIND_RAW;
    struct round_trip trip = {0};
    packer_begin(packer, kind, row_bytes[size % 4], unpack, &trip);
    for (size_t at = 0, n; at < size; at += n) {
        n = min_size(size - at, 1 + (size_t)(next_number(&random) % max));
        uint8_t *piece = malloc(n); /* of its own, so that reading past it is noticed */
        CHECK(piece);
        memcpy(piece, data + at, n);
        CHECK(packer_add(packer, piece, n) == 0);
        free(piece);
    }
    CHECK(packer_end(packer) == 0);
    CHECK(trip.bytes.size == size && (!size || !memcmp(trip.bytes.bytes, data, size)));
    packer_hash(packer, hash);
    buffer_fini(&trip.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct packer *packer;
    struct buffer bytes = {0};
    struct tally_error error = {0};
    char hash[BLOCK_HASH_BYTES], other[BLOCK_HASH_BYTES];
    packer = packer ? packer : packer_new();
    unpacker = unpacker ? unpacker : unpacker_new();
    CHECK(packer && unpacker);
    int result = unpacker_run(unpacker, data, size, &bytes, &error);
    CHECK(result == error.code && (result == 0) == (bytes.size > 0));
    buffer_fini(&bytes);
    pack(packer, data, size, SIZE_MAX / 2, hash);
    pack(packer, data, size, 100, other);
    CHECK(!strcmp(hash, other));
    return 0;
}
