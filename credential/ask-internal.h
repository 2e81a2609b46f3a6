/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of transport/ask*.c share. */
#ifndef CREDENTIAL_ASK_INTERNAL_H
#define CREDENTIAL_ASK_INTERNAL_H

#include "credential/ask.h"

/* On /dev/tty. */
MUST_USE int ask_on_terminal(char **answer, const char *prompt, bool hidden, struct err *err);

#endif
