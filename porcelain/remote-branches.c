/* SPDX-License-Identifier: GPL-2.0-only */
/* What the branches say of remotes: branch.<name>.remote, .merge, .rebase and .pushRemote of git-config(1). */
#include "compat/posix.h"
#include "porcelain/remote.h"
#include "util/alloc.h"

struct reading {
	struct string_list *out;
	repo_warn_fn warn;
	void *data;
};

static void remote_branches_tell(const struct reading *rd, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void remote_branches_tell(const struct reading *rd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vreport(rd->warn, rd->data, fmt, ap);
	va_end(ap);
}

static struct remote_branch *branch_of(struct string_list *out, const char *name)
{
	struct string_list_item *item = string_list_insert(out, name);
	struct remote_branch *b = item->util;

	if (!b) {
		b = xcalloc(1, sizeof(*b));
		b->name = xstrdup(name);
		strvec_init(&b->merge);
		item->util = b;
	}
	return b;
}

static enum rebase_kind rebase_kind(const struct reading *rd, const struct config_entry *e)
{
	int yes = config_parse_maybe_bool(e->value);

	if (yes >= 0)
		return yes ? REBASE_PLAIN : REBASE_NOT;
	if (!strcmp(e->value, "merges") || !strcmp(e->value, "m"))
		return REBASE_MERGES;
	if (!strcmp(e->value, "interactive") || !strcmp(e->value, "i"))
		return REBASE_INTERACTIVE;
	remote_branches_tell(rd, "unhandled %s=%s; assuming 'true'", e->key, e->value);
	return REBASE_NOT;
}

static void read_key(struct reading *rd, const struct config_entry *e, const char *rest)
{
	const char *dot = strrchr(rest, '.'), *value = e->value ? e->value : "";
	struct remote_branch *b;
	char *name;

	if (!dot || (strcmp(dot, ".remote") && strcmp(dot, ".merge") && strcmp(dot, ".rebase") &&
		     strcmp(dot, ".pushremote")))
		return;
	name = xstrndup(rest, (size_t)(dot - rest));
	b = branch_of(rd->out, name);
	if (!strcmp(dot, ".remote")) {
		if (b->remote)
			remote_branches_tell(rd, "more than one %s", e->key);
		b->remote = value;
	} else if (!strcmp(dot, ".pushremote")) {
		b->push_remote = value;
	} else if (!strcmp(dot, ".rebase")) {
		b->rebase = rebase_kind(rd, e);
	} else {
		skip_prefix(value, "refs/heads/", &value);
		strvec_push(&b->merge, value);
	}
	free(name);
}

void remote_branches_read(struct string_list *out, const struct config_set *c, repo_warn_fn warn, void *data)
{
	struct reading rd = { out, warn, data };
	const char *rest;

	for (size_t i = 0; i < config_nr(c); i++)
		if (skip_prefix(config_at(c, i)->key, "branch.", &rest))
			read_key(&rd, config_at(c, i), rest);
}

static void branch_free(void *p)
{
	struct remote_branch *b = p;

	strvec_clear(&b->merge);
	free(b->name);
	free(b);
}

void remote_branches_release(struct string_list *branches)
{
	string_list_clear(branches, branch_free);
}
