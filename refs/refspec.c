/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "refs/refs.h"
#include "refs/refspec.h"
#include "util/alloc.h"

static void item_release(struct refspec_item *item)
{
	free(item->text);
	free(item->src);
	free(item->dst);
}

void refspec_release(struct refspec *rs)
{
	for (size_t i = 0; i < rs->nr; i++)
		item_release(&rs->items[i]);
	free(rs->items);
	*rs = (struct refspec)REFSPEC_INIT(rs->use);
}

/* ---- reading ---- */

static bool is_name(const char *s, bool pattern)
{
	return refname_is_valid(s, REFNAME_ALLOW_ONELEVEL | (pattern ? REFNAME_REFSPEC_PATTERN : 0));
}

/* Cut the text into its sides; the last colon parts them. */
static void split(struct refspec_item *item, const char *text)
{
	const char *colon = strrchr(text, ':');

	item->src = colon ? xstrndup(text, colon - text) : xstrdup(text);
	item->dst = colon ? xstrdup(colon + 1) : NULL;
	if (!strcmp(item->src, "@")) {
		free(item->src);
		item->src = xstrdup("HEAD");
	}
	item->pattern = strchr(item->src, '*') != NULL;
}

static bool check_negative(const struct refspec_item *item, const struct hash_algo *algo)
{
	struct object_id oid;

	return !item->dst && *item->src && oid_from_hex(&oid, item->src, algo) < 0 &&
	       is_name(item->src, item->pattern);
}

/* A pattern on one side needs one on the other; what a destination may be does not depend on the use. */
static bool check_sides(const struct refspec_item *item)
{
	if (!item->dst)
		return true;
	if (item->pattern != (strchr(item->dst, '*') != NULL))
		return false;
	return !*item->dst || is_name(item->dst, item->pattern);
}

static bool check_fetch(struct refspec_item *item, const struct hash_algo *algo)
{
	if (item->pattern && !item->dst)
		return false;
	item->exact_oid = !oid_from_hex(&item->oid, item->src, algo);
	return !*item->src || item->exact_oid || is_name(item->src, item->pattern);
}

/* The source of a push is any expression for an object, unless it says what the destination is called. */
static bool check_push(struct refspec_item *item)
{
	item->matching = item->dst && !*item->src && !*item->dst;
	if (item->matching)
		return true;
	if (item->dst && !*item->dst)
		return false;
	return item->dst && !item->pattern ? true : is_name(item->src, item->pattern);
}

int refspec_add(struct refspec *rs, const char *text, const struct hash_algo *algo, struct err *err)
{
	struct refspec_item item = { .force = *text == '+', .negative = *text == '^' };
	bool good;

	split(&item, text + (item.force || item.negative));
	if (item.negative)
		good = check_negative(&item, algo);
	else
		good = check_sides(&item) &&
		       (rs->use == REFSPEC_FETCH ? check_fetch(&item, algo) : check_push(&item));
	if (!good) {
		item_release(&item);
		return err_set(err, ERR_INVALID, "invalid refspec '%s'", text);
	}
	item.text = xstrdup(text);
	ALLOC_GROW(rs->items, rs->nr + 1, rs->alloc);
	rs->items[rs->nr++] = item;
	return 0;
}

/* ---- mapping ---- */

/* name is what `from` says: *out becomes what `to` (NULL: nothing) makes of it. */
static bool map(bool pattern, const char *from, const char *to, const char *name, struct strbuf *out)
{
	const char *star = pattern ? strchr(from, '*') : NULL, *to_star;
	size_t before, after, len = strlen(name);

	if (!star) {
		if (strcmp(from, name))
			return false;
	} else {
		before = star - from;
		after = strlen(star + 1);
		if (len < before + after || memcmp(name, from, before) ||
		    strcmp(name + len - after, star + 1))
			return false;
	}
	if (!out)
		return true;
	strbuf_reset(out);
	if (!to)
		return true;
	to_star = star ? strchr(to, '*') : NULL;
	if (!to_star) {
		strbuf_addstr(out, to);
		return true;
	}
	strbuf_add(out, to, to_star - to);
	strbuf_add(out, name + before, len - before - after);
	strbuf_addstr(out, to_star + 1);
	return true;
}

bool refspec_item_map(const struct refspec_item *item, const char *name, struct strbuf *out)
{
	return !item->negative && !item->matching &&
	       map(item->pattern, item->src, item->dst, name, out);
}

bool refspec_item_map_back(const struct refspec_item *item, const char *name, struct strbuf *out)
{
	return !item->negative && !item->matching && item->dst && *item->dst &&
	       map(item->pattern, item->dst, item->src, name, out);
}

bool refspec_has_places(const struct refspec *rs)
{
	for (size_t i = 0; i < rs->nr; i++)
		if (rs->items[i].dst && *rs->items[i].dst)
			return true;
	return false;
}

bool refspec_excludes(const struct refspec *rs, const char *name)
{
	for (size_t i = 0; i < rs->nr; i++)
		if (rs->items[i].negative && map(rs->items[i].pattern, rs->items[i].src, NULL, name, NULL))
			return true;
	return false;
}

const struct refspec_item *refspec_map(const struct refspec *rs, const char *name, struct strbuf *out)
{
	if (refspec_excludes(rs, name))
		return NULL;
	for (size_t i = 0; i < rs->nr; i++)
		if (refspec_item_map(&rs->items[i], name, out))
			return &rs->items[i];
	return NULL;
}

const struct refspec_item *refspec_map_back(const struct refspec *rs, const char *name, struct strbuf *out)
{
	struct strbuf src = STRBUF_INIT;
	const struct refspec_item *found = NULL;

	for (size_t i = 0; i < rs->nr && !found; i++)
		if (refspec_item_map_back(&rs->items[i], name, &src) && !refspec_excludes(rs, src.buf))
			found = &rs->items[i];
	if (found && out)
		strbuf_swap(out, &src);
	strbuf_release(&src);
	return found;
}

/* ---- prefixes ---- */

bool refspec_prefixes(const struct refspec *rs, struct strvec *out)
{
	bool limited = false;

	for (size_t i = 0; i < rs->nr; i++) {
		const struct refspec_item *item = &rs->items[i];
		/* The other side of a push has the destination. */
		const char *name = rs->use == REFSPEC_PUSH && item->dst ? item->dst : item->src;
		const char *star = item->pattern ? strchr(name, '*') : NULL;

		if (item->negative || item->exact_oid)
			continue;
		if (item->matching || star == name)
			return false;
		limited = true;
		if (star)
			strvec_pushf(out, "%.*s", (int)(star - name), name);
		else
			refname_expansions(*name ? name : "HEAD", out);
	}
	return limited;
}
