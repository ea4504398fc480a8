/* SPDX-License-Identifier: MIT */
/* What all transports share: connections and the descriptors of requests. */
#include <unistd.h>

#include "vm/transport.h"

void vm_link_open(struct vm_link *link, const struct vm_transport *transport, int fd)
{
    link->transport = transport;
    link->fd = fd;
    link->used = 0;
    link->fd_count = 0;
}

void vm_link_close(struct vm_link *link)
{
    for (unsigned i = 0; i < link->fd_count && i < VM_REGIONS_MAX; i++)
        close(link->fds[i]);
    link->used = 0;
    link->fd_count = 0;
}

void vm_request_close(struct vm_request *request)
{
    for (unsigned i = 0; i < request->count; i++)
        if (request->fds[i] >= 0)
            close(request->fds[i]);
    request->count = 0;
}
