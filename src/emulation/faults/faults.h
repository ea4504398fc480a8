/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_FAULTS_FAULTS_H
#define TALLY_EMULATION_FAULTS_FAULTS_H

/*
 * Faults on demand: a script (docs/faults.md) says what goes wrong in an emulated GPU, when, and
 * how often; the same script and seed do the same again. load.c reads it, schedule.c knows when
 * each fault is due, apply.c does it.
 *
 *     faults_load("lossy", &script, &error);
 *     faults_bind(script, emulation, &faults, &error); // times and reports look after themselves
 *     result = faults_call(faults, request);          // in front of each ioctl
 *     faults_called(faults, request, result);         // behind it
 *
 * Thread rule: as of the GPU.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

#include "base/findings.h"

struct emulation;

/* ---- scripts --------------------------------------------------------------------------------- */

struct faults_script;

/* Reads a script, by its path or by its name (named.h). Returns 0; -EBADMSG and the first mistake
 * with its line; errors of reading. */
int faults_load(const char *name, struct faults_script **out, struct tally_error *error);
int faults_load_memory(const void *bytes, size_t size, const char *name, struct faults_script **out,
                       struct tally_error *error);

/* Tells all mistakes by line. How many there are, or an errno with a message: no YAML. */
int faults_lint(const char *path, findings_visit *found, void *closure, struct tally_error *error);
int faults_lint_memory(const void *bytes, size_t size, const char *name, findings_visit *found,
                       void *closure, struct tally_error *error);

/* Is a file without YAML's mistakes a script of faults, and no workload? By its keys. */
bool faults_is_script(const char *path);

/* The paths of all that have names. How many there are; -ENOMEM. */
int faults_list(void (*visit)(void *closure, const char *path), void *closure);

void faults_script_free(struct faults_script *script);

/* What a script says of itself; valid as long as it. */
struct faults_info {
    const char *name, *description; /* may be empty */
    const char *file;
    size_t faults;
    uint64_t seed;
};
struct faults_info faults_describe(const struct faults_script *script);
size_t faults_script_count(const struct faults_script *script);

/* Bytes of a recording that its disk takes; UINT64_MAX: nothing is said of that. */
uint64_t faults_disk_bytes(const struct faults_script *script);

/* ---- at work --------------------------------------------------------------------------------- */

struct faults;

/*
 * Binds a script to a device, which has GPU and driver; both must outlive the faults. Times count
 * from the first stream that opens, reports from the first that is requested. emulation_new() does
 * it. Returns 0; -EINVAL and a message: the platform lacks a counter; -ENOMEM.
 */
int faults_bind(const struct faults_script *script, struct emulation *emulation,
                struct faults **out, struct tally_error *error);

/* Everything is over at once, and nothing more happens. NULL is allowed. */
void faults_free(struct faults *faults);

/*
 * An ioctl is about to be done: 0, or the errno that it shall fail with, negative. And what became
 * of it. NULL: no faults.
 */
int faults_call(struct faults *faults, uint32_t request);
void faults_called(struct faults *faults, uint32_t request, int64_t result);

/* How many have happened, of each kind by its name. NULL past the end. */
const char *faults_kind_name(unsigned kind);
uint64_t faults_happened(const struct faults *faults, unsigned kind);

#endif
