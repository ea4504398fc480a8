/* SPDX-License-Identifier: MIT */
/* nouveau's interface: what the kernel's driver cannot be compared in, as it does not let clients
 * make domains: PERFDOM. The rest is compared by tests/nouveau. */
#include "driver/tests.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "driver/nouveau/device.h"
#include "nvidia/gpu/gpu.h"
#include "nvidia/pcounter/engine.h"
#include "testing.h"

#define PERFMON 1u
#define PERFDOM 2u
#define COPIES  0xaaaa
#define EVERY   0xffff
#define MS      UINT64_C(1000000)

/* ---- the rig --------------------------------------------------------------------------------- */

struct rig {
    struct nvidia_gpu *gpu;
    struct nouveau_device *device;
    struct nouveau_file *file;
    unsigned allocations;
};

static uint32_t read32(void *closure, uint32_t address)
{
    return nvidia_gpu_read32(((struct rig *)closure)->gpu, address);
}

static void write32(void *closure, uint32_t address, uint32_t value)
{
    nvidia_gpu_write32(((struct rig *)closure)->gpu, address, value);
}

static uint64_t now_ns(void *closure)
{
    return ((struct rig *)closure)->gpu->ns;
}

static int sleep_ns(void *closure, uint64_t ns, bool interruptible)
{
    (void)interruptible;
    nvidia_gpu_run(((struct rig *)closure)->gpu, ns);
    return 0;
}

static bool copy_in(void *closure, void *to, uint64_t from, size_t bytes)
{
    (void)closure;
    if (from)
        memcpy(to, (const void *)(uintptr_t)from, bytes);
    return from != 0;
}

static bool copy_out(void *closure, uint64_t to, const void *from, size_t bytes)
{
    (void)closure;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return true;
}

static void *allocate(void *closure, size_t bytes, uint64_t *cookie)
{
    struct rig *rig = closure;
    *cookie = 100 + rig->allocations++;
    return calloc(1, bytes);
}

static void release(void *closure, void *memory, size_t bytes, uint64_t cookie)
{
    (void)bytes;
    (void)cookie;
    ((struct rig *)closure)->allocations--;
    free(memory);
}

static const struct drm_caller caller = {true, copy_in, copy_out, NULL, 0};

static void start(struct rig *rig, const char *chipset)
{
    const struct driver_io io = {read32, write32, now_ns, sleep_ns, rig};
    const struct nouveau_settings settings = {.chipset = tally_chipset_find(chipset),
                                              .product = "card",
                                              .pci_vendor = 0x10de,
                                              .memory_bytes = 1 << 20,
                                              .allocate = allocate,
                                              .release = release,
                                              .closure = rig};
    struct tally_error error = {0};
    memset(rig, 0, sizeof *rig);
    if (nvidia_gpu_new(settings.chipset, &rig->gpu, &error) < 0 ||
        nouveau_device_new(&settings, &io, &rig->device, &error) < 0)
        fail_msg("%s: %s", chipset, error.message);
    assert_int_equal(nouveau_file_open(rig->device, true, &rig->file), 0);
}

static void end(struct rig *rig)
{
    nouveau_device_free(rig->device);
    nvidia_gpu_free(rig->gpu);
    assert_int_equal(rig->allocations, 0);
}

/* Sends a request: two headers and arguments, which the answer replaces. */
static int send(struct nouveau_file *file, struct nvif_ioctl_v0 header, const void *second,
                size_t second_size, void *arguments, size_t size)
{
    uint8_t bytes[2048];
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, second, second_size);
    uint8_t *at = bytes + sizeof header + second_size;
    if (size)
        memcpy(at, arguments, size);
    size_t all = sizeof header + second_size + size;
    int result = nouveau_ioctl(file, _IOC(_IOC_READ | _IOC_WRITE, 'd', 0x47, (uint32_t)all),
                               (uintptr_t)bytes, &caller);
    if (size)
        memcpy(arguments, at, size);
    return result;
}

