/* SPDX-License-Identifier: MIT */
/* modules.dep, the kernel's options and its messages. */
#include "guest/tests.h"

#include "vm/guest/kernel_config.h"
#include "vm/guest/modules.h"
#include "vm/kernel_log.h"

/* ---- modules --------------------------------------------------------------------------------- */

static const char dependencies[] = "kernel/a/top.ko.xz: kernel/b/mid-dle.ko kernel/c/base.ko.zst\n"
                                   "kernel/b/mid-dle.ko: kernel/c/base.ko.zst\n"
                                   "kernel/c/base.ko.zst:\n"
                                   "\n"
                                   "kernel/x.kobjects/alone.ko:\n"
                                   "kernel/d/one.ko: kernel/d/two.ko\n"
                                   "kernel/d/two.ko: kernel/d/one.ko\n"
                                   "kernel/d/lost.ko: kernel/d/gone.ko";
static const char builtin[] = "kernel/fs/fuse.ko\nkernel/drivers/virtio_ring.ko\n";

static struct modules *parse(const char *text, const char *others)
{
    struct modules *modules;
    struct tally_error error = {0};
    int result =
        modules_parse("modules.dep", text, strlen(text), others, strlen(others), &modules, &error);
    assert_int_equal(result, 0);
    return modules;
}

/* Returns the names of the selected modules, as a text to free. */
static char *selected(const struct modules *modules)
{
    struct buffer text = {0};
    const struct module *module;
    for (size_t i = 0; (module = modules_selected(modules, i)); i++)
        buffer_printf(&text, "%.*s ", (int)module->path_size, module->path);
    buffer_char(&text, '\0');
    return text.bytes;
}

static void test_order_of_modules(void **state)
{
    (void)state;
    // clang-format off
    static const struct {
        unsigned line;
        const char *names[3];
        const char *selected;
    } rows[] = {
        {__LINE__, {"top"}, "kernel/c/base.ko.zst kernel/b/mid-dle.ko kernel/a/top.ko.xz "},
        {__LINE__, {"mid_dle"}, "kernel/c/base.ko.zst kernel/b/mid-dle.ko "},
        {__LINE__, {"mid-dle", "top"}, "kernel/c/base.ko.zst kernel/b/mid-dle.ko kernel/a/top.ko.xz "},
        {__LINE__, {"base", "base"}, "kernel/c/base.ko.zst "},
        {__LINE__, {"alone", "base"}, "kernel/x.kobjects/alone.ko kernel/c/base.ko.zst "},
        {__LINE__, {"fuse", "virtio-ring"}, ""},
    };
    // clang-format on
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct modules *modules = parse(dependencies, builtin);
        struct tally_error error = {0};
        for (size_t k = 0; k < COUNT(rows[i].names) && rows[i].names[k]; k++)
            ROW(rows[i].line, modules_select(modules, rows[i].names[k], &error) == 0, "%s",
                error.message);
        char *text = selected(modules);
        ROW(rows[i].line, !strcmp(text, rows[i].selected), "%s", text);
        free(text);
        modules_free(modules);
    }
    ROWS_DONE();
}

static void test_modules_that_cannot_be_loaded(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *name;
        int code;
        const char *message;
    } rows[] = {
        {__LINE__, "to", -ENOENT, "modules.dep: the kernel has no module to"},
        {__LINE__, "ring", -ENOENT, "no module ring"},
        {__LINE__, "one", -EBADMSG, "kernel/d/one.ko needs itself"},
        {__LINE__, "lost", -EBADMSG, "kernel/d/gone.ko is needed but not listed"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct modules *modules = parse(dependencies, builtin);
        struct tally_error error = {0};
        int result = modules_select(modules, rows[i].name, &error);
        ROW(rows[i].line, result == rows[i].code, "returns %d", result);
        ROW(rows[i].line, mentions(error.message, rows[i].message), "\"%s\"", error.message);
        modules_free(modules);
    }
    ROWS_DONE();
}

