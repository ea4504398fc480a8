/* SPDX-License-Identifier: MIT */
/* Loading workloads by name, by path, and from memory. */
#include "intel/workload/files.h"

#include <stdlib.h>

#include "base/named.h"
#include "intel/workload/workload.h"

static const struct named_files files = {"workload", "workloads", "TALLY_WORKLOADS_PATH"};

int tally_workload_load(const char *name, struct tally_workload **out, struct tally_error *error)
{
    char *path;
    int result = named_find(&files, name, &path, error);
    if (result == 0)
        result = workload_read((struct yaml_source){.name = path}, out, NULL, NULL, error);
    free(path);
    return result;
}

int tally_workload_list(void (*visit)(void *closure, const char *path), void *closure)
{
    return named_list(&files, visit, closure);
}

int tally_workload_load_memory(const void *bytes, size_t size, const char *name,
                               struct tally_workload **out, struct tally_error *error)
{
    return workload_read(yaml_in(bytes, size, name), out, NULL, NULL, error);
}

int tally_workload_lint_memory(const void *bytes, size_t size, const char *name,
                               tally_workload_found *found, void *closure,
                               struct tally_error *error)
{
    return workload_read(yaml_in(bytes, size, name), NULL, found, closure, error);
}

int tally_workload_lint(const char *path, tally_workload_found *found, void *closure,
                        struct tally_error *error)
{
    return workload_read((struct yaml_source){.name = path}, NULL, found, closure, error);
}

void tally_workload_describe(const struct tally_workload *workload, struct tally_workload_info *out)
{
    *out = (struct tally_workload_info){.name = workload->name,
                                        .description = workload->description,
                                        .file = workload->file,
                                        .seed = workload->seed,
                                        .phases = workload->phase_count};
    for (size_t i = 0; i < workload->phase_count; i++)
        out->duration_ns += workload->phases[i].duration_ns;
}
