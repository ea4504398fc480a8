/* SPDX-License-Identifier: MIT */
#include "vm/rig.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "testing.h"
#include "vm/qemu.h"

static void *serve(void *closure)
{
    struct rig *rig = closure;
    struct vm_server_fds fds = {rig->link, rig->server_qtest, rig->server_qmp, rig->stop[0]};
    rig->result = vm_server_run(rig->server, &fds, &rig->error);
    return NULL;
}

void rig_continue(struct rig *rig)
{
    assert_int_equal(pthread_create(&rig->thread, NULL, serve, rig), 0);
}

void rig_start(struct rig *rig, const struct vm_server_config *config)
{
    int link[2], qtest[2], qmp[2];
    *rig = (struct rig){0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, qtest), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, qmp), 0);
    assert_int_equal(pipe(rig->stop), 0);
    rig->qemu = link[0];
    rig->link = link[1];
    rig->qtest = qtest[0];
    rig->server_qtest = qtest[1];
    rig->qmp = qmp[0];
    rig->server_qmp = qmp[1];
    rig->ram = memfd_create("ram", MFD_CLOEXEC);
    assert_int_equal(ftruncate(rig->ram, RAM_BYTES), 0);
    rig->memory = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, rig->ram, 0);
    assert_true(rig->memory != MAP_FAILED);
    if (vm_server_new(config, &rig->server, &rig->error) < 0)
        fail_msg("%s", rig->error.message);
    rig_continue(rig);
}

void rig_enable(const struct rig *rig)
{
    qemu_write_config(rig->qemu, 0x10, 4, REGISTERS);
    qemu_write_config(rig->qemu, 0x18, 4, APERTURE);
    qemu_write_config(rig->qemu, 0x04, 2, 6);
}

void rig_stop(struct rig *rig)
{
    assert_int_equal(write(rig->stop[1], "x", 1), 1);
    pthread_join(rig->thread, NULL);
}

void rig_finish(struct rig *rig, int expected)
{
    if (rig->qemu >= 0)
        close(rig->qemu);
    pthread_join(rig->thread, NULL);
    if (rig->result != expected)
        fail_msg("run: %d, %s", rig->result, rig->error.message);
    vm_server_free(rig->server);
    munmap(rig->memory, RAM_BYTES);
    int fds[] = {rig->link,       rig->qtest,   rig->server_qtest, rig->qmp,
                 rig->server_qmp, rig->stop[0], rig->stop[1],      rig->ram};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        close(fds[i]);
}
