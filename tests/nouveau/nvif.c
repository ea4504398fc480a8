/* SPDX-License-Identifier: MIT */
#include "nvif.h"

#include <string.h>
#include <sys/ioctl.h>

int nvif_send(int node, struct nvif_header *request, void *header, size_t header_size,
              void *arguments, size_t size)
{
    uint8_t bytes[NVIF_BYTES];
    uint8_t *at = bytes + sizeof *request;
    memcpy(bytes, request, sizeof *request);
    if (header_size)
        memcpy(at, header, header_size);
    if (size)
        memcpy(at + header_size, arguments, size);
    int result = ioctl(node, DRM_NVIF(sizeof *request + header_size + size), bytes);
    memcpy(request, bytes, sizeof *request);
    if (header_size)
        memcpy(header, at, header_size);
    if (size)
        memcpy(arguments, at + header_size, size);
    return result;
}

int nvif_make(int node, uint64_t parent, uint64_t object, enum nvif_class class, void *arguments,
              size_t size)
{
    struct nvif_header request = {.type = NVIF_NEW,
                                  .route = parent ? 0 : ROUTE_DEVICE,
                                  .token = UINT64_MAX,
                                  .object = parent};
    struct nvif_new header = {.object = object, .class = class};
    return nvif_send(node, &request, &header, sizeof header, arguments, size);
}

int nvif_delete(int node, uint64_t object)
{
    struct nvif_header request = {.type = NVIF_DELETE, .object = object};
    return nvif_send(node, &request, NULL, 0, NULL, 0);
}

int nvif_method(int node, uint64_t object, unsigned method, void *arguments, size_t size)
{
    struct nvif_header request = {.type = NVIF_CALL, .object = object};
    struct nvif_call header = {.method = (uint8_t)method};
    return nvif_send(node, &request, &header, sizeof header, arguments, size);
}
