/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration of the running command, in a repository or outside of one. */
#include "compat/posix.h"
#include "cli/cli.h"
#include "repo/settings.h"

static struct repository *command_repo;
static struct config_set *outside; /* when there is no repository */

void set_command_repo(struct repository *r)
{
	command_repo = r;
}

const struct config_set *command_config(struct repository *r)
{
	if (!r)
		r = command_repo;
	if (r)
		return r->config;
	if (!outside) {
		static const struct config_include_ctx nowhere = { NULL, NULL, NULL };

		outside = config_set_new();
		/* the command has reported its errors when it read the file itself */
		if (config_set_read_all(outside, NULL, NULL, false, &nowhere, NULL) < 0) {
			config_set_free(outside);
			outside = config_set_new();
		}
	}
	return outside;
}

struct fsync_policy command_fsync_policy(void)
{
	struct fsync_policy policy = FSYNC_POLICY_DEFAULT;
	struct repo_settings settings;

	if (!repo_settings_read(&settings, command_config(NULL), hash_sha1, NULL, NULL, NULL) ||
	    settings.fsync.components)
		policy = settings.fsync;
	repo_settings_release(&settings);
	return policy;
}
