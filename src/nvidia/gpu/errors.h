/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_GPU_ERRORS_H
#define TALLY_NVIDIA_GPU_ERRORS_H

#include <stdint.h>

/* Returns what a value means that a GPU from GF100 on returns in place of a register's (PC-F.4),
 * such as "no such register"; NULL: it is no error word. */
const char *nvidia_error_word(uint32_t value);

#endif
