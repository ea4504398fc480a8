/* SPDX-License-Identifier: MIT */
/*
 * A Vulkan client without a window: dispatches an empty compute shader. Prints one JSON object a
 * line.
 *
 * Arguments: parts to run, of
 *   dispatch  a dispatch with a statistics query and two timestamps around it
 *   counters  all counters of VK_KHR_performance_query in one query, pass by pass
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

#define GROUPS   64 /* of a dispatch */
#define COUNT(a) (sizeof(a) / sizeof *(a))

static VkInstance instance;
static VkPhysicalDevice gpu;
static VkDevice device;
static VkQueue queue;
static VkCommandPool commands;
static VkPipeline pipeline;
static bool has_counters; /* the device has VK_KHR_performance_query */
static float tick_ns;     /* of timestamps */

__attribute__((noreturn)) static void stop(const char *what, int result)
{
    fprintf(stderr, "vk: %s: %d\n", what, result);
    exit(1);
}

#define CHECK(call)                                                                                \
    do {                                                                                           \
        VkResult result_ = (call);                                                                 \
        if (result_ != VK_SUCCESS)                                                                 \
            stop(#call, (int)result_);                                                             \
    } while (0)

#define FUNCTION(name) ((PFN_##name)vkGetInstanceProcAddr(instance, #name))

/* ---- device ---------------------------------------------------------------------------------- */

static bool has_extension(const char *name)
{
    VkExtensionProperties rows[512];
    uint32_t count = COUNT(rows);
    if (vkEnumerateDeviceExtensionProperties(gpu, NULL, &count, rows) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(rows[i].extensionName, name))
            return true;
    return false;
}

/* Selects the first device of Intel. */
static void find_gpu(void)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application};
    CHECK(vkCreateInstance(&info, NULL, &instance));
    VkPhysicalDevice all[8];
    uint32_t count = COUNT(all);
    if (vkEnumeratePhysicalDevices(instance, &count, all) < 0)
        stop("no device", 0);
    for (uint32_t i = 0; i < count && !gpu; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(all[i], &properties);
        if (properties.vendorID != 0x8086)
            continue;
        gpu = all[i];
        tick_ns = properties.limits.timestampPeriod;
        has_counters = has_extension(VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME);
        printf("{\"device\": \"%s\", \"counters\": %s}\n", properties.deviceName,
               has_counters ? "true" : "false");
    }
    if (!gpu)
        stop("no device of Intel", 0);
}

/* Queue family 0 of Mesa's drivers does everything. */
static void make_device(void)
{
    VkPhysicalDevicePerformanceQueryFeaturesKHR counters = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR,
        .performanceCounterQueryPools = VK_TRUE};
    VkPhysicalDeviceHostQueryResetFeatures reset = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES,
        .pNext = has_counters ? &counters : NULL,
        .hostQueryReset = VK_TRUE};
    VkPhysicalDeviceFeatures features = {.pipelineStatisticsQuery = VK_TRUE};
    float priority = 1;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
    const char *extension = VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME;
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &reset,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queues,
                               .enabledExtensionCount = has_counters,
                               .ppEnabledExtensionNames = &extension,
                               .pEnabledFeatures = &features};
    CHECK(vkCreateDevice(gpu, &info, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    CHECK(vkCreateCommandPool(device, &pool, NULL, &commands));
}

/* ---- the shader ------------------------------------------------------------------------------ */

#define WORDS(count, opcode) ((uint32_t)(count) << 16 | (opcode))

/* void main() {}, 64 invocations a group; ids: 1 main, 2 void, 3 void(), 4 the label. */
static const uint32_t shader[] = {
    0x07230203,    0x00010000, 0,  5,          0, /* magic, version 1.0, generator, bound, schema */
    WORDS(2, 17),  1,                             /* OpCapability Shader */
    WORDS(3, 14),  0,          1,                 /* OpMemoryModel Logical GLSL450 */
    WORDS(5, 15),  5,          1,  0x6e69616d, 0, /* OpEntryPoint GLCompute "main" */
    WORDS(6, 16),  1,          17, 64,         1, 1, /* OpExecutionMode LocalSize */
    WORDS(2, 19),  2,                                /* OpTypeVoid */
    WORDS(3, 33),  3,          2,                    /* OpTypeFunction */
    WORDS(5, 54),  2,          1,  0,          3,    /* OpFunction */
    WORDS(2, 248), 4,                                /* OpLabel */
    WORDS(1, 253),                                   /* OpReturn */
    WORDS(1, 56),                                    /* OpFunctionEnd */
};

static void make_pipeline(void)
{
    VkShaderModuleCreateInfo module = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                       .codeSize = sizeof shader,
                                       .pCode = shader};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"}};
    CHECK(vkCreateShaderModule(device, &module, NULL, &info.stage.module));
    CHECK(vkCreatePipelineLayout(device, &layout, NULL, &info.layout));
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
}

/* ---- command buffers ------------------------------------------------------------------------- */

static VkCommandBuffer begin(void)
{
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = commands,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};
    VkCommandBufferBeginInfo usage = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer buffer;
    CHECK(vkAllocateCommandBuffers(device, &info, &buffer));
    CHECK(vkBeginCommandBuffer(buffer, &usage));
    return buffer;
}

static void dispatch(VkCommandBuffer buffer)
{
    vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdDispatch(buffer, GROUPS, 1, 1);
}

/* Waits for all commands before, as between two frames. */
static void barrier(VkCommandBuffer buffer)
{
    VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &memory, 0, NULL, 0, NULL);
}