static int make(struct nouveau_file *file, uint64_t parent, uint64_t number, int32_t class,
                void *arguments, size_t size)
{
    const struct nvif_ioctl_v0 header = {.type = NVIF_IOCTL_V0_NEW,
                                         .route = parent ? 0 : 0xff,
                                         .token = UINT64_MAX,
                                         .object = parent};
    const struct nvif_ioctl_new_v0 new = {.object = number, .oclass = class};
    return send(file, header, &new, sizeof new, arguments, size);
}

static int call(struct nouveau_file *file, uint64_t object, uint8_t method, void *arguments,
                size_t size)
{
    const struct nvif_ioctl_v0 header = {.type = NVIF_IOCTL_V0_MTHD, .object = object};
    const struct nvif_ioctl_mthd_v0 args = {.method = method};
    return send(file, header, &args, sizeof args, arguments, size);
}

static int delete_object(struct nouveau_file *file, uint64_t object)
{
    const struct nvif_ioctl_v0 header = {.type = NVIF_IOCTL_V0_DEL, .object = object};
    return send(file, header, "", 0, NULL, 0);
}

/* Signal `signal` of a domain is 1 at the clocks of `wave`. */
static void drive(struct rig *rig, unsigned domain, unsigned signal, struct tally_wave wave)
{
    assert_int_equal(tally_pcounter_attach(rig->gpu->pcounter, domain, signal, &wave), 0);
}

static struct nvif_perfdom_read_v0 read_counts(struct rig *rig, uint64_t object)
{
    struct nvif_perfdom_read_v0 values = {0};
    assert_int_equal(call(rig->file, object, NVIF_PERFDOM_V0_READ, &values, sizeof values), 0);
    return values;
}

