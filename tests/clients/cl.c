/* SPDX-License-Identifier: MIT */
/*
 * An OpenCL client: runs a kernel on the first GPU of Intel, and prints its profile and whether it
 * computed anything, as one JSON object. The argument is the number of work items.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define GROUP 64 /* work items of a group */

static const char source[] = "kernel void number(global uint *to)\n"
                             "{\n"
                             "    to[get_global_id(0)] = get_global_id(0) + 1;\n"
                             "}\n";

static void check(cl_int result, const char *what)
{
    if (result == CL_SUCCESS)
        return;
    fprintf(stderr, "cl: %s: %d\n", what, (int)result);
    exit(1);
}

static cl_device_id find_device(char name[256])
{
    cl_platform_id platforms[8];
    cl_device_id device;
    cl_uint count = 0;
    check(clGetPlatformIDs(8, platforms, &count), "platforms");
    for (cl_uint i = 0; i < count && i < 8; i++) {
        if (clGetPlatformInfo(platforms[i], CL_PLATFORM_VENDOR, 256, name, NULL) != CL_SUCCESS ||
            !strstr(name, "Intel") ||
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &device, NULL) != CL_SUCCESS)
            continue;
        check(clGetDeviceInfo(device, CL_DEVICE_NAME, 256, name, NULL), "name");
        return device;
    }
    fprintf(stderr, "cl: no device of Intel\n");
    exit(1);
}

static uint64_t time_of(cl_event event, cl_profiling_info which)
{
    cl_ulong ns = 0;
    check(clGetEventProfilingInfo(event, which, sizeof ns, &ns, NULL), "profile");
    return ns;
}

int main(int count, char **arguments)
{
    size_t items = count > 1 ? strtoul(arguments[1], NULL, 10) : 4096, group = GROUP;
    if (!items || items % GROUP || items > 1 << 24) {
        fprintf(stderr, "cl: %zu items, expected a multiple of %d\n", items, GROUP);
        return 2;
    }
    char name[256] = "";
    const char *text = source;
    cl_int result;
    cl_event event;
    cl_device_id device = find_device(name);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &result);
    check(result, "context");
    cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &result);
    check(result, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &result);
    check(result, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, "number", &result);
    check(result, "kernel");
    uint32_t *numbers = calloc(items, sizeof *numbers);
    if (!numbers)
        return 1;
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   items * sizeof *numbers, numbers, &result);
    check(result, "buffer");
    check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &memory), "argument");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, &event),
          "enqueue");
    check(clFinish(queue), "finish");
    check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, items * sizeof *numbers, numbers, 0, NULL,
                              NULL),
          "read");
    size_t computed = 0;
    for (size_t i = 0; i < items; i++)
        computed += numbers[i] == i + 1;
    printf("{\"device\": \"%s\", \"items\": %zu, \"computed\": %zu, \"queued\": %" PRIu64
           ", \"submit\": %" PRIu64 ", \"start\": %" PRIu64 ", \"end\": %" PRIu64 "}\n",
           name, items, computed, time_of(event, CL_PROFILING_COMMAND_QUEUED),
           time_of(event, CL_PROFILING_COMMAND_SUBMIT), time_of(event, CL_PROFILING_COMMAND_START),
           time_of(event, CL_PROFILING_COMMAND_END));
    free(numbers);
    return 0;
}
