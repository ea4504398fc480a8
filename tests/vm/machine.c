/* SPDX-License-Identifier: MIT */
#include "vm/machine.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "testing.h"

static void *serve(void *closure)
{
    struct machine *machine = closure;
    struct vm_server_fds fds = {machine->link, machine->server_qtest, -1, machine->stop[0]};
    machine->result = vm_server_run(machine->server, &fds, &machine->error);
    return NULL;
}

void machine_continue(struct machine *machine)
{
    assert_int_equal(pthread_create(&machine->thread, NULL, serve, machine), 0);
}

void machine_start(struct machine *machine, const struct vm_server_config *config)
{
    int link[2], qtest[2];
    *machine = (struct machine){0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, qtest), 0);
    assert_int_equal(pipe(machine->stop), 0);
    machine->qemu = link[0];
    machine->link = link[1];
    machine->qtest = qtest[0];
    machine->server_qtest = qtest[1];
    machine->ram = memfd_create("ram", MFD_CLOEXEC);
    assert_int_equal(ftruncate(machine->ram, RAM_BYTES), 0);
    machine->memory = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, machine->ram, 0);
    assert_true(machine->memory != MAP_FAILED);
    if (vm_server_new(config, &machine->server, &machine->error) < 0)
        fail_msg("%s", machine->error.message);
    machine_continue(machine);
}

void machine_stop(struct machine *machine)
{
    assert_int_equal(write(machine->stop[1], "x", 1), 1);
    pthread_join(machine->thread, NULL);
}

void machine_finish(struct machine *machine, int expected)
{
    if (machine->qemu >= 0)
        close(machine->qemu);
    pthread_join(machine->thread, NULL);
    if (machine->result != expected)
        fail_msg("run: %d, %s", machine->result, machine->error.message);
    vm_server_free(machine->server);
    munmap(machine->memory, RAM_BYTES);
    int fds[] = {machine->link,    machine->qtest,   machine->server_qtest,
                 machine->stop[0], machine->stop[1], machine->ram};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        close(fds[i]);
}
