/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_MODEL_H
#define TALLY_CLI_MODEL_H

#include "cli/cli.h"

/* Modelled GPUs as devices: "sim:hsw", "sim:hsw/gt3", "sim:g92". */

#define MODEL_PREFIX "sim:"

/* Returns whether a device is a modelled GPU, by its prefix. */
bool is_model(const char *device);

/* Checks that a modelled GPU is known. Returns EXIT_DONE; or prints the error, with the nearest
 * name, and returns EXIT_USAGE. */
int check_model(const char *device);

/*
 * Sets *name to the model of --device without its prefix, or to `usual` if the option was not
 * given. Returns EXIT_DONE; or prints the error, with `command` in front, and returns EXIT_USAGE.
 * --gpu, the option's former name, also takes the name without the prefix.
 */
int model_option(const char *command, const struct arguments *arguments, enum option_id id,
                 const char *usual, const char **name);

#endif
