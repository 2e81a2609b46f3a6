/* SPDX-License-Identifier: GPL-2.0-only */
/* The set of entries, in order and by key. */
#include "compat/posix.h"
#include "config/config-internal.h"
#include "util/alloc.h"

/* All entries of one key, oldest first. */
struct key_values {
	const struct config_entry **v;
	size_t nr, alloc;
};

struct config_set {
	struct config_entry **entries;
	size_t nr, alloc;
	struct strmap by_key; /* struct key_values */
	struct strmap names;  /* char *, for config_set_intern */
};

struct config_set *config_set_new(void)
{
	struct config_set *c = xcalloc(1, sizeof(*c));

	strmap_init(&c->by_key);
	strmap_init(&c->names);
	return c;
}

static void key_values_free(void *p)
{
	struct key_values *kv = p;

	free(kv->v);
	free(kv);
}

void config_set_free(struct config_set *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nr; i++) {
		free(c->entries[i]->key);
		free(c->entries[i]->value);
		free(c->entries[i]);
	}
	free(c->entries);
	strmap_clear(&c->by_key, key_values_free);
	strmap_clear(&c->names, free);
	free(c);
}

const char *config_set_intern(struct config_set *c, const char *name)
{
	char *known;

	if (!name)
		return NULL;
	known = strmap_get(&c->names, name);
	if (!known) {
		known = xstrdup(name);
		strmap_put(&c->names, name, known);
	}
	return known;
}

void config_set_add(struct config_set *c, const char *key, const char *value,
		    enum config_scope scope, enum config_origin origin,
		    const char *interned_file, int line)
{
	struct config_entry *e = xcalloc(1, sizeof(*e));
	struct key_values *kv = strmap_get(&c->by_key, key);

	e->key = xstrdup(key);
	e->value = value ? xstrdup(value) : NULL;
	e->scope = scope;
	e->origin = origin;
	e->file = interned_file;
	e->line = line;
	ALLOC_GROW(c->entries, c->nr + 1, c->alloc);
	c->entries[c->nr++] = e;

	if (!kv) {
		kv = xcalloc(1, sizeof(*kv));
		strmap_put(&c->by_key, key, kv);
	}
	ALLOC_GROW(kv->v, kv->nr + 1, kv->alloc);
	kv->v[kv->nr++] = e;
}

size_t config_nr(const struct config_set *c)
{
	return c->nr;
}

const struct config_entry *config_at(const struct config_set *c, size_t i)
{
	return c->entries[i];
}

/* `key` may have capital letters, as manual pages spell it ("core.fsyncMethod"). */
static const struct key_values *find(const struct config_set *c, const char *key)
{
	struct strbuf canonical = STRBUF_INIT;
	const struct key_values *kv = strmap_get(&c->by_key, key);

	/* Nearly all keys are spelled in lower case, and most are not set. */
	if (!kv && strpbrk(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && !config_key_parse(&canonical, key, NULL))
		kv = strmap_get(&c->by_key, canonical.buf);
	strbuf_release(&canonical);
	return kv;
}

const struct config_entry *config_get(const struct config_set *c, const char *key)
{
	const struct key_values *kv = find(c, key);

	return kv ? kv->v[kv->nr - 1] : NULL;
}

const struct config_entry *config_get_last(const struct config_set *c, const char *const *keys, size_t nr)
{
	const struct config_entry *found = NULL;

	for (size_t i = 0; i < nr; i++) {
		const struct config_entry *e = config_get(c, keys[i]);
		size_t at = c->nr;

		while (found && e && c->entries[--at] != e)
			if (c->entries[at] == found)
				e = NULL;
		if (e)
			found = e;
	}
	return found;
}

const struct config_entry *const *config_get_all(const struct config_set *c,
						 const char *key, size_t *nr)
{
	const struct key_values *kv = find(c, key);

	*nr = kv ? kv->nr : 0;
	return kv ? kv->v : NULL;
}

const char *config_scope_name(enum config_scope s)
{
	static const char *const names[] = {
		[CONFIG_SCOPE_UNKNOWN] = "unknown", [CONFIG_SCOPE_SYSTEM] = "system",
		[CONFIG_SCOPE_GLOBAL] = "global", [CONFIG_SCOPE_LOCAL] = "local",
		[CONFIG_SCOPE_WORKTREE] = "worktree", [CONFIG_SCOPE_COMMAND] = "command",
	};

	return names[s];
}

void config_describe_origin(struct strbuf *out, enum config_origin origin, const char *file)
{
	switch (origin) {
	case CONFIG_ORIGIN_FILE:
		strbuf_addf(out, "file %s", file);
		break;
	case CONFIG_ORIGIN_STDIN:
		strbuf_addstr(out, "standard input");
		break;
	case CONFIG_ORIGIN_BLOB:
		strbuf_addf(out, "blob %s", file);
		break;
	case CONFIG_ORIGIN_CMDLINE:
		strbuf_addstr(out, "command line");
		break;
	}
}
