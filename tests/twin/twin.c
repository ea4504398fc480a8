/* SPDX-License-Identifier: MIT */
/* Makes the calls of all groups and prints their results: see twin.h. */
#include "twin.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define USER 65534

static const struct calls *const groups[] = {
    &device_group,  &params_group,  &query_group,       &gem_group,     &mapping_group,
    &context_group, &engines_group, &exec_group,        &configs_group, &opening_group,
    &stream_group,  &files_group,   &directories_group, &debugfs_group, &events_group,
    &hangs_group,   &sweep_group,
};

uint32_t slots[SLOTS];
static uint8_t *memory;
static bool gen7;

__attribute__((noreturn)) static void stop(const char *what)
{
    fprintf(stderr, "twin: %s: %s\n", what, strerror(errno));
    exit(2);
}

bool is_gen7(void)
{
    return gen7;
}

uint8_t *data_memory(void)
{
    return memory;
}

/* ---- slots ----------------------------------------------------------------------------------- */

#define ADDRESS_MARK (DATA(0) >> 32)
#define SLOT_MARK    (SLOT(0) >> 16)

static uint32_t value_of(uint32_t word)
{
    return word >> 16 == SLOT_MARK && (word & UINT16_MAX) < SLOTS ? slots[word & UINT16_MAX] : word;
}

void fill(void *to, const void *from, size_t bytes)
{
    uint8_t *out = to;
    memcpy(out, from, bytes);
    for (size_t at = 0; at + 4 <= bytes; at += 4) {
        uint32_t word, high = 0;
        memcpy(&word, out + at, 4);
        if (at % 8 == 0 && at + 8 <= bytes)
            memcpy(&high, out + at + 4, 4);
        if (high == ADDRESS_MARK) {
            uint64_t address = (uintptr_t)memory + word;
            memcpy(out + at, &address, 8);
            at += 4;
            continue;
        }
        word = value_of(word);
        memcpy(out + at, &word, 4);
    }
}

/* ---- printing -------------------------------------------------------------------------------- */

/* strerrorname_np() does not know the kernel's own numbers. */
static const char *error_name(int code)
{
    static char number[16];
    if (code == 524)
        return "ENOTSUPP";
    const char *name = strerrorname_np(code);
    snprintf(number, sizeof number, "%d", code);
    return name ? name : number;
}

static void print_number(uint64_t value, enum how how)
{
    if (how == HEX)
        printf("%#" PRIx64, value);
    else if (how == PLAIN || (how == DESCRIPTOR && (int32_t)value < 0))
        printf("%" PRId64, (int64_t)value);
    else
        printf("%s", how == DESCRIPTOR ? "fd" : value ? "some" : "0");
}

void print_result(const struct call *call, long result, enum how how)
{
    int code = errno;
    printf("%s: ", call->name);
    if (result < 0)
        printf("%ld %s", result, error_name(code));
    else
        print_number((uint64_t)result, how);
}

void print_field(const char *name, uint64_t value, enum how how)
{
    printf(" %s=", name);
    print_number(value, how);
}

void print_text(const char *name, const char *text)
{
    printf(" %s=\"", name);
    for (; *text; text++)
        if (*text == '\n')
            printf("\\n");
        else
            putchar(*text);
    putchar('"');
}

void print_words(const void *data, size_t count)
{
    printf(" data=");
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)data + 4 * i, 4);
        printf("%s%" PRIx32, i ? "," : "", word);
    }
}

void print_end(void)
{
    putchar('\n');
    fflush(stdout);
}

/* ---- ioctls ---------------------------------------------------------------------------------- */

static uint64_t field_value(const struct field *field, const uint8_t *args)
{
    uint64_t value = 0;
    memcpy(&value, args + field->offset, field->bytes);
    if (field->bytes == 4 && field->how != HEX)
        value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
    return value;
}

static void print_fields(const struct call *call, const uint8_t *args)
{
    for (const struct field *f = call->kind->fields; f->name; f++)
        print_field(f->name, field_value(f, args), f->how);
}

