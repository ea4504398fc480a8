/* SPDX-License-Identifier: MIT */
/*
 * The registers of the device, which a program maps by `resource0` of its PCI device. The mapping
 * has no access, so each load and store is a SIGSEGV. Its handler gets the data from the server,
 * and executes the instruction once, by the trap flag, with a base register that points to them;
 * the handler of SIGTRAP restores the register, and sends what was stored to the server. So any
 * instruction of the CPU works, and the registers see each access with its size and in order. (A
 * page that is kept in step with the registers could neither distinguish two stores of the same
 * value from one, nor have registers that change.)
 *
 * While registers are mapped, the program's own handlers of both signals are called by ours.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/client/client.h"
#include "preload/decode/decode.h"

#define BARS_MAX 32 /* mappings at the same time */

struct bar {
    uint64_t start, bytes; /* start 0: unused */
    uint64_t offset;       /* in the BAR */
    bool reads, writes;    /* the mapping's protection */
};

static struct bar bars[BARS_MAX];
static _Atomic bool are_mapped; /* and our handlers are there, from then on */

/* ---- the server's registers ------------------------------------------------------------------ */

/* Accesses are 4 bytes each unless the instruction's are smaller, or 8. */
static unsigned part_of(unsigned bytes)
{
    return bytes > 8 ? 4 : bytes;
}

static bool load(uint64_t offset, uint8_t *to, unsigned bytes)
{
    for (unsigned at = 0, part = part_of(bytes); at < bytes; at += part) {
        uint64_t value = 0;
        struct call call = {.header = {.kind = EMULATE_LOAD, .a = offset + at, .b = part},
                            .argument = (uint64_t)(uintptr_t)&value};
        int64_t result = channel_call(&call);
        log_call(result, "load(0x%llx, %u) = 0x%llx", (unsigned long long)(offset + at), part,
                 (unsigned long long)value);
        if (result < 0)
            return false;
        memcpy(to + at, &value, part);
    }
    return true;
}

static void store(uint64_t offset, const uint8_t *from, unsigned bytes)
{
    for (unsigned at = 0, part = part_of(bytes); at < bytes; at += part) {
        uint64_t value = 0;
        memcpy(&value, from + at, part);
        struct call call = {
            .header = {.kind = EMULATE_STORE, .a = offset + at, .b = part, .c = value}};
        log_call(channel_call(&call), "store(0x%llx, %u, 0x%llx)",
                 (unsigned long long)(offset + at), part, (unsigned long long)value);
    }
}

#ifdef __x86_64__

/* ---- the program's handlers ------------------------------------------------------------------ */

static struct sigaction program_actions[2]; /* of SIGSEGV and SIGTRAP */

static struct sigaction *program_action(int signal)
{
    return &program_actions[signal == SIGTRAP];
}

bool registers_take_action(int signal, const struct sigaction *new, struct sigaction *old)
{
    if ((signal != SIGSEGV && signal != SIGTRAP) || !are_mapped)
        return false;
    struct sigaction before = *program_action(signal);
    if (new)
        *program_action(signal) = *new;
    if (old)
        *old = before;
    return true;
}

bool registers_need_signals(void)
{
    return are_mapped;
}

/* As the kernel would deliver a signal that the program has caused. */
static void call_program(int signal, siginfo_t *info, void *context)
{
    struct sigaction action = *program_action(signal);
    if (action.sa_flags & (int)SA_RESETHAND)
        program_action(signal)->sa_handler = SIG_DFL;
    if (action.sa_flags & SA_SIGINFO) {
        action.sa_sigaction(signal, info, context);
    } else if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) {
        /* It is raised again by the instruction, or by kill(). */
        struct sigaction none = {.sa_handler = SIG_DFL};
        NEXT(sigaction)(signal, &none, NULL);
        if (info->si_code <= 0 || signal == SIGTRAP)
            raise(signal);
    } else {
        action.sa_handler(signal);
    }
}

/* ---- one instruction ------------------------------------------------------------------------- */

/* Numbers of the registers in a signal's context, by their numbers in encodings. */
static const uint8_t context_registers[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                            REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                            REG_R12, REG_R13, REG_R14, REG_R15};
#define TRAP_FLAG 0x100

/* The instruction that is being executed. */
static __thread struct {
    bool active;
    struct decode_operand operand;
    uint64_t offset;               /* in the BAR */
    uint64_t original, substitute; /* of the base register */
    sigset_t mask;
    _Alignas(DECODE_DATA_MAX) uint8_t data[DECODE_DATA_MAX];
} step;

static decode_function *decode;

static greg_t *register_of(ucontext_t *context, int number)
{
    return &context->uc_mcontext.gregs[context_registers[number]];
}

