/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_GUEST_MODULES_H
#define TALLY_VM_GUEST_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include <tally/error.h>

#include "base/buffer.h"

/*
 * The modules of a kernel and what each needs, from its modules.dep, and those built into the
 * kernel, from its modules.builtin. depmod and the kernel's build write these files. In module
 * names '-' and '_' are the same.
 */
struct modules;

/* Reads both files of `directory`, such as /lib/modules/6.1.0. Returns 0 or a negative errno with a
 * message. Free with modules_free(). */
int modules_open(const char *directory, struct modules **out, struct tally_error *error);

/* Makes a list from the texts of the files; `path` is for messages. Returns 0; -EBADMSG: a line of
 * modules.dep has no colon; -ENOMEM. */
int modules_parse(const char *path, const char *dependencies, size_t dependencies_size,
                  const char *builtin, size_t builtin_size, struct modules **out,
                  struct tally_error *error);

void modules_free(struct modules *modules);

/* A module of the list. */
struct module {
    const char *path; /* relative to the directory: "kernel/drivers/gpu/drm/i915/i915.ko.xz" */
    size_t path_size; /* without what follows in the file */
};

/* Returns the size of a module's path without a suffix of compression: up to ".ko". */
size_t module_unpacked_size(const struct module *module);

/*
 * Selects a module and all that it needs, each once, what is needed first. Does nothing if it is
 * built in or selected. Returns 0, or a negative errno with a message: -ENOENT: the kernel does not
 * have it; -EBADMSG: a module needs itself, or one that is not listed.
 */
int modules_select(struct modules *modules, const char *name, struct tally_error *error);

/* Returns the selected module number `i` in the order in which they can be loaded, or NULL. */
const struct module *modules_selected(const struct modules *modules, size_t i);

/* Appends the lines of modules.dep for the selected modules. A suffix of compression is dropped
 * from all names, so that the lines describe unpacked modules. */
void modules_write(const struct modules *modules, struct buffer *out);

/* Returns the text of modules.builtin, which modprobe reads, too. */
const char *modules_builtin(const struct modules *modules, size_t *size);

#endif
