/* SPDX-License-Identifier: MIT */
/* Opening a node of nouveau: what its kernel may refuse, and why. tests/e2e/test_nouveau.py
 * records. */
#include "capture/tests.h"

#include <errno.h>

#include "capture/nouveau.h"
#include "capture/nvif.h"
#include "driver/nouveau/nouveau.h"
#include "emulation/nvidia/device.h"

/* The emulated driver in this process, and what it refuses. */
struct fake {
    struct nvidia_emulation *emulation;
    struct nouveau_device *device;
    struct nouveau_file *files[4];
    int32_t refused; /* class that clients may not make; 0: none */
    bool other_driver;
    unsigned open;
};

static bool copy_in(void *closure, void *to, uint64_t from, size_t bytes)
{
    (void)closure;
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return true;
}

static bool copy_out(void *closure, uint64_t to, const void *from, size_t bytes)
{
    (void)closure;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return true;
}

static const struct drm_caller caller = {true, copy_in, copy_out, NULL, 0};

static int fake_open(void *self, const char *path)
{
    struct fake *fake = self;
    if (strcmp(path, "/dev/dri/card0") != 0)
        return -ENOENT;
    for (int i = 0; i < 4; i++)
        if (!fake->files[i]) {
            fake->open++;
            return nouveau_file_open(fake->device, true, &fake->files[i]) < 0 ? -ENOMEM : 10 + i;
        }
    return -EMFILE;
}

static int fake_ioctl(void *self, int fd, uint32_t request, void *argument)
{
    struct fake *fake = self;
    const uint8_t *bytes = argument;
    struct nvif_ioctl_new_v0 new;
    if (_IOC_NR(request) == DRM_COMMAND_BASE + DRM_NOUVEAU_NVIF && bytes[1] == NVIF_IOCTL_V0_NEW) {
        memcpy(&new, bytes + sizeof(struct nvif_ioctl_v0), sizeof new);
        if (new.oclass == fake->refused)
            return -EINVAL;
    }
    int result = nouveau_ioctl(fake->files[fd - 10], request, (uintptr_t)argument, &caller);
    if (request == DRM_IOCTL_VERSION && fake->other_driver)
        memcpy(((struct drm_version *)argument)->name, "radeon", 7);
    return result;
}

static int fake_close(void *self, int fd)
{
    struct fake *fake = self;
    nouveau_file_close(fake->files[fd - 10]);
    fake->files[fd - 10] = NULL;
    fake->open--;
    return 0;
}

static void fake_free(void *self)
{
    (void)self;
}

static const struct device_calls fake_calls = {
    .open = fake_open, .ioctl = fake_ioctl, .close = fake_close, .free = fake_free};

static void start(struct fake *fake, const char *chipset)
{
    struct tally_error error = {0};
    const struct nvidia_emulation_settings gpu = {.chipset = tally_chipset_find(chipset),
                                                  .clock = EMULATION_FREE};
    const struct nouveau_settings settings = {.chipset = gpu.chipset,
                                              .product = "card",
                                              .pci_vendor = 0x10de,
                                              .pci_device = nvidia_pci_id(gpu.chipset)};
    *fake = (struct fake){0};
    assert_int_equal(nvidia_emulation_new(&gpu, &fake->emulation, &error), 0);
    const struct driver_io io = nvidia_emulation_io(fake->emulation);
    assert_int_equal(nouveau_device_new(&settings, &io, &fake->device, &error), 0);
}

static void end(struct fake *fake)
{
    assert_int_equal(fake->open, 0);
    nouveau_device_free(fake->device);
    nvidia_emulation_free(fake->emulation);
}

static void opens(void **state)
{
    (void)state;
    struct fake fake;
    struct gpu gpu;
    struct tally_error error = {0};
    start(&fake, "g92");
    struct device machine = {&fake_calls, &fake};
    assert_true(nouveau_is_driver(&machine, "/dev/dri/card0"));
    assert_false(nouveau_is_driver(&machine, "/dev/dri/card1"));
    fake.other_driver = true;
    assert_false(nouveau_is_driver(&machine, "/dev/dri/card0"));
    assert_int_equal(nouveau_gpu_open(&machine, "/dev/dri/card0", &gpu, &error), 0);
    assert_string_equal(gpu.driver->name, "nouveau");
    assert_true(gpu.driver->in_kernel);
    assert_ptr_equal(gpu.device.nvidia, tally_chipset_find("g92"));
    assert_int_equal(gpu.device.id, nvidia_pci_id(tally_chipset_find("g92")));
    assert_int_equal(gpu.info.timestamp_hz, 1000000000);
    assert_int_equal(gpu.info.revision, 0xa1);
    uint64_t cpu_ns = 0, ticks = 0;
    nvidia_emulation_run_ns(fake.emulation, 5000000);
    assert_int_equal(gpu.driver->correlate(&gpu, &cpu_ns, &ticks), 0);
    assert_int_equal(ticks, 5000000);
    device_free(&machine);
    end(&fake);
}

static const struct {
    unsigned line;
    const char *chipset;
    int32_t refused;
    bool taken; /* by another client */
    int code;
    const char *message;
} rows[] = {
    {__LINE__, "g92", 0, false, 0, NULL},
    {__LINE__, "nv40", 0, false, 0, NULL},
    {__LINE__, "gf100", 0, false, 0, NULL},
    {__LINE__, "g92", NVIF_CLASS_PERFDOM, false, -ENODEV,
     "lets no program count with them, as from Linux 5.15 on"},
    {__LINE__, "g92", NVIF_CLASS_PERFMON, false, -ENODEV,
     "this kernel's nouveau has no performance counters for G92: Invalid argument"},
    {__LINE__, "nv34", 0, false, -ENODEV, "has no performance counters for NV34"},
    {__LINE__, "g92", 0, true, -EBUSY, "another program has nouveau's performance counters"},
};

static void refusals(void **state)
{
    (void)state;
    for (size_t r = 0; r < COUNT(rows); r++) {
        struct fake fake;
        struct gpu gpu;
        struct tally_error error = {0};
        start(&fake, rows[r].chipset);
        struct device machine = {&fake_calls, &fake};
        struct nvif other = {&machine, -1};
        if (rows[r].taken) {
            other.fd = fake_open(&fake, "/dev/dri/card0");
            assert_int_equal(nvif_new(&other, 0, 1, NVIF_CLASS_PERFMON, NULL, 0), 0);
        }
        fake.refused = rows[r].refused;
        int result = nouveau_gpu_open(&machine, "/dev/dri/card0", &gpu, &error);
        ROW(rows[r].line, result == rows[r].code, "%d, %s", result, error.message);
        ROW(rows[r].line, mentions(error.message, rows[r].message), "%s", error.message);
        if (rows[r].taken)
            fake_close(&fake, other.fd);
        if (result == 0)
            device_free(&machine);
        end(&fake);
    }
    ROWS_DONE();
}

int run_nouveau_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(opens), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests_name("nouveau", tests, NULL, NULL);
}
