/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks the user a question: through the program of GIT_ASKPASS, core.askPass or SSH_ASKPASS, else on the
 * terminal (gitcredentials(7), "REQUESTING CREDENTIALS").
 */
#ifndef CREDENTIAL_ASK_H
#define CREDENTIAL_ASK_H

#include "compat/posix.h"
#include "config/config.h"
#include "util/err.h"

/*
 * *answer: the first line; free it with secret_free. hidden: the terminal does not echo the input. Its settings are
 * restored, also if a signal ends us. config may be NULL.
 *
 * ERR_ABORTED "terminal prompts disabled" (GIT_TERMINAL_PROMPT), or there is no terminal; ERR_INVALID. If the program
 * fails, warn (NULL: no warning) is called, and the terminal is used instead.
 */
MUST_USE int ask_user(char **answer, const char *prompt, bool hidden, const struct config_set *config,
		      void (*warn)(void *data, const char *msg), void *warn_data, struct err *err);

#endif