static uint64_t address_of(ucontext_t *context, const struct decode_operand *operand)
{
    uint64_t index = operand->index < 0 ? 0 : (uint64_t)*register_of(context, operand->index);
    return (uint64_t)*register_of(context, operand->base) + index * operand->scale +
           (uint64_t)operand->displacement;
}

static const struct bar *bar_at(uint64_t address, uint64_t bytes)
{
    for (size_t i = 0; i < BARS_MAX; i++)
        if (bars[i].start && address - bars[i].start < bars[i].bytes &&
            bytes <= bars[i].bytes - (address - bars[i].start))
            return &bars[i];
    return NULL;
}

/* Finds the operand in a BAR. Returns NULL, or what was expected. */
static const char *find_access(ucontext_t *context, const struct bar **bar)
{
    struct decode_access access;
    const uint8_t *code = (const uint8_t *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    uint8_t copy[DECODE_CODE_MAX];
    size_t bytes = user_mapped((uint64_t)(uintptr_t)code, sizeof copy);
    memcpy(copy, code, bytes);
    const char *expected = decode(copy, bytes, &access);
    *bar = NULL;
    for (size_t i = 0; !expected && i < access.count; i++) {
        const struct decode_operand *operand = &access.operands[i];
        uint64_t address = address_of(context, operand);
        const struct bar *found = bar_at(address, operand->bytes);
        if (found && *bar)
            return "one access to registers";
        if (!found)
            continue;
        *bar = found;
        step.operand = *operand;
        step.offset = found->offset + (address - found->start);
    }
    return expected ? expected : *bar ? NULL : "an access within the registers";
}

/* Prepares the execution of the instruction at which the program is. */
static bool begin_step(ucontext_t *context)
{
    const struct bar *bar;
    const char *expected = find_access(context, &bar);
    if (expected)
        log_call(-EFAULT, "access to registers by an instruction at 0x%llx, expected %s",
                 (unsigned long long)context->uc_mcontext.gregs[REG_RIP], expected);
    if (expected || (step.operand.reads && !bar->reads) || (step.operand.writes && !bar->writes))
        return false;
    memset(step.data, 0, sizeof step.data);
    if (step.operand.reads && !load(step.offset, step.data, step.operand.bytes))
        return false;
    greg_t *base = register_of(context, step.operand.base);
    step.original = (uint64_t)*base;
    step.substitute =
        step.original + (uint64_t)(uintptr_t)step.data - address_of(context, &step.operand);
    *base = (greg_t)step.substitute;
    context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    step.mask = context->uc_sigmask;
    sigfillset(&context->uc_sigmask);
    sigdelset(&context->uc_sigmask, SIGTRAP);
    sigdelset(&context->uc_sigmask, SIGSEGV);
    step.active = true;
    return true;
}

/* Ends it. A string instruction has moved its base register, and repeats. */
static void end_step(ucontext_t *context)
{
    greg_t *base = register_of(context, step.operand.base);
    step.active = false;
    if (!step.operand.base_is_result)
        *base = (greg_t)(step.original + ((uint64_t)*base - step.substitute));
    context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    context->uc_sigmask = step.mask;
    if (step.operand.writes)
        store(step.offset, step.data, step.operand.bytes);
}

/* errno is the program's. */
static void handle_fault(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    bool ours = info->si_code == SEGV_ACCERR && !step.active &&
                bar_at((uint64_t)(uintptr_t)info->si_addr, 1) && begin_step(context);
    errno = saved;
    if (!ours)
        call_program(signal, info, context);
}

static void handle_trap(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    bool ours = step.active;
    if (ours)
        end_step(context);
    errno = saved;
    if (!ours)
        call_program(signal, info, context);
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* Opens the decoder, which is beside this library. */
static bool open_decoder(void)
{
    char path[1024];
    Dl_info about;
    if (decode)
        return true;
    if (!dladdr(bars, &about))
        return false;
    const char *slash = strrchr(about.dli_fname, '/');
    size_t directory = slash ? (size_t)(slash - about.dli_fname) + 1 : 0;
    if (directory + sizeof DECODE_LIBRARY > sizeof path)
        return false;
    memcpy(path, about.dli_fname, directory);
    strcpy(path + directory, DECODE_LIBRARY);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "tally_decode_access") : NULL;
    memcpy(&decode, &found, sizeof decode); /* ISO C has no conversion */
    return decode != NULL;
}

static void take_signals(void)
{
    if (are_mapped)
        return;
    struct sigaction fault = {.sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK},
                     trap = {.sa_sigaction = handle_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&fault.sa_mask);
    sigfillset(&trap.sa_mask);
    NEXT(sigaction)(SIGSEGV, &fault, program_action(SIGSEGV));
    NEXT(sigaction)(SIGTRAP, &trap, program_action(SIGTRAP));
    sigset_t needed;
    sigemptyset(&needed);
    sigaddset(&needed, SIGSEGV);
    sigaddset(&needed, SIGTRAP);
    NEXT(pthread_sigmask)(SIG_UNBLOCK, &needed, NULL);
    are_mapped = true;
}

/* Whether a descriptor is that of `resource0`; `file` is what it is then. */
static bool is_bar(int fd, struct stat *file)
{
    static _Atomic ino_t inode;
    static _Atomic dev_t device;
    struct path path;
    int saved = errno;
    if (!inode) {
        bool there = path_of(AT_FDCWD, "/sys/bus/pci/devices/0000:00:02.0/resource0", &path) ==
                         PATH_VIRTUAL &&
                     NEXT(stat)(path.real, file) == 0;
        device = there ? file->st_dev : 0;
        inode = there ? file->st_ino : (ino_t)-1;
    }
    bool is = NEXT(fstat)(fd, file) == 0 && file->st_ino == inode && file->st_dev == device;
    errno = saved;
    return is;
}

static struct bar *unused_bar(void)
{
    for (size_t i = 0; i < BARS_MAX; i++)
        if (!bars[i].start)
            return &bars[i];
    return NULL;
}

static int64_t map(void *hint, size_t bytes, int protection, int flags, int64_t offset)
{
    struct bar *bar = unused_bar();
    if (!bar)
        return -ENOMEM;
    if (!open_decoder())
        return -ENODEV;
    int placed = flags & ~(MAP_SHARED | MAP_PRIVATE | MAP_POPULATE | MAP_LOCKED);
    void *memory = NEXT(mmap64)(hint, bytes, PROT_NONE,
                                placed | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return -errno;
    *bar = (struct bar){(uint64_t)(uintptr_t)memory, bytes, (uint64_t)offset,
                        protection & PROT_READ, protection & PROT_WRITE};
    take_signals();
    return (int64_t)(uintptr_t)memory;
}

bool registers_map(void *hint, size_t bytes, int protection, int flags, int fd, int64_t offset,
                   void **out)
{
    struct stat file;
    if ((flags & MAP_TYPE) == MAP_PRIVATE || fd < 0 || !tree_directory() || !is_bar(fd, &file))
        return false;
    int saved = errno;
    uint64_t size = (uint64_t)file.st_size, from = (uint64_t)offset;
    bool valid = offset >= 0 && offset % 4096 == 0 && bytes && from <= size && bytes <= size - from;
    int64_t result = valid ? map(hint, bytes, protection, flags, offset) : -EINVAL;
    log_call(result, "mmap(%p, %zu, 0x%x, 0x%x, %d, 0x%llx) of registers%s", hint, bytes,
             (unsigned)protection, (unsigned)flags, fd, (unsigned long long)offset,
             result == -ENODEV ? ": this build has no decoder (libzydis was missing)" : "");
    errno = result < 0 ? (int)-result : saved;
    *out = result < 0 ? MAP_FAILED : (void *)(uintptr_t)result;
    return true;
}

/* Removes a range from a mapping. A second part becomes another mapping. */
static void cut(struct bar *bar, uint64_t start, uint64_t end)
{
    struct bar before = *bar, after = *bar, *more;
    uint64_t bar_end = bar->start + bar->bytes;
    before.bytes = start > bar->start ? start - bar->start : 0;
    after.offset += end - bar->start;
    after.start = end;
    after.bytes = end < bar_end ? bar_end - end : 0;
    *bar = before.bytes ? before : (struct bar){0};
    if (after.bytes && (more = unused_bar()))
        *more = after;
}

void registers_unmap(void *memory, size_t bytes)
{
    uint64_t start = (uint64_t)(uintptr_t)memory, end = start + (bytes + 4095) / 4096 * 4096;
    for (size_t i = 0; are_mapped && i < BARS_MAX; i++)
        if (bars[i].start && start < bars[i].start + bars[i].bytes && end > bars[i].start)
            cut(&bars[i], start, end);
}

#else

/* Elsewhere, the file cannot be mapped. */
bool registers_map(void *hint, size_t bytes, int protection, int flags, int fd, int64_t offset,
                   void **out)
{
    (void)hint, (void)bytes, (void)protection, (void)flags, (void)fd, (void)offset, (void)out;
    (void)load, (void)store, (void)are_mapped;
    return false;
}

void registers_unmap(void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
}

bool registers_take_action(int signal, const struct sigaction *new, struct sigaction *old)
{
    (void)signal, (void)new, (void)old;
    return false;
}

bool registers_need_signals(void)
{
    return false;
}

#endif
