/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef COMPAT_CPUS_H
#define COMPAT_CPUS_H

/* Processors that this process may run on; at least 1. */
int os_cpu_count(void);

#endif