/* A chain that is longer than any kernel's ends with an error, not with the stack. */
static void test_a_long_chain(void **state)
{
    (void)state;
    struct buffer text = {0};
    struct tally_error error = {0};
    for (unsigned i = 0; i < 5000; i++)
        buffer_printf(&text, "m%u.ko: m%u.ko\n", i, i + 1);
    buffer_char(&text, '\0');
    struct modules *modules = parse(text.bytes, "");
    assert_int_equal(modules_select(modules, "m0", &error), -EBADMSG);
    assert_true(mentions(error.message, "through too many others"));
    modules_free(modules);
    buffer_fini(&text);
}

static void test_malformed_lists(void **state)
{
    (void)state;
    struct modules *modules;
    struct tally_error error = {0};
    assert_int_equal(modules_parse("m", "a.ko:\nb.ko\n", 11, "", 0, &modules, &error), -EBADMSG);
    assert_string_equal(error.message, "m:2: expected a module, a colon and what it needs");
    assert_int_equal(modules_parse("m", ": a.ko\n", 7, "", 0, &modules, &error), -EBADMSG);
    assert_int_equal(modules_parse("m", "a b.ko:\n", 8, "", 0, &modules, &error), -EBADMSG);
    assert_int_equal(modules_open("/nonexistent", &modules, &error), -ENOENT);
    assert_true(mentions(error.message, "/nonexistent/modules.dep, expected the list that depmod"));
}

/* The guest's list has the selected modules only, unpacked. */
static void test_the_list_for_the_guest(void **state)
{
    (void)state;
    struct modules *modules = parse(dependencies, builtin);
    struct buffer text = {0};
    struct tally_error error = {0};
    assert_int_equal(modules_select(modules, "alone", &error), 0);
    assert_int_equal(modules_select(modules, "top", &error), 0);
    modules_write(modules, &text);
    buffer_char(&text, '\0');
    size_t size;
    assert_memory_equal(modules_builtin(modules, &size), builtin, strlen(builtin));
    assert_int_equal(size, strlen(builtin));
    assert_string_equal(text.bytes, "kernel/x.kobjects/alone.ko:\n"
                                    "kernel/c/base.ko:\n"
                                    "kernel/b/mid-dle.ko: kernel/c/base.ko\n"
                                    "kernel/a/top.ko: kernel/b/mid-dle.ko kernel/c/base.ko\n");
    buffer_fini(&text);
    modules_free(modules);
}

/* ---- options of the kernel ------------------------------------------------------------------- */

#define GUEST_OPTIONS                                                                              \
    "CONFIG_PRINTK=y\nCONFIG_SERIAL_8250_CONSOLE=y\nCONFIG_BLK_DEV_INITRD=y\nCONFIG_BINFMT_ELF="   \
    "y\n"                                                                                          \
    "CONFIG_BINFMT_SCRIPT=y\nCONFIG_PROC_FS=y\nCONFIG_SYSFS=y\nCONFIG_DEVTMPFS=y\n"                \
    "CONFIG_UNIX98_PTYS=y\nCONFIG_VIRTIO_PCI=m\nCONFIG_VIRTIO_CONSOLE=y\nCONFIG_9P_FS=m\n"

static void test_missing_options(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *driver;
        const char *text, *missing;
    } rows[] = {
        {__LINE__, NULL, GUEST_OPTIONS "CONFIG_NET_9P_VIRTIO=m\n", ""},
        {__LINE__, "i915", GUEST_OPTIONS "CONFIG_NET_9P_VIRTIO=y\n",
         "CONFIG_PCI_MSI=y, CONFIG_X86_PAT=y, CONFIG_DRM_I915"},
        {__LINE__, "i915",
         GUEST_OPTIONS
         "CONFIG_NET_9P_VIRTIO=y\nCONFIG_PCI_MSI=y\nCONFIG_X86_PAT=y\nCONFIG_DRM_I915=m",
         ""},
        {__LINE__, NULL, GUEST_OPTIONS, "CONFIG_NET_9P_VIRTIO"},
        {__LINE__, NULL, GUEST_OPTIONS "# CONFIG_NET_9P_VIRTIO is not set\n",
         "CONFIG_NET_9P_VIRTIO"},
        {__LINE__, NULL, GUEST_OPTIONS "CONFIG_NET_9P_VIRTIO=", "CONFIG_NET_9P_VIRTIO"},
        {__LINE__, "nouveau", GUEST_OPTIONS "CONFIG_NET_9P_VIRTIO=y\n", "CONFIG_DRM_NOUVEAU"},
        /* a module does not help before modules can be loaded */
        {__LINE__, "i915",
         GUEST_OPTIONS
         "CONFIG_NET_9P_VIRTIO=m\nCONFIG_PCI_MSI=m\nCONFIG_X86_PAT=y\nCONFIG_DRM_I915=m",
         "CONFIG_PCI_MSI=y"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer missing = {0};
        kernel_config_missing(rows[i].text, strlen(rows[i].text), rows[i].driver, &missing);
        buffer_char(&missing, '\0');
        ROW(rows[i].line, !strcmp(missing.bytes, rows[i].missing), "%s", missing.bytes);
        buffer_fini(&missing);
    }
    ROWS_DONE();
}

