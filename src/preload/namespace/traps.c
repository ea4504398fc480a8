/* SPDX-License-Identifier: MIT */
/* The system calls that are handed over to the supervisor. */
#include <stddef.h>
#include <sys/syscall.h>

#include "preload/namespace/namespace.h"

const struct trap traps[] = {
#ifdef __x86_64__
    {SYS_open, TRAP_ALWAYS, trap_open},
    {SYS_creat, TRAP_ALWAYS, trap_creat},
    {SYS_stat, TRAP_ALWAYS, trap_stat},
    {SYS_lstat, TRAP_ALWAYS, trap_lstat},
    {SYS_readlink, TRAP_ALWAYS, trap_readlink},
    {SYS_openat, TRAP_ALWAYS, trap_openat},
    {SYS_openat2, TRAP_ALWAYS, trap_openat2},
    {SYS_fstat, TRAP_ALWAYS, trap_fstat},
    {SYS_newfstatat, TRAP_ALWAYS, trap_fstatat},
    {SYS_statx, TRAP_ALWAYS, trap_statx},
    {SYS_statfs, TRAP_ALWAYS, trap_statfs},
    {SYS_fstatfs, TRAP_ALWAYS, trap_fstatfs},
    {SYS_readlinkat, TRAP_ALWAYS, trap_readlinkat},
    {SYS_ioctl, TRAP_IOCTL, trap_ioctl},
    {SYS_read, TRAP_WINDOW, trap_read},
    {SYS_readv, TRAP_WINDOW, trap_readv},
    {SYS_write, TRAP_WRITE, trap_write},
    {SYS_writev, TRAP_WINDOW, trap_writev},
    {SYS_mmap, TRAP_MAP, trap_map},
    {SYS_lseek, TRAP_WINDOW, trap_seek},
    {SYS_pread64, TRAP_WINDOW, trap_pread},
    {SYS_pwrite64, TRAP_WINDOW, trap_pwrite},
    {SYS_splice, TRAP_WINDOW, trap_splice},
    {SYS_dup, TRAP_WINDOW, trap_dup},
    {SYS_fcntl, TRAP_FCNTL, trap_fcntl},
    {SYS_perf_event_open, TRAP_ALWAYS, trap_event},
#endif
    {-1, TRAP_ALWAYS, NULL},
};
