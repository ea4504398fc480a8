/* SPDX-License-Identifier: MIT */
#include "vm/guest/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "vm/guest/memory_file.h"

#define UNPACKED_MAX (1u << 30)

struct format {
    uint8_t magic[6], size;
    const char *program, *package; /* `program -dc` reads standard input */
};

static const struct format formats[] = {
    {{0xfd, '7', 'z', 'X', 'Z', 0}, 6, "xz", "xz-utils"},
    {{0x28, 0xb5, 0x2f, 0xfd}, 4, "zstd", "zstd"},
    {{0x1f, 0x8b}, 2, "gzip", "gzip"},
    {{'B', 'Z', 'h'}, 3, "bzip2", "bzip2"},
    {{0x02, 0x21, 0x4c, 0x18}, 4, "lz4", "lz4"},
    {{0x5d, 0, 0}, 3, "xz", "xz-utils"}, /* LZMA alone */
};

static const struct format *format_of(const void *bytes, size_t size)
{
    for (size_t i = 0; i < ARRAY_COUNT(formats); i++)
        if (size >= formats[i].size && !memcmp(bytes, formats[i].magic, formats[i].size))
            return &formats[i];
    return NULL;
}

bool unpack_is_packed(const void *bytes, size_t size)
{
    return format_of(bytes, size) != NULL;
}

/* Executes the program with the packed bytes as standard input. Never returns. */
static _Noreturn void execute(const struct format *format, int input, int output)
{
    int quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 || quiet < 0 ||
        dup2(quiet, STDERR_FILENO) < 0)
        _exit(126);
    execlp(format->program, format->program, "-dc", (char *)NULL);
    _exit(errno == ENOENT ? 127 : 126);
}

static void collect(int from, struct buffer *out)
{
    size_t before = out->size;
    for (;;) {
        char *to = buffer_reserve(out, 1u << 16);
        ssize_t n = to && out->size - before < UNPACKED_MAX ? read(from, to, 1u << 16) : 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        out->size += (size_t)n;
    }
}

/* Runs the program. Returns its wait status, or a negative errno. */
static int run(const struct format *format, int input, struct buffer *out)
{
    int output[2], status;
    if (pipe2(output, O_CLOEXEC) < 0)
        return -errno;
    pid_t child = fork();
    if (child == 0)
        execute(format, input, output[1]);
    int code = -errno;
    close(output[1]);
    if (child > 0)
        collect(output[0], out);
    close(output[0]);
    if (child < 0)
        return code;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return status;
}

int unpack(const char *name, const void *bytes, size_t size, struct buffer *out,
           struct tally_error *error)
{
    const struct format *format = format_of(bytes, size);
    if (!format)
        return fail(error, -EBADMSG, "%s: not in a known format of compression", name);
    int input = memory_file("packed", bytes, size, error);
    if (input < 0)
        return input;
    size_t before = out->size;
    int status = run(format, input, out);
    close(input);
    if (status < 0)
        return fail(error, status, "%s: %s: %s", name, format->program, strerror(-status));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return fail(error, -ENOENT, "%s: %s not found, expected the package %s", name,
                    format->program, format->package);
    if (status != 0 || out->broken || out->size == before)
        return fail(error, -EBADMSG, "%s: %s cannot unpack it", name, format->program);
    return 0;
}
