/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Linked into every unit test: makes it independent of the caller's environment. Resets
 * variables of Git (many are set in hooks and by `git rebase --exec`), language, time zone,
 * umask, and ignored signals (nohup, background jobs). t/test-lib.sh does the same for scripts.
 */
#include "compat/posix.h"
#include <signal.h>
#include "util/alloc.h"
#include "util/strbuf.h"

extern char **environ;

static bool is_for_tests(const char *variable)
{
	return starts_with(variable, "GIT_BUILD_DIR=");
}

static void unset_git_variables(void)
{
	char **p = environ;

	while (*p) {
		char *name;

		if (!starts_with(*p, "GIT_") || is_for_tests(*p)) {
			p++;
			continue;
		}
		name = xstrndup(*p, strcspn(*p, "="));
		unsetenv(name);
		free(name);
		p = environ; /* it may have moved */
	}
}

__attribute__((constructor)) static void clean_surroundings(void)
{
	static const int signals[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD,
	};

	unset_git_variables();
	setenv("LC_ALL", "C", 1);
	unsetenv("LANGUAGE");
	setenv("TZ", "UTC", 1);
	umask(022);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_DFL);
}
