/* SPDX-License-Identifier: GPL-2.0-only */
/* What every fuzz target has. Returns 0; anything that is wrong aborts. */
#ifndef T_FUZZ_FUZZ_H
#define T_FUZZ_FUZZ_H

#include "compat/posix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
