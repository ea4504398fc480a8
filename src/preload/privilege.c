/* SPDX-License-Identifier: MIT */
#include "preload/privilege.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAPABILITY_PERFMON 38 /* since Linux 5.8 */

bool thread_is_privileged(pid_t thread)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3,
                                              .pid = thread};
    struct __user_cap_data_struct data[2] = {{0}};
    if (syscall(SYS_capget, &header, data) < 0)
        return false;
    return data[CAP_SYS_ADMIN / 32].effective >> CAP_SYS_ADMIN % 32 & 1 ||
           data[CAPABILITY_PERFMON / 32].effective >> CAPABILITY_PERFMON % 32 & 1;
}
