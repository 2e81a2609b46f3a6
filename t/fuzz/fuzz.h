/* SPDX-License-Identifier: GPL-2.0-only */
/* The function that every fuzz target defines. Returns 0; aborts if something is wrong. */
#ifndef T_FUZZ_FUZZ_H
#define T_FUZZ_FUZZ_H

#include "compat/posix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
