/* SPDX-License-Identifier: MIT */
/* The real device, tested with files, pipes, a clock, and a directory that mimics a machine. */
#include "capture/tests.h"

#include <errno.h>
#include <sys/sysmacros.h>

#include "capture/gpu.h"
#include "capture/real.h"

static struct device real(const char *root)
{
    struct device device;
    struct tally_error error = {0};
    assert_int_equal(real_device_new(root, &device, &error), 0);
    return device;
}

/* Makes a file from its path and contents; a directory if the contents are NULL. */
static void put(const char *root, const char *path, const char *text)
{
    char whole[300];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = strchr(whole + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0777);
        *slash = '/';
    }
    FILE *file = text ? fopen(whole, "we") : NULL;
    if (text) {
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
    } else {
        mkdir(whole, 0777);
    }
}

static void remove_tree(const char *root)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

struct visited {
    char paths[3][64];
    int count;
};

static void visit(void *closure, const char *path)
{
    struct visited *visited = closure;
    assert_true(visited->count < 3);
    snprintf(visited->paths[visited->count++], 64, "%s", path);
}

static void test_files_and_nodes(void **state)
{
    (void)state;
    char root[] = "/tmp/tally-test-XXXXXX", text[16];
    struct visited visited = {.count = 0};
    uint64_t number;
    assert_non_null(mkdtemp(root));
    put(root, "/dev/dri/renderD129", "");
    put(root, "/dev/dri/renderD128", "");
    put(root, "/dev/dri/card0", "");
    put(root, "/proc/sys/dev/i915/perf_stream_paranoid", "1\n");
    put(root, "/long", "a text that is longer than the buffer's size\n");
    struct device device = real(root);
    assert_int_equal(real_device_nodes(root, visit, &visited), 2);
    assert_string_equal(visited.paths[0], "/dev/dri/renderD128");
    assert_string_equal(visited.paths[1], "/dev/dri/renderD129");
    assert_int_equal(device_number(&device, "/proc/sys/dev/i915/perf_stream_paranoid", &number), 0);
    assert_int_equal(number, 1);
    assert_int_equal(device.calls->text(device.self, "/nonexistent", text, sizeof text), -ENOENT);
    assert_int_equal(device.calls->text(device.self, "/long", text, sizeof text), 0);
    assert_string_equal(text, "a text that is ");
    device_free(&device);
    remove_tree(root);
}

/* A node that is a plain file: its ioctls fail. */
static void test_a_node_that_is_no_gpu(void **state)
{
    (void)state;
    char root[] = "/tmp/tally-test-XXXXXX";
    struct tally_error error = {0};
    struct gpu gpu;
    assert_non_null(mkdtemp(root));
    put(root, "/dev/dri/renderD128", "");
    struct device device = real(root);
    assert_int_equal(gpu_open(&device, "/dev/dri/renderD128", &gpu, &error), -ENODEV);
    assert_non_null(strstr(error.message, "/dev/dri/renderD128 is not a GPU"));
    gpu_close(&gpu);
    assert_int_equal(gpu_open(&device, "/dev/dri/renderD129", &gpu, &error), -ENODEV);
    assert_non_null(strstr(error.message, "No such file or directory"));
    gpu_close(&gpu);
    device_free(&device);
    remove_tree(root);
}

/* A node's card is found by its number (PERF-1.8). /dev/null stands for the node. */
static void test_the_card_of_a_node(void **state)
{
    (void)state;
    char root[] = "/tmp/tally-test-XXXXXX", path[80], card[64];
    struct stat null;
    assert_int_equal(stat("/dev/null", &null), 0);
    assert_non_null(mkdtemp(root));
    struct device device = real(root);
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_int_equal(device.calls->card(device.self, fd, card, sizeof card), -ENOENT);
    snprintf(path, sizeof path, "/sys/dev/char/%u:%u/device/drm/renderD128", major(null.st_rdev),
             minor(null.st_rdev));
    put(root, path, NULL);
    assert_int_equal(device.calls->card(device.self, fd, card, sizeof card), -ENOENT);
    strcpy(strstr(path, "renderD128"), "card3");
    put(root, path, NULL);
    assert_int_equal(device.calls->card(device.self, fd, card, sizeof card), 0);
    assert_string_equal(card, path);
    assert_int_equal(device.calls->card(device.self, fd, card, 10), -ENAMETOOLONG);
    assert_int_equal(device.calls->close(device.self, fd), 0);
    assert_int_equal(device.calls->card(device.self, fd, card, sizeof card), -EBADF);
    device_free(&device);
    remove_tree(root);
}

static void test_waiting_and_reading(void **state)
{
    (void)state;
    struct device device = real("");
    int stream[2], wake[2];
    char text[8];
    assert_int_equal(pipe2(stream, O_CLOEXEC | O_NONBLOCK), 0);
    assert_int_equal(pipe2(wake, O_CLOEXEC), 0);
    uint64_t before = device_now_ns(&device);
    assert_int_equal(device.calls->poll(device.self, stream[0], wake[0], 20000000), 0);
    assert_true(device_now_ns(&device) - before >= 20000000);
    assert_int_equal(device.calls->read(device.self, stream[0], text, sizeof text), -EAGAIN);
    assert_int_equal(write(stream[1], "abc", 3), 3);
    assert_int_equal(device.calls->poll(device.self, stream[0], wake[0], 1000000000),
                     DEVICE_STREAM);
    assert_int_equal(write(wake[1], "x", 1), 1);
    assert_int_equal(device.calls->poll(device.self, stream[0], wake[0], 1000000000),
                     DEVICE_STREAM | DEVICE_WAKE);
    assert_int_equal(device.calls->poll(device.self, -1, wake[0], 0), DEVICE_WAKE);
    assert_int_equal(device.calls->read(device.self, stream[0], text, sizeof text), 3);
    for (size_t i = 0; i < 2; i++) {
        close(stream[i]);
        close(wake[i]);
    }
    assert_int_equal(device.calls->read(device.self, stream[0], text, sizeof text), -EBADF);
    device_free(&device);
}

int run_real_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_and_nodes),
        cmocka_unit_test(test_a_node_that_is_no_gpu),
        cmocka_unit_test(test_the_card_of_a_node),
        cmocka_unit_test(test_waiting_and_reading),
    };
    return cmocka_run_group_tests_name("real", tests, NULL, NULL);
}
