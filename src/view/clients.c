/* SPDX-License-Identifier: MIT */
#include "view/clients.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/escape.h"

/* ---- one file -------------------------------------------------------------------------------- */

/* Returns the value of a line "key:\tvalue", or NULL. */
static const char *value_of(const char *text, const char *key)
{
    size_t size = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, key, size) && line[size] == ':')
            return line + size + 1 + strspn(line + size + 1, " \t");
    }
    return NULL;
}

static bool read_number(const char *text, uint64_t *out)
{
    if (!text || !isdigit((unsigned char)*text))
        return false;
    *out = strtoull(text, NULL, 10);
    return true;
}

bool client_parse(const char *text, const char *pdev, struct client_info *out)
{
    const char *address = value_of(text, "drm-pdev");
    size_t size = strlen(pdev);
    return address && !strncmp(address, pdev, size) && strchr("\n ", address[size]) &&
           read_number(value_of(text, "drm-client-id"), &out->id) &&
           read_number(value_of(text, "drm-engine-render"), &out->render_ns);
}

/* ---- all processes --------------------------------------------------------------------------- */

void clients_start(struct clients *clients, const char *node)
{
    struct stat status;
    char path[64], real[PATH_MAX];
    *clients = (struct clients){0};
    if (stat(node, &status) < 0 || !S_ISCHR(status.st_mode))
        return;
    snprintf(path, sizeof path, "/sys/dev/char/%u:%u/device", major(status.st_rdev),
             minor(status.st_rdev));
    const char *slash = realpath(path, real) ? strrchr(real, '/') : NULL;
    if (slash && strlen(slash + 1) < sizeof clients->pdev)
        strcpy(clients->pdev, slash + 1);
}

static const struct client_known *find_client(const struct clients *clients, uint64_t id)
{
    for (size_t i = 0; i < clients->count; i++)
        if (clients->known[i].info.id == id)
            return &clients->known[i];
    return NULL;
}

/* Adds what a descriptor of a process says, unless another one of the same client was there. */
static void add_descriptor(struct clients *found, const char *proc, int pid, const char *descriptor)
{
    char path[PATH_MAX], target[64] = "", text[4096];
    struct client_info info;
    snprintf(path, sizeof path, "%s/%d/fd/%.16s", proc, pid, descriptor);
    if (readlink(path, target, sizeof target - 1) < 0 || strncmp(target, "/dev/dri/", 9) != 0)
        return;
    snprintf(path, sizeof path, "%s/%d/fdinfo/%.16s", proc, pid, descriptor);
    if (text_load(path, text, sizeof text) < 0 || !client_parse(text, found->pdev, &info) ||
        find_client(found, info.id) || found->count == VIEW_CLIENTS_MAX)
        return;
    found->known[found->count++] = (struct client_known){info, pid};
}

static void add_process(struct clients *found, const char *proc, int pid)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%d/fd", proc, pid);
    DIR *directory = opendir(path); /* NULL: another user's, or it has ended */
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (isdigit((unsigned char)entry->d_name[0]))
            add_descriptor(found, proc, pid, entry->d_name);
    if (directory)
        closedir(directory);
}

static int compare_shares(const void *left, const void *right)
{
    const struct view_client *a = left, *b = right;
    if (a->share != b->share)
        return a->share < b->share ? 1 : -1;
    return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* Sets *out if a client had the engine since the scan before. */
static bool measure(const struct clients *before, const struct client_known *client,
                    const char *proc, uint64_t passed_ns, struct view_client *out)
{
    const struct client_known *known = find_client(before, client->info.id);
    char path[PATH_MAX];
    if (!known || client->info.render_ns <= known->info.render_ns || !passed_ns)
        return false;
    *out = (struct view_client){.pid = client->pid};
    double share = (double)(client->info.render_ns - known->info.render_ns) / (double)passed_ns;
    out->share = share < 1 ? share : 1;
    snprintf(path, sizeof path, "%s/%d/comm", proc, client->pid);
    if (text_load(path, out->name, sizeof out->name) < 0)
        strcpy(out->name, "?");
    escape_in_place(out->name, sizeof out->name);
    return true;
}

size_t clients_scan(struct clients *clients, const char *proc, uint64_t now_ns,
                    struct view_client *out)
{
    struct view_client measured[VIEW_CLIENTS_MAX];
    size_t count = 0;
    DIR *directory = *clients->pdev ? opendir(proc) : NULL;
    if (!directory)
        return 0;
    struct clients found = {.scanned_ns = now_ns};
    memcpy(found.pdev, clients->pdev, sizeof found.pdev);
    for (struct dirent *entry; (entry = readdir(directory));)
        if (isdigit((unsigned char)entry->d_name[0]))
            add_process(&found, proc, atoi(entry->d_name));
    closedir(directory);
    for (size_t i = 0; i < found.count; i++)
        count +=
            measure(clients, &found.known[i], proc, now_ns - clients->scanned_ns, &measured[count]);
    qsort(measured, count, sizeof measured[0], compare_shares);
    count = count < VIEW_CLIENTS ? count : VIEW_CLIENTS;
    memcpy(out, measured, count * sizeof *out);
    *clients = found;
    return count;
}
