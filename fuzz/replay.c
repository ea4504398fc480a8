/* SPDX-License-Identifier: MIT */
/*
 * Runs a target on the files of its corpus, as a test. A failed check aborts the program after the
 * name of the file was printed.
 *
 * Usage: replay_TARGET DIRECTORY...
 */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int run_file(const char *path, long size)
{
    FILE *file = fopen(path, "rb");
    /* Exactly as large as the file, so that a sanitizer detects reads past its end. */
    uint8_t *bytes = malloc(size ? (size_t)size : 1);
    size_t got = file && bytes ? fread(bytes, 1, (size_t)size, file) : 0;
    if (file)
        fclose(file);
    if (got == (size_t)size) {
        printf("[ RUN      ] %s\n", path);
        fflush(stdout);
        LLVMFuzzerTestOneInput(bytes, got);
        printf("[       OK ] %s\n", path);
    }
    free(bytes);
    return got == (size_t)size ? 1 : -EIO;
}

/* Returns the number of files run, or a negative errno. */
static int run_directory(const char *directory)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, NULL, alphasort), done = 0;
    if (count < 0)
        return -errno;
    for (int i = 0; i < count; i++) {
        char path[4096];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
        free(entries[i]);
        if (done < 0 || stat(path, &status) < 0 || !S_ISREG(status.st_mode))
            continue;
        int result = run_file(path, status.st_size);
        done = result < 0 ? result : done + result;
    }
    free(entries);
    return done;
}

int main(int argc, char **argv)
{
    int total = 0;
    for (int i = 1; i < argc; i++) {
        int done = run_directory(argv[i]);
        if (done <= 0) {
            fprintf(stderr, "%s: %s\n", argv[i], done ? strerror(-done) : "no files");
            return 1;
        }
        total += done;
    }
    printf("[  PASSED  ] %d test(s).\n", total);
    return argc > 1 ? 0 : 2;
}
