/* SPDX-License-Identifier: GPL-2.0-only */
/* Colour by configuration: color.* of git-config(1). */
#include "compat/posix.h"
#include "cli/cli.h"
#include "util/alloc.h"
#include "util/color.h"

static enum color_when configured(const struct config_set *c, const char *key)
{
	const char *const keys[] = { key, "diff.color" }; /* the old name of color.diff */
	const struct config_entry *e = config_get_last(c, keys, strcmp(key, "color.diff") ? 1 : 2);

	if (!e)
		return COLOR_UNSET;
	return e->value ? color_when_parse(e->value) : COLOR_AUTO;
}

bool want_color(struct repository *r, const char *config_key, int fd)
{
	const struct config_set *c = command_config(r);
	char *key = strchr(config_key, '.') ? xstrdup(config_key) : xstrfmt("color.%s", config_key);
	enum color_when when = configured(c, key);
	bool in_pager = true;

	if (when == COLOR_UNSET)
		when = configured(c, "color.ui");
	if (when == COLOR_UNSET)
		when = COLOR_AUTO;
	if (config_get_bool(c, "color.pager", &in_pager, NULL) < 0)
		in_pager = true;
	free(key);
	return color_wanted(when, fd, fd == STDOUT_FILENO && pager_in_use() && in_pager);
}
