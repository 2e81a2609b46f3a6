/* SPDX-License-Identifier: GPL-2.0-only */
/* Terminal colours as git-config(1) describes them ("bold red", "#ff0ab3", "reset"). */
#ifndef UTIL_COLOR_H
#define UTIL_COLOR_H

#include "compat/posix.h"

#define COLOR_MAXLEN 75
#define COLOR_RESET "\033[m"
#define COLOR_REVERSE "\033[7m"
enum color_when { COLOR_NEVER = 0, COLOR_ALWAYS = 1, COLOR_AUTO = 2, COLOR_UNSET = -1 };

/* Escape sequence for a value of a color.* variable; -1 if malformed. */
int color_parse(const char *value, char out[COLOR_MAXLEN]);
/* "never", "false", "always", "auto", "true"; COLOR_UNSET if none of them. */
enum color_when color_when_parse(const char *value);
/* Resolve AUTO: fd is a terminal (or a pager in use) and TERM is not dumb. */
bool color_wanted(enum color_when when, int fd, bool pager_in_use);

#endif
