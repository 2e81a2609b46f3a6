/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that tell nothing: the same text always becomes the same name. */
#include "compat/posix.h"
#include "builtin/stream/export.h"
#include "object/ident.h"
#include "util/alloc.h"

void anonymizer_release(struct anonymizer *a)
{
	strmap_clear(&a->wanted, free);
	strmap_clear(&a->paths.map, free);
	strmap_clear(&a->refs.map, free);
	strmap_clear(&a->idents.map, free);
	strmap_clear(&a->tags.map, free);
	strmap_clear(&a->ids.map, free);
}

bool anonymizer_keep(struct anonymizer *a, const char *map)
{
	const char *colon = strchr(map, ':');
	size_t len = colon ? (size_t)(colon - map) : strlen(map);
	char *from = xstrndup(map, len);

	if (len && (!colon || colon[1]))
		free(strmap_put(&a->wanted, from, xstrdup(colon ? colon + 1 : map)));
	free(from);
	return len && (!colon || colon[1]);
}

typedef char *(*new_name_fn)(unsigned nr);

static const char *name_for(struct anonymizer *a, struct anonymous_names *names, const char *text, size_t len,
			    new_name_fn fn)
{
	const char *found = strmap_get_mem(&a->wanted, text, len);
	char *key, *name;

	if (!found)
		found = strmap_get_mem(&names->map, text, len);
	if (found)
		return found;
	key = xstrndup(text, len);
	name = fn(names->nr++);
	(void)strmap_put(&names->map, key, name);
	free(key);
	return name;
}

/* Each part between slashes by itself. */
static void add_parts(struct anonymizer *a, struct anonymous_names *names, const char *path, new_name_fn fn,
		      struct strbuf *out)
{
	while (*path) {
		size_t len = strcspn(path, "/");

		strbuf_addstr(out, name_for(a, names, path, len, fn));
		path += len;
		if (*path)
			strbuf_addch(out, *path++);
	}
}

static char *new_path(unsigned nr)
{
	return xstrfmt("path%u", nr);
}

void anonymize_path(struct anonymizer *a, const char *path, struct strbuf *out)
{
	add_parts(a, &a->paths, path, new_path, out);
}

static char *new_ref(unsigned nr)
{
	return xstrfmt("ref%u", nr);
}

void anonymize_ref(struct anonymizer *a, const char *name, struct strbuf *out)
{
	static const char *const prefixes[] = { "refs/heads/", "refs/tags/", "refs/remotes/", "refs/" };
	const char *rest = name;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes) && rest == name; i++)
		(void)skip_prefix(name, prefixes[i], &rest);
	strbuf_add(out, name, (size_t)(rest - name));
	add_parts(a, &a->refs, rest, new_ref, out);
}

static char *new_ident(unsigned nr)
{
	return xstrfmt("User %u <user%u@example.com>", nr, nr);
}

void anonymize_ident(struct anonymizer *a, const char *ident, size_t len, struct strbuf *out)
{
	struct ident_split id;

	if (ident_split_line(&id, ident, len) < 0 || !id.has_date) {
		strbuf_addstr(out, "Malformed Ident <malformed@example.com> 0 -0000");
		return;
	}
	strbuf_addstr(out, name_for(a, &a->idents, id.name, (size_t)(id.mail + id.mail_len - id.name), new_ident));
	strbuf_addch(out, ' ');
	strbuf_add(out, id.mail + id.mail_len + 2, len - (size_t)(id.mail + id.mail_len + 2 - ident));
}

static char *new_id(unsigned nr)
{
	return xstrfmt("%x", nr + 1);
}

void anonymize_id(struct anonymizer *a, const struct object_id *oid, struct strbuf *out)
{
	const char *hex = oid_hex(oid);
	const size_t len = strlen(hex);
	const char *id = name_for(a, &a->ids, hex, len, new_id);

	strbuf_addchars(out, '0', len - strlen(id));
	strbuf_addstr(out, id);
}

static char *new_tag_message(unsigned nr)
{
	return xstrfmt("tag message %u", nr);
}

void anonymize_tag_message(struct anonymizer *a, const char *msg, size_t len, struct strbuf *out)
{
	strbuf_addstr(out, name_for(a, &a->tags, msg, len, new_tag_message));
}

void anonymize_commit_message(struct anonymizer *a, struct strbuf *out)
{
	strbuf_addf(out, "subject %u\n\nbody\n", a->messages++);
}

void anonymize_blob(struct anonymizer *a, struct strbuf *out)
{
	strbuf_addf(out, "anonymous blob %u", a->blobs++);
}
