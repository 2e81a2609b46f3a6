/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration of a clone, for ourselves and in its file: git-clone(1), git-config(1). */
#include "compat/posix.h"
#include "porcelain/clone/clone-internal.h"
#include "porcelain/remote-credentials.h"
#include "util/alloc.h"

/* ---- what goes into the file ---- */

static void clone_config_add(struct clone_config *cc, const char *value, bool append,
			     const char *fmt, ...) PRINTF_LIKE(4, 5);

static void clone_config_add(struct clone_config *cc, const char *value, bool append,
			     const char *fmt, ...)
{
	va_list ap;
	char *key;

	va_start(ap, fmt);
	key = xvstrfmt(fmt, ap);
	va_end(ap);
	ALLOC_GROW(cc->edits, cc->nr + 1, cc->alloc);
	cc->edits[cc->nr++] = (struct config_edit){
		.key = strvec_push(&cc->pool, key), .value = strvec_push(&cc->pool, value),
		.append = append, .multi = !append,
	};
	free(key);
}

/* One branch has been chosen: later fetches bring this one. */
static void clone_config_add_single(struct clone_config *cc, const struct clone *c)
{
	for (size_t i = 0; i < c->remote->fetch.nr; i++) {
		const struct refspec_item *item = &c->remote->fetch.items[i];

		if (item->src && item->dst && !item->pattern)
			clone_config_add(cc, item->text, true, "remote.%s.fetch", c->o->origin);
	}
}

static void add_fetch(struct clone_config *cc, const struct clone *c)
{
	const struct clone_options *o = c->o;
	char *text;

	if (o->mirror) {
		clone_config_add(cc, "+refs/*:refs/*", true, "remote.%s.fetch", o->origin);
		clone_config_add(cc, "true", false, "remote.%s.mirror", o->origin);
	} else if (!c->bare && o->single_branch) {
		clone_config_add_single(cc, c);
	} else if (!c->bare) {
		text = xstrfmt("+refs/heads/*:refs/remotes/%s/*", o->origin);
		clone_config_add(cc, text, true, "remote.%s.fetch", o->origin);
		free(text);
	}
}

/* branch.autoSetupRebase: a cloned branch always comes from a remote. */
static bool rebases(const struct clone_options *o)
{
	const struct config_entry *e = config_get(o->config, "branch.autosetuprebase");

	return e && e->value && (!strcmp(e->value, "always") || !strcmp(e->value, "remote"));
}

void clone_config_make(struct clone_config *out, const struct clone *c)
{
	const struct clone_options *o = c->o;
	const char *name;

	if (o->filter)
		clone_config_add(out, "1", false, "core.repositoryformatversion");
	if (o->sparse)
		clone_config_add(out, "true", false, "extensions.worktreeConfig");
	for (size_t i = 0; i < o->nr_extra; i++)
		clone_config_add(out, o->extra[i].value, true, "%s", o->extra[i].key);
	clone_config_add(out, o->url, true, "remote.%s.url", o->origin);
	if (!o->revision) {
		if (o->no_tags || o->mirror)
			clone_config_add(out, "--no-tags", false, "remote.%s.tagOpt", o->origin);
		add_fetch(out, c);
	}
	if (o->filter) {
		clone_config_add(out, "true", false, "remote.%s.promisor", o->origin);
		clone_config_add(out, o->filter, false, "remote.%s.partialclonefilter", o->origin);
	}
	if (!c->bare && c->branch && skip_prefix(c->branch, "refs/heads/", &name)) {
		clone_config_add(out, o->origin, false, "branch.%s.remote", name);
		clone_config_add(out, c->branch, false, "branch.%s.merge", name);
		if (rebases(o))
			clone_config_add(out, "true", false, "branch.%s.rebase", name);
	}
}

void clone_config_release(struct clone_config *cc)
{
	free(cc->edits);
	strvec_clear(&cc->pool);
}

/* ---- the remote ---- */

int clone_make_remote(struct clone *c, struct err *err)
{
	const struct clone_options *o = c->o;
	char *key = xstrfmt("remote.%s.url", o->origin), *url;
	const struct config_edit edit = { .key = key, .value = o->url, .append = true };
	struct config_set *set = config_set_new();
	struct strbuf text = STRBUF_INIT;
	int rc = config_text_edit(&text, &edit, "the new configuration", err);

	/* The user's, as they have been read, and the one line that makes it a remote. */
	for (size_t i = 0; !rc && i < config_nr(o->config); i++) {
		const struct config_entry *e = config_at(o->config, i);
		const struct config_edit copy = { .key = e->key, .value = e->value ? e->value : "true", .append = true };

		if (starts_with(e->key, "remote.") || starts_with(e->key, "url."))
			rc = config_text_edit(&text, &copy, "the configuration", err);
	}
	if (!rc)
		rc = config_set_read_buf(set, text.buf, text.len, "the new configuration", CONFIG_ORIGIN_FILE,
					 CONFIG_SCOPE_LOCAL, NULL, err);
	if (!rc)
		rc = remotes_read(&c->remotes, set, hash_sha1, o->warn, o->data, err);
	if (!rc)
		rc = remotes_get(c->remotes, o->origin, &c->remote, err);
	if (!rc) {
		url = remotes_rewrite_url(c->remotes, o->url, false);
		strvec_clear(&c->remote->urls);
		strvec_push(&c->remote->urls, url);
		free(url);
		rc = remote_check_credentials(o->config, c->remote, err);
	}
	strbuf_release(&text);
	config_set_free(set);
	free(key);
	return rc;
}