static void submit(VkCommandBuffer buffer, const void *more)
{
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .pNext = more,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &buffer};
    CHECK(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));
}

static VkQueryPool make_queries(VkQueryType type, uint32_t count, const void *more)
{
    VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                  .pNext = more,
                                  .queryType = type,
                                  .queryCount = count};
    if (type == VK_QUERY_TYPE_PIPELINE_STATISTICS)
        info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT;
    VkQueryPool pool;
    CHECK(vkCreateQueryPool(device, &info, NULL, &pool));
    vkResetQueryPool(device, pool, 0, count);
    return pool;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void run_dispatch(void)
{
    VkQueryPool statistics = make_queries(VK_QUERY_TYPE_PIPELINE_STATISTICS, 1, NULL);
    VkQueryPool stamps = make_queries(VK_QUERY_TYPE_TIMESTAMP, 2, NULL);
    VkCommandBuffer buffer = begin();
    vkCmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, stamps, 0);
    vkCmdBeginQuery(buffer, statistics, 0, 0);
    dispatch(buffer);
    barrier(buffer);
    vkCmdEndQuery(buffer, statistics, 0);
    vkCmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamps, 1);
    CHECK(vkEndCommandBuffer(buffer));
    submit(buffer, NULL);
    uint64_t count = 0, times[2] = {0};
    VkQueryResultFlags flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT;
    CHECK(vkGetQueryPoolResults(device, statistics, 0, 1, sizeof count, &count, 8, flags));
    CHECK(vkGetQueryPoolResults(device, stamps, 0, 2, sizeof times, times, 8, flags));
    printf("{\"groups\": %d, \"invocations\": %" PRIu64 ", \"ns\": %.0f}\n", GROUPS, count,
           (double)(times[1] - times[0]) * (double)tick_ns);
}

static double value_of(VkPerformanceCounterStorageKHR storage, VkPerformanceCounterResultKHR result)
{
    switch (storage) {
    case VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR:
        return result.int32;
    case VK_PERFORMANCE_COUNTER_STORAGE_INT64_KHR:
        return (double)result.int64;
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR:
        return result.uint32;
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR:
        return (double)result.uint64;
    case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR:
        return (double)result.float32;
    default:
        return result.float64;
    }
}

static const char *unit_of(VkPerformanceCounterUnitKHR unit)
{
    static const char *const names[] = {"generic", "percentage", "ns", "bytes", "bytes/s", "K",
                                        "W",       "V",          "A",  "Hz",    "cycles"};
    return (unsigned)unit < COUNT(names) ? names[unit] : "unknown";
}

static void run_counters(void)
{
    enum { MAX = 1024 };
    static VkPerformanceCounterKHR rows[MAX];
    static VkPerformanceCounterDescriptionKHR names[MAX];
    static VkPerformanceCounterResultKHR results[MAX];
    static uint32_t indices[MAX];
    uint32_t count = 0, passes = 0;
    if (!has_counters)
        stop("no VK_KHR_performance_query", 0);
    CHECK(FUNCTION(vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR)(gpu, 0, &count,
                                                                                    NULL, NULL));
    if (count > MAX)
        stop("too many counters", (int)count);
    for (uint32_t i = 0; i < count; i++) {
        rows[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR;
        names[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR;
        indices[i] = i;
    }
    CHECK(FUNCTION(vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR)(gpu, 0, &count,
                                                                                    rows, names));
    VkQueryPoolPerformanceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
        .counterIndexCount = count,
        .pCounterIndices = indices};
    FUNCTION(vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR)(gpu, &info, &passes);
    VkAcquireProfilingLockInfoKHR lock = {
        .sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR, .timeout = UINT64_MAX};
    CHECK(FUNCTION(vkAcquireProfilingLockKHR)(device, &lock));
    VkQueryPool pool = make_queries(VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR, 1, &info);
    VkCommandBuffer buffer = begin();
    vkCmdBeginQuery(buffer, pool, 0, 0);
    dispatch(buffer);
    barrier(buffer);
    vkCmdEndQuery(buffer, pool, 0);
    CHECK(vkEndCommandBuffer(buffer));
    for (uint32_t pass = 0; pass < passes; pass++) {
        VkPerformanceQuerySubmitInfoKHR which = {
            .sType = VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR, .counterPassIndex = pass};
        submit(buffer, &which);
    }
    size_t bytes = count * sizeof *results;
    CHECK(
        vkGetQueryPoolResults(device, pool, 0, 1, bytes, results, bytes, VK_QUERY_RESULT_WAIT_BIT));
    FUNCTION(vkReleaseProfilingLockKHR)(device);
    printf("{\"groups\": %d, \"passes\": %" PRIu32 ", \"count\": %" PRIu32 "}\n", GROUPS, passes,
           count);
    for (uint32_t i = 0; i < count; i++)
        printf("{\"counter\": \"%s\", \"category\": \"%s\", \"unit\": \"%s\", \"value\": %.17g}\n",
               names[i].name, names[i].category, unit_of(rows[i].unit),
               value_of(rows[i].storage, results[i]));
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"dispatch", run_dispatch}, {"counters", run_counters}};
    setvbuf(stdout, NULL, _IOLBF, 0);
    find_gpu();
    make_device();
    make_pipeline();
    for (size_t i = 0; i < COUNT(parts); i++)
        for (int k = 1; k < count; k++)
            if (!strcmp(arguments[k], parts[i].name))
                parts[i].run();
    return 0;
}