/* Keeps what the row wants to keep, and closes other descriptors. */
static void keep(const struct call *call, const uint8_t *args, long result)
{
    const struct kind *kind = call->kind;
    if (result < 0) {
        if (call->keep) /* no object; no descriptor */
            slots[call->keep] = kind->result == DESCRIPTOR ? UINT32_MAX : 0;
        return;
    }
    uint64_t value =
        kind->kept ? field_value(&kind->fields[kind->kept - 1], args) : (uint64_t)result;
    enum how how = kind->kept ? kind->fields[kind->kept - 1].how : kind->result;
    if (call->keep)
        slots[call->keep] = (uint32_t)value;
    else if (how == DESCRIPTOR)
        close((int)value);
}

long make_ioctl(const struct call *call, const char *suffix)
{
    const struct kind *kind = call->kind;
    uint64_t args[128] = {0};
    char name[160];
    struct call line = *call;
    unsigned long request = call->request ? call->request : kind->request;
    snprintf(name, sizeof name, "%s%s", call->name, suffix);
    line.name = name;
    if (call->args)
        fill(args, call->args, kind->size);
    if (call->data)
        fill(memory, call->data, call->bytes);
    errno = 0;
    long result;
    do
        result = ioctl((int)slots[call->fd ? call->fd : CARD], request,
                       call->args ? (void *)args : (void *)(uintptr_t)BAD);
    while (result < 0 && (errno == EINTR || errno == EAGAIN));
    print_result(&line, result, kind->result);
    if (call->args)
        print_fields(call, (const uint8_t *)args);
    if (kind->show)
        kind->show(call, args, memory);
    if (call->words)
        print_words(memory + call->from, call->words);
    print_end();
    keep(call, (const uint8_t *)args, result);
    return result;
}

/* ---- running --------------------------------------------------------------------------------- */

static void make(const struct call *call)
{
    if (call->kind->make)
        call->kind->make(call);
    else
        make_ioctl(call, "");
}

static void make_as_user(const struct call *call)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        stop("fork");
    if (child == 0) {
        if (setgroups(0, NULL) < 0 || setgid(USER) < 0 || setuid(USER) < 0)
            stop("setuid");
        make(call);
        _exit(0);
    }
    if (waitpid(child, &status, 0) < 0 || status)
        stop(call->name);
}

static void find_devices(void)
{
    static const char *const names[] = {
        [CARD] = "/dev/dri/card0", [RENDER] = "/dev/dri/renderD128"};
    for (enum slot slot = CARD; slot <= RENDER; slot++) {
        int fd = open(names[slot], O_RDWR | O_CLOEXEC);
        if (fd < 0)
            stop(names[slot]);
        slots[slot] = (uint32_t)fd;
    }
    int id = 0;
    struct drm_i915_getparam args = {.param = I915_PARAM_CHIPSET_ID, .value = &id};
    if (ioctl((int)slots[CARD], DRM_IOCTL_I915_GETPARAM, &args) < 0)
        stop("I915_PARAM_CHIPSET_ID");
    static const int haswell[] = {0x0400, 0x0a00, 0x0c00, 0x0d00};
    for (size_t i = 0; i < COUNT(haswell); i++)
        gen7 = gen7 || (id & 0xff00) == haswell[i];
    struct utsname name;
    uname(&name);
    printf("# device 8086:%04x, %s %s %s\n", (unsigned)id, name.sysname, name.release,
           name.version);
}

int main(void)
{
    uint8_t *pages = mmap(NULL, 2 * DATA_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages, DATA_BYTES, PROT_READ | PROT_WRITE) < 0)
        stop("mmap");
    memory = pages;
    find_devices();
    for (size_t g = 0; g < COUNT(groups); g++)
        for (size_t i = 0; i < groups[g]->count; i++) {
            const struct call *call = &groups[g]->calls[i];
            memset(memory, 0, DATA_BYTES);
            if (call->as_user)
                make_as_user(call);
            else
                make(call);
        }
    return 0;
}
