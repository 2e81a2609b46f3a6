/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A question to the user: by the program of GIT_ASKPASS, core.askPass or SSH_ASKPASS, else on the terminal
 * (gitcredentials(7), "REQUESTING CREDENTIALS").
 */
#ifndef TRANSPORT_ASK_H
#define TRANSPORT_ASK_H

#include "compat/posix.h"
#include "config/config.h"
#include "util/err.h"

/*
 * *answer: the first line, to be freed by secret_free. With `hidden` the terminal does not show what is typed; its
 * settings are restored also if a signal ends us. config may be NULL.
 *
 * ERR_ABORTED "terminal prompts disabled" (GIT_TERMINAL_PROMPT), or there is no terminal; ERR_INVALID. A program that
 * fails is told by warn (NULL: nobody), and the terminal asked instead.
 */
MUST_USE int ask_user(char **answer, const char *prompt, bool hidden, const struct config_set *config,
		      void (*warn)(void *data, const char *msg), void *warn_data, struct err *err);

#endif
