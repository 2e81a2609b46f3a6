/* SPDX-License-Identifier: GPL-2.0-only */
/* The REUC extension: the stages of conflicts that have been resolved. */
#include "compat/posix.h"
#include "index/index-internal.h"
#include "util/alloc.h"

static struct resolve_undo *resolve_undo_new(void)
{
	struct resolve_undo *ru = xmalloc(sizeof(*ru));

	ru->paths = (struct string_list)STRING_LIST_INIT;
	return ru;
}

void resolve_undo_free(struct resolve_undo **ru)
{
	if (*ru)
		string_list_clear(&(*ru)->paths, free);
	FREE_AND_NULL(*ru);
}

/* Octal digits and a NUL; NULL if there is anything else. */
static const char *read_octal(const char *p, const char *end, unsigned *out)
{
	unsigned v = 0;
	const char *start = p;

	for (; p < end && *p >= '0' && *p <= '7' && v < 01000000; p++)
		v = v << 3 | (unsigned)(*p - '0');
	if (p == start || p >= end || *p)
		return NULL;
	*out = v;
	return p + 1;
}

static const char *read_info(struct resolve_undo_info *info, const char *p, const char *end,
			     const struct hash_algo *algo)
{
	for (int i = 0; i < 3; i++) {
		p = read_octal(p, end, &info->mode[i]);
		if (!p)
			return NULL;
	}
	for (int i = 0; i < 3; i++) {
		if (!info->mode[i])
			continue;
		if ((size_t)(end - p) < algo->raw_len)
			return NULL;
		oid_from_raw(&info->oid[i], (const unsigned char *)p, algo);
		p += algo->raw_len;
	}
	return p;
}

int resolve_undo_read(struct resolve_undo **out, const void *ext, size_t len,
		      const struct hash_algo *algo, struct err *err)
{
	struct resolve_undo *ru = resolve_undo_new();
	const char *p = ext, *end = p + len;

	while (p < end) {
		const char *path = p;
		struct resolve_undo_info info = { { 0 }, { algo->null_oid, algo->null_oid,
							   algo->null_oid } };
		struct string_list_item *item;

		p = memchr(p, 0, (size_t)(end - p));
		p = p ? read_info(&info, p + 1, end, algo) : NULL;
		if (!p || !*path) {
			resolve_undo_free(&ru);
			return err_set(err, ERR_CORRUPT, "malformed REUC extension");
		}
		item = string_list_append(&ru->paths, path);
		item->util = xmemdup(&info, sizeof(info));
	}
	string_list_sort(&ru->paths);
	string_list_remove_duplicates(&ru->paths, free);
	*out = ru;
	return 0;
}

void resolve_undo_write(struct strbuf *out, const struct resolve_undo *ru)
{
	for (size_t i = 0; i < ru->paths.nr; i++) {
		const struct resolve_undo_info *info = ru->paths.items[i].util;

		strbuf_addstr(out, ru->paths.items[i].string);
		strbuf_addch(out, 0);
		for (int k = 0; k < 3; k++) {
			strbuf_addf(out, "%o", info->mode[k]);
			strbuf_addch(out, 0);
		}
		for (int k = 0; k < 3; k++)
			if (info->mode[k])
				strbuf_add(out, info->oid[k].hash, oid_raw_len(&info->oid[k]));
	}
}

void resolve_undo_record(struct index_state *ix, const struct index_entry *e)
{
	struct string_list_item *item;
	struct resolve_undo_info *info;

	if (!e->stage)
		return;
	if (!ix->resolve_undo)
		ix->resolve_undo = resolve_undo_new();
	item = string_list_insert(&ix->resolve_undo->paths, e->name);
	if (!item->util)
		item->util = xcalloc(1, sizeof(*info));
	info = item->util;
	info->mode[e->stage - 1] = e->mode;
	info->oid[e->stage - 1] = e->oid;
}

const struct resolve_undo_info *resolve_undo_find(const struct index_state *ix, const char *path)
{
	const struct string_list_item *item;

	if (!ix->resolve_undo)
		return NULL;
	item = string_list_lookup(&ix->resolve_undo->paths, path);
	return item ? item->util : NULL;
}

void resolve_undo_remove(struct index_state *ix, const char *path)
{
	struct string_list *l = &ix->resolve_undo->paths;
	struct string_list_item *item = string_list_lookup(l, path);
	size_t at = (size_t)(item - l->items);

	free(item->string);
	free(item->util);
	memmove(item, item + 1, (l->nr - at - 1) * sizeof(*item));
	l->nr--;
}

void resolve_undo_clear(struct index_state *ix)
{
	ix->changed |= ix->resolve_undo != NULL;
	resolve_undo_free(&ix->resolve_undo);
}
