/* SPDX-License-Identifier: MIT */
/*
 * A register tool for the guest: maps BAR 0 of the first GPU by sysfs, enables the device, and
 * performs its arguments in order. Numbers are hexadecimal, except times.
 *
 *     a480            reads a register, and prints its value
 *     a480=bd         writes one
 *     a764=@0         writes bits 31:0 of the physical address of a page; @1: bits 63:32
 *     pci4=6          writes 16 bits of configuration space
 *     sleep=5         waits for milliseconds of PTIMER
 *     page            prints the packets of record mode in the page that are not empty
 *
 * test_nvidia.py and test_pci.py run it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICES   "/sys/bus/pci/devices"
#define DISPLAY   0x03u /* class */
#define TIME_LOW  0x9400u
#define TIME_HIGH 0x9410u

static volatile uint32_t *registers;
static size_t bytes;
static int config;
static uint16_t *page;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static bool is_gpu(const char *device)
{
    char path[300], text[16] = "";
    snprintf(path, sizeof path, DEVICES "/%s/class", device);
    FILE *file = fopen(path, "r");
    bool found = file && fgets(text, sizeof text, file) && strtoul(text, NULL, 16) >> 16 == DISPLAY;
    if (file)
        fclose(file);
    return found;
}

static int open_file(const char *device, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, DEVICES "/%s/%s", device, name);
    int fd = open(path, O_RDWR);
    if (fd < 0)
        die(path);
    return fd;
}

static void write_config(unsigned long offset, unsigned long value)
{
    uint16_t word = (uint16_t)value;
    if (pwrite(config, &word, sizeof word, (off_t)offset) != sizeof word)
        die("config");
}

/* Enables the device, with bus mastering, and maps its registers. */
static void map_registers(const char *device)
{
    uint16_t command = 0;
    struct stat file;
    config = open_file(device, "config");
    if (pread(config, &command, sizeof command, 4) != sizeof command)
        die("config");
    write_config(4, command | 6u);
    int fd = open_file(device, "resource0");
    if (fstat(fd, &file) < 0)
        die("resource0");
    bytes = (size_t)file.st_size;
    registers = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (registers == MAP_FAILED)
        die("resource0");
    close(fd);
}

static void find_gpu(void)
{
    DIR *directory = opendir(DEVICES);
    struct dirent *entry;
    if (!directory)
        die(DEVICES);
    while (!registers && (entry = readdir(directory)))
        if (entry->d_name[0] != '.' && is_gpu(entry->d_name))
            map_registers(entry->d_name);
    closedir(directory);
    if (!registers) {
        fprintf(stderr, "no GPU\n");
        exit(1);
    }
}

/* Returns the physical address of the page, which stays where it is. */
static uint64_t page_address(void)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    uint64_t entry;
    if (!page) {
        page = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED || mlock(page, page_bytes) < 0)
            die("page");
        memset(page, 0, page_bytes);
    }
    int fd = open("/proc/self/pagemap", O_RDONLY);
    if (fd < 0 || pread(fd, &entry, sizeof entry, (off_t)((uintptr_t)page / page_bytes * 8)) != 8)
        die("pagemap");
    close(fd);
    return (entry & ((UINT64_C(1) << 55) - 1)) * page_bytes;
}

static uint64_t time_ns(void)
{
    uint32_t high = registers[TIME_HIGH / 4], low = registers[TIME_LOW / 4];
    return registers[TIME_HIGH / 4] == high ? (uint64_t)high << 32 | low : time_ns();
}

static void wait_ms(unsigned long ms)
{
    uint64_t end = time_ns() + ms * UINT64_C(1000000);
    while (time_ns() < end)
        ;
}

static void print_page(void)
{
    for (unsigned i = 0; page && i < 4096 / 2; i += 16)
        if (page[i] || page[i + 3])
            printf("%u: stop %u, pre %u %u %u %u\n", i / 16, page[i + 3], page[i + 4], page[i + 5],
                   page[i + 6], page[i + 7]);
}

static void perform(const char *argument)
{
    unsigned long address = strtoul(argument, NULL, 16) % bytes;
    const char *equals = strchr(argument, '=');
    if (!strcmp(argument, "page"))
        print_page();
    else if (!strncmp(argument, "pci", 3) && equals)
        write_config(strtoul(argument + 3, NULL, 16), strtoul(equals + 1, NULL, 16));
    else if (!strncmp(argument, "sleep=", 6))
        wait_ms(strtoul(equals + 1, NULL, 10));
    else if (equals && equals[1] == '@')
        registers[address / 4] = (uint32_t)(page_address() >> (equals[2] == '1' ? 32 : 0));
    else if (equals)
        registers[address / 4] = (uint32_t)strtoul(equals + 1, NULL, 16);
    else
        printf("%06lx %08" PRIx32 "\n", address, registers[address / 4]);
}

int main(int count, char **arguments)
{
    find_gpu();
    for (int i = 1; i < count; i++)
        perform(arguments[i]);
    return 0;
}
