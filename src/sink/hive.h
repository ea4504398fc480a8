/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_HIVE_H
#define TALLY_SINK_HIVE_H

#include <tally/error.h>
#include <tally/pipeline.h>

/*
 * Makes the path of a pipeline's results in a folder that is divided as Hive does:
 * FOLDER/gpu=GPU/set=SET/date=DATE/NAME.EXTENSION, with the name of the input, and creates its
 * folders. `date` is "YYYY-MM-DD", or NULL if it is unknown. The caller frees *out. Errors: those
 * of mkdir(2); -ENOMEM.
 */
int hive_path(const char *folder, const struct tally_pipeline *pipeline, const char *date,
              const char *extension, char **out, struct tally_error *error);

#endif
