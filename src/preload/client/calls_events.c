/* SPDX-License-Identifier: MIT */
/* perf_event_open(), which programs call with syscall(), because libc has no wrapper; and the other
 * uses of that. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/client/client.h"

#define ARGUMENTS 6
/* Reads six arguments, as libc's function does, however many there are, which AddressSanitizer
 * would report. */
__attribute__((no_sanitize("address"))) EXPORT long syscall(long number, ...)
{
    long a[ARGUMENTS];
    va_list arguments;
    va_start(arguments, number);
    for (unsigned i = 0; i < ARGUMENTS; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    union event_attributes attributes;
    int saved = errno;
    long waited;
    if (time_syscall(number, a, &waited))
        return waited;
    if (number != SYS_perf_event_open || !event_is_gpu((uint64_t)a[0], &attributes)) {
        errno = saved;
        long result = NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
        descriptor_returned(number, a, result);
        return result;
    }
    int64_t result =
        event_open(&attributes.attr, (int)a[1], (int)a[2], (int)a[3], (unsigned long)a[4]);
    log_call(result, "perf_event_open({type=%u, config=0x%llx}, %d, %d, %d, 0x%lx)",
             attributes.attr.type, (unsigned long long)attributes.attr.config, (int)a[1], (int)a[2],
             (int)a[3], (unsigned long)a[4]);
    errno = result < 0 ? (int)-result : saved;
    return result < 0 ? -1 : (long)result;
}