/* data/vm/kernel.config has what a guest needs. */
static void test_the_project_options(void **state)
{
    (void)state;
    char path[4096];
    struct buffer text = {0}, missing = {0};
    struct tally_error error = {0};
    snprintf(path, sizeof path, "%s/data/vm/kernel.config", getenv("TALLY_SOURCE"));
    assert_int_equal(buffer_load(&text, path, 1 << 20, &error), 0);
    kernel_config_missing(text.bytes, text.size, "i915", &missing);
    assert_int_equal(missing.size, 0);
    buffer_fini(&text);
}

/* ---- messages of the kernel ------------------------------------------------------------------ */

static void add(struct kernel_log *log, const char *text)
{
    kernel_log_add(log, text, strlen(text));
}

static void check_line(struct log_line line, const char *expected)
{
    assert_int_equal(line.size, strlen(expected));
    assert_memory_equal(line.at, expected, line.size);
}

static void test_kernel_messages(void **state)
{
    (void)state;
    char path[] = "/tmp/tally-test-XXXXXX", written[256] = "";
    struct kernel_log log;
    struct tally_error error = {0};
    struct log_line line = {"", 0};
    int fd = mkstemp(path);
    assert_int_equal(kernel_log_open(&log, path, &error), 0);
    add(&log, "[ 0.1] Linux\r\n[ 0.2] WARN");
    assert_int_equal(kernel_log_problems(&log, &line), 0);
    check_line(kernel_log_end(&log), "[ 0.2] WARN");
    add(&log, "ING: CPU: 0\r\n[ 0.3] i915: *ERROR* WARNING: x\r\n[ 0.4] end\r\n\r\n");
    assert_int_equal(kernel_log_problems(&log, &line), 2);
    check_line(line, "[ 0.2] WARNING: CPU: 0");
    check_line(kernel_log_end(&log), "[ 0.4] end");
    add(&log, "[ 0.5] Kernel panic - why\n[ 0.6] ---[ end\n");
    check_line(kernel_log_end(&log), "[ 0.5] Kernel panic - why");
    assert_int_equal(kernel_log_problems(&log, &line), 3);
    assert_int_equal(read(fd, written, sizeof written), log.text.size);
    assert_memory_equal(written, log.text.bytes, log.text.size);
    assert_null(memchr(written, '\r', sizeof written));
    kernel_log_close(&log);
    close(fd);
    unlink(path);
    assert_int_equal(kernel_log_open(&log, NULL, &error), 0);
    add(&log, "[ 0.1] Linux\ntally init: no port\n[ 0.2] Kernel panic - init ended\n");
    check_line(kernel_log_end(&log), "tally init: no port");
    kernel_log_close(&log);
    assert_int_equal(kernel_log_open(&log, "/nonexistent/log", &error), -ENOENT);
}

int test_lists(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_modules),
        cmocka_unit_test(test_modules_that_cannot_be_loaded),
        cmocka_unit_test(test_a_long_chain),
        cmocka_unit_test(test_malformed_lists),
        cmocka_unit_test(test_the_list_for_the_guest),
        cmocka_unit_test(test_missing_options),
        cmocka_unit_test(test_the_project_options),
        cmocka_unit_test(test_kernel_messages),
    };
    return cmocka_run_group_tests_name("lists", tests, NULL, NULL);
}