static void sample(struct rig *rig, uint64_t object)
{
    assert_int_equal(call(rig->file, object, NVIF_PERFDOM_V0_SAMPLE, NULL, 0), 0);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* Arguments of a PERFDOM on G92: the values of one signal, source and field, and the result. */
static const struct {
    int line, result;
    uint8_t version, domain, mode, signal;
    uint64_t source;
    unsigned input;
} makes[] = {
    {__LINE__, 0, 0, 1, 0, 0xbd, 0, 0},
    {__LINE__, 0, 0, 0, 0, 0, 0, 0},       /* no signal */
    {__LINE__, 0, 0, 7, 0, 0, 0, 0},       /* the last domain */
    {__LINE__, 0, 0, 1, 0xff, 0xbd, 0, 0}, /* modes are not checked */
    {__LINE__, 0, 0, 1, 0, 0x66, 1, 3},    /* with its source */
    {__LINE__, 0, 0, 1, 0, 0x66, 1 | UINT64_C(3) << 32, 0},
    {__LINE__, -ENOSYS, 1, 1, 0, 0xbd, 0, 0},
    {__LINE__, -EINVAL, 0, 8, 0, 0, 0, 0},
    {__LINE__, -EINVAL, 0, 255, 0, 0, 0, 0},
    {__LINE__, -EINVAL, 0, 1, 0, 0xbc, 0, 0}, /* without a name */
    {__LINE__, -EINVAL, 0, 1, 0, 0xff, 0, 0}, /* past the domain's signals */
    {__LINE__, -EINVAL, 0, 0, 0, 0xbd, 0, 0}, /* of another domain */
    {__LINE__, -EINVAL, 0, 1, 0, 0xbd, 1, 0}, /* a signal without sources */
    {__LINE__, -EINVAL, 0, 1, 0, 0x66, 2, 0}, /* the source of another signal */
    {__LINE__, -EINVAL, 0, 1, 0, 0x66, 99, 0},
    {__LINE__, -EINVAL, 0, 1, 0, 0x66, UINT64_C(1) << 32, 0},
    {__LINE__, -EINVAL, 0, 0, 0, 0, 1, 0}, /* no signal, but a source */
};

static void test_makes(void **state)
{
    (void)state;
    struct rig rig;
    start(&rig, "g92");
    assert_int_equal(make(rig.file, 0, PERFMON, NVIF_CLASS_PERFMON, NULL, 0), 0);
    for (size_t i = 0; i < ARRAY_COUNT(makes); i++) {
        struct nvif_perfdom_v0 args = {
            .version = makes[i].version, .domain = makes[i].domain, .mode = makes[i].mode};
        args.ctr[makes[i].input].signal[makes[i].input] = makes[i].signal;
        args.ctr[makes[i].input].source[makes[i].input][0] = makes[i].source;
        int result = make(rig.file, PERFMON, PERFDOM, NVIF_CLASS_PERFDOM, &args, sizeof args);
        if (result != makes[i].result)
            fail_msg("line %d: %d, expected %d", makes[i].line, result, makes[i].result);
        if (result == 0)
            assert_int_equal(delete_object(rig.file, PERFDOM), 1);
    }
    struct nvif_perfdom_v0 args = {0};
    struct {
        struct nvif_perfdom_v0 args;
        uint8_t more;
    } longer = {0};
    assert_int_equal(make(rig.file, PERFMON, 2, NVIF_CLASS_PERFDOM, &args, sizeof args - 1),
                     -ENOSYS);
    assert_int_equal(make(rig.file, PERFMON, 2, NVIF_CLASS_PERFDOM, &longer, sizeof longer),
                     -E2BIG);
    assert_int_equal(make(rig.file, 0, 2, NVIF_CLASS_PERFDOM, &args, sizeof args), -EINVAL);
    assert_int_equal(make(rig.file, 99, 2, NVIF_CLASS_PERFDOM, &args, sizeof args), -EINVAL);
    assert_int_equal(make(rig.file, PERFMON, PERFMON, NVIF_CLASS_PERFDOM, &args, sizeof args),
                     -EEXIST);
    assert_int_equal(make(rig.file, PERFMON, 2, NVIF_CLASS_PERFDOM, &args, sizeof args), 0);
    assert_int_equal(make(rig.file, 2, 3, NVIF_CLASS_PERFDOM, &args, sizeof args), -EINVAL);
    end(&rig);
}

static void test_methods(void **state)
{
    (void)state;
    struct rig rig;
    struct nvif_perfdom_v0 args = {.domain = 1};
    uint8_t bytes[64] = {0};
    start(&rig, "g92");
    assert_int_equal(make(rig.file, 0, PERFMON, NVIF_CLASS_PERFMON, NULL, 0), 0);
    assert_int_equal(make(rig.file, PERFMON, PERFDOM, NVIF_CLASS_PERFDOM, &args, sizeof args), 0);
    const struct {
        int line, result;
        uint8_t method;
        size_t size;
        uint8_t version;
    } rows[] = {
        {__LINE__, -EAGAIN, NVIF_PERFDOM_V0_READ, sizeof(struct nvif_perfdom_read_v0), 0},
        {__LINE__, 0, NVIF_PERFDOM_V0_SAMPLE, 0, 0},
        {__LINE__, -EAGAIN, NVIF_PERFDOM_V0_READ, sizeof(struct nvif_perfdom_read_v0), 0},
        {__LINE__, -ENOSYS, NVIF_PERFDOM_V0_INIT, 1, 0},
        {__LINE__, -ENOSYS, NVIF_PERFDOM_V0_SAMPLE, 1, 0},
        {__LINE__, 0, NVIF_PERFDOM_V0_INIT, 0, 0},
        {__LINE__, -EAGAIN, NVIF_PERFDOM_V0_READ, sizeof(struct nvif_perfdom_read_v0), 0},
        {__LINE__, 0, NVIF_PERFDOM_V0_SAMPLE, 0, 0},
        {__LINE__, 0, NVIF_PERFDOM_V0_READ, sizeof(struct nvif_perfdom_read_v0), 0},
        {__LINE__, -ENOSYS, NVIF_PERFDOM_V0_READ, sizeof(struct nvif_perfdom_read_v0) - 1, 0},
        {__LINE__, -E2BIG, NVIF_PERFDOM_V0_READ, sizeof(struct nvif_perfdom_read_v0) + 1, 0},
        {__LINE__, -ENOSYS, NVIF_PERFDOM_V0_READ, sizeof(struct nvif_perfdom_read_v0), 1},
        {__LINE__, 0, NVIF_PERFDOM_V0_INIT, 0, 0}, /* again: a new period */
        {__LINE__, -EAGAIN, NVIF_PERFDOM_V0_READ, sizeof(struct nvif_perfdom_read_v0), 0},
        {__LINE__, -EINVAL, 3, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        memset(bytes, 0, sizeof bytes);
        bytes[0] = rows[i].version;
        nvidia_gpu_run(rig.gpu, MS / 10);
        int result = call(rig.file, PERFDOM, rows[i].method, bytes, rows[i].size);
        if (result != rows[i].result)
            fail_msg("line %d: %d, expected %d", rows[i].line, result, rows[i].result);
    }
    uint64_t request[3] = {0};
    assert_int_equal(
        nouveau_ioctl(rig.file, _IOC(_IOC_READ | _IOC_WRITE, 'd', 0x47, 24), 0, &caller), -EFAULT);
    assert_int_equal(nouveau_ioctl(rig.file, _IOC(_IOC_READ | _IOC_WRITE, 'd', 0x47, 23),
                                   (uintptr_t)request, &caller),
                     -ENOSYS);
    end(&rig);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Four counters of a domain with waves that are known, and a second domain that is started while
 * the first counts. */
static void test_counts(void **state)
{
    (void)state;
    struct rig rig;
    static const uint64_t words[] = {0x1111111111111111, 0x4444444444444444};
    struct nvif_perfdom_v0 first = {.domain = 1}, second = {.domain = 2};
    start(&rig, "g92");
    drive(&rig, 1, 0x5c, tally_wave_pattern(&words[0], 64)); /* every 4th clock */
    drive(&rig, 1, 0x5d, tally_wave_pattern(&words[1], 64)); /* 2 later */
    first.ctr[0].signal[0] = 0x5c, first.ctr[0].logic_op = COPIES;
    first.ctr[1].signal[0] = 0x5d, first.ctr[1].logic_op = COPIES;
    first.ctr[2].signal[0] = 0x5c, first.ctr[2].signal[1] = 0x5d, first.ctr[2].logic_op = 0x6666;
    first.ctr[3].logic_op = EVERY;
    second.ctr[0].logic_op = EVERY;
    assert_int_equal(make(rig.file, 0, PERFMON, NVIF_CLASS_PERFMON, NULL, 0), 0);
    assert_int_equal(make(rig.file, PERFMON, 2, NVIF_CLASS_PERFDOM, &first, sizeof first), 0);
    assert_int_equal(make(rig.file, PERFMON, 3, NVIF_CLASS_PERFDOM, &second, sizeof second), 0);
    uint64_t began = rig.gpu->ns;
    assert_int_equal(call(rig.file, 2, NVIF_PERFDOM_V0_INIT, NULL, 0), 0);
    nvidia_gpu_run(rig.gpu, 2 * MS);
    assert_int_equal(call(rig.file, 3, NVIF_PERFDOM_V0_INIT, NULL, 0), 0);
    nvidia_gpu_run(rig.gpu, MS);
    sample(&rig, 3); /* of all domains */
    uint64_t took = rig.gpu->ns - began;
    struct nvif_perfdom_read_v0 a = read_counts(&rig, 2), b = read_counts(&rig, 3);
    assert_int_equal(a.ctr[3], a.clk);
    assert_int_equal(a.ctr[0] + a.ctr[1], a.ctr[2]);
    assert_in_range(4 * a.ctr[0], a.clk - 4, a.clk + 4);
    assert_in_range(4 * a.ctr[1], a.clk - 4, a.clk + 4);
    /* Nothing is lost where the second domain began: 500 MHz, less what INIT takes. */
    assert_in_range(a.clk, took / 2 - 2000, took / 2);
    assert_int_equal(b.ctr[0], b.clk);
    assert_in_range(b.clk, MS / 2, MS / 2 + 1000);
    nvidia_gpu_run(rig.gpu, MS);
    struct nvif_perfdom_read_v0 again = read_counts(&rig, 2); /* until the next sample */
    assert_memory_equal(&again, &a, sizeof a);
    sample(&rig, 2);
    assert_in_range(read_counts(&rig, 2).clk, MS / 2, MS / 2 + 1000);
    end(&rig);
}

/* The registers that the driver has changed are put back with its perfmon, and the sources with
 * their domain. */
static void test_restores(void **state)
{
    (void)state;
    static const uint32_t addresses[] = {0xa7c4, 0xa404, 0xa424, 0xa564};
    uint32_t before[ARRAY_COUNT(addresses)];
    struct nvif_perfdom_v0 args = {.domain = 1};
    struct rig rig;
    start(&rig, "g92");
    for (size_t i = 0; i < ARRAY_COUNT(addresses); i++)
        before[i] = read32(&rig, addresses[i]);
    args.ctr[0].signal[0] = 0x66;
    args.ctr[0].source[0][0] = 1 | UINT64_C(2) << 32;
    args.ctr[0].logic_op = COPIES;
    assert_int_equal(make(rig.file, 0, PERFMON, NVIF_CLASS_PERFMON, NULL, 0), 0);
    assert_int_equal(make(rig.file, PERFMON, 2, NVIF_CLASS_PERFDOM, &args, sizeof args), 0);
    assert_int_equal(read32(&rig, 0x400c0c), 0);
    assert_int_equal(call(rig.file, 2, NVIF_PERFDOM_V0_INIT, NULL, 0), 0);
    assert_int_equal(read32(&rig, 0x400c0c), 2);
    assert_int_equal(read32(&rig, 0xa404), 0x66);
    assert_int_equal(read32(&rig, 0xa424), COPIES);
    assert_int_equal(delete_object(rig.file, 2), 1);
    assert_int_equal(read32(&rig, 0x400c0c), 0);
    assert_int_equal(delete_object(rig.file, PERFMON), 1);
    for (size_t i = 0; i < ARRAY_COUNT(addresses); i++)
        assert_int_equal(read32(&rig, addresses[i]), before[i]);
    end(&rig);
}

/* On each chipset that has perfmon, each domain can be started, and the clocks of those that the
 * chip has are counted; closing a file deletes its objects. */
static void test_chipsets(void **state)
{
    (void)state;
    for (size_t i = 0; i < tally_chipset_count(); i++) {
        const struct tally_chipset *chipset = tally_chipset_at(i);
        struct nvif_perfdom_read_v0 values;
        struct rig rig;
        if (!nvidia_pci_id(chipset) || chipset->presence == TALLY_ABSENT)
            continue;
        start(&rig, chipset->name);
        bool has = nouveau_has_perfmon(chipset);
        assert_int_equal(has, chipset->order >= tally_chipset_find("nv40")->order);
        int result = make(rig.file, 0, PERFMON, NVIF_CLASS_PERFMON, NULL, 0);
        assert_int_equal(result, has ? 0 : -EINVAL);
        for (size_t k = 0; has && k < rig.device->lists.domain_count; k++) {
            const struct nouveau_domain *domain = &rig.device->lists.domains[k];
            struct nvif_perfdom_v0 args = {.domain = (uint8_t)k};
            args.ctr[2].logic_op = EVERY;
            bool exists =
                perfmon_has_domain(chipset, domain->domain) &&
                perfmon_session_has(rig.device->session, domain->domain, domain->instance);
            assert_int_equal(make(rig.file, PERFMON, 2, NVIF_CLASS_PERFDOM, &args, sizeof args), 0);
            assert_int_equal(call(rig.file, 2, NVIF_PERFDOM_V0_INIT, NULL, 0), 0);
            nvidia_gpu_run(rig.gpu, MS / 100);
            sample(&rig, 2);
            result = call(rig.file, 2, NVIF_PERFDOM_V0_READ, memset(&values, 0, sizeof values),
                          sizeof values);
            if (result != (exists ? 0 : -EAGAIN))
                fail_msg("%s %s: %d", chipset->name, domain->name, result);
            if (exists && (values.ctr[2] != values.clk || values.clk < MS / 200))
                fail_msg("%s %s: %u of %u clocks", chipset->name, domain->name, values.ctr[2],
                         values.clk);
            assert_int_equal(delete_object(rig.file, 2), 1);
        }
        nouveau_file_close(rig.file);
        assert_null(rig.device->perfmon);
        end(&rig);
    }
}

/* ---- buffers --------------------------------------------------------------------------------- */

static int new_buffer(struct rig *rig, uint32_t domain, uint64_t size,
                      struct drm_nouveau_gem_new *args)
{
    *args = (struct drm_nouveau_gem_new){.info = {.domain = domain, .size = size}};
    return nouveau_ioctl(rig->file, NOUVEAU_REQUEST(GEM_NEW, *args), (uintptr_t)args, &caller);
}

static void test_buffers(void **state)
{
    (void)state;
    struct rig rig;
    struct drm_nouveau_gem_new a, b;
    struct nouveau_file *other;
    uint64_t cookie;
    start(&rig, "g92");
    assert_int_equal(new_buffer(&rig, NOUVEAU_GEM_DOMAIN_GART, 5000, &a), 0);
    assert_int_equal(a.info.size, 8192);
    assert_int_equal(new_buffer(&rig, NOUVEAU_GEM_DOMAIN_VRAM, 65537, &b), 0);
    assert_int_equal(b.info.size, 131072);
    assert_int_equal(new_buffer(&rig, NOUVEAU_GEM_DOMAIN_VRAM, 1 << 20, &b),
                     -ENOMEM); /* the limit */
    assert_int_equal(new_buffer(&rig, NOUVEAU_GEM_DOMAIN_VRAM, UINT64_MAX, &b), -ENOMEM);
    assert_int_equal(nouveau_file_mapping(rig.file, a.info.map_handle, 8192, &cookie), 0);
    assert_int_equal(cookie, 100);
    assert_int_equal(nouveau_file_mapping(rig.file, a.info.map_handle, 8193, &cookie), -EINVAL);
    assert_int_equal(nouveau_file_mapping(rig.file, a.info.map_handle + 4096, 1, &cookie), -EINVAL);
    assert_int_equal(nouveau_file_open(rig.device, false, &other), 0);
    assert_int_equal(nouveau_file_mapping(other, a.info.map_handle, 8192, &cookie), -EACCES);
    struct drm_gem_flink flink = {.handle = a.info.handle};
    assert_int_equal(nouveau_ioctl(rig.file, DRM_IOCTL_GEM_FLINK, (uintptr_t)&flink, &caller),
                     -EACCES); /* not on a render node */
    end(&rig);
}

int run_nouveau_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_makes),    cmocka_unit_test(test_methods),
        cmocka_unit_test(test_counts),   cmocka_unit_test(test_restores),
        cmocka_unit_test(test_chipsets), cmocka_unit_test(test_buffers),
    };
    return cmocka_run_group_tests_name("nouveau", tests, NULL, NULL);
}
