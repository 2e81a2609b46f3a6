/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ids of patches in a text, as log and format-patch print it. A patch begins with a line "diff ", and ends before a line
 * that names a commit, or with one that belongs to no patch.
 *
 *   OUTSIDE --"diff "--> HEADER --"--- "--> HUNKS --"diff "--> HEADER
 *                        HEADER --"GIT binary patch"--> BINARY --"diff "--> HEADER
 */
#include "compat/posix.h"
#include "diff/patch-id.h"
#include "util/alloc.h"

#define NO_NEWLINE_MIN 12 /* a shorter line "\\ ..." is none of "\\ No newline at end of file" */

enum patch_place { OUTSIDE, HEADER, HUNKS, BINARY };

struct patch_ids {
	const struct hash_algo *algo;
	enum patch_id_kind kind;
	patch_id_fn fn;
	void *data;
	struct object_id commit, sum;
	struct hash_ctx hash;
	enum patch_place place;
	long before, after; /* lines of the hunk that are still to come */
	bool any;	       /* something has been hashed */
	char *old_id, *new_id; /* of the line "index"; or NULL */
};

static void begin_patch(struct patch_ids *p, const struct object_id *commit)
{
	if (commit)
		p->commit = *commit;
	else
		p->commit = p->algo->null_oid;
	p->sum = p->algo->null_oid;
	hash_release(&p->hash);
	hash_init(&p->hash, p->algo);
	p->place = OUTSIDE;
	p->any = false;
	p->before = p->after = 0;
}

struct patch_ids *patch_ids_new(const struct hash_algo *algo, enum patch_id_kind kind, patch_id_fn fn, void *data)
{
	struct patch_ids *p = xcalloc(1, sizeof(*p));

	*p = (struct patch_ids){ .algo = algo, .kind = kind, .fn = fn, .data = data };
	hash_init(&p->hash, algo);
	begin_patch(p, NULL);
	return p;
}

/* Add the hash to the sum, the first byte being the lowest, and begin a new one. */
static void add_to_sum(struct patch_ids *p)
{
	struct object_id part;
	unsigned carry = 0;

	(void)hash_final(&p->hash, &part);
	for (size_t i = 0; i < p->algo->raw_len; i++) {
		carry += (unsigned)p->sum.hash[i] + part.hash[i];
		p->sum.hash[i] = (unsigned char)carry;
		carry >>= 8;
	}
	hash_release(&p->hash);
	hash_init(&p->hash, p->algo);
}

static void end_patch(struct patch_ids *p, const struct object_id *next)
{
	add_to_sum(p);
	if (p->any)
		p->fn(p->data, &p->sum, &p->commit);
	begin_patch(p, next);
}

static void hash_patch_line(struct patch_ids *p, const char *line)
{
	for (const char *s = line; *s; s++)
		if (p->kind == PATCH_ID_VERBATIM || !isspace((unsigned char)*s)) {
			hash_update(&p->hash, s, 1);
			p->any = true;
		}
}

/* "N" or "N,M": M, or 1. */
static const char *hunk_range(const char *s, long *lines)
{
	char *end;

	*lines = 1;
	if (!isdigit((unsigned char)*s))
		return NULL;
	strtol(s, &end, 10);
	if (*end == ',')
		*lines = strtol(end + 1, &end, 10);
	return end;
}

static void begin_hunk(struct patch_ids *p, const char *line)
{
	long before, after;
	const char *s = hunk_range(line + 4, &before);

	if (!s || !skip_prefix(s, " +", &s) || !hunk_range(s, &after))
		return;
	p->before = before;
	p->after = after;
}

/* "index OLD..NEW MODE" */
static void note_ids(struct patch_ids *p, const char *ids)
{
	const char *dots = strstr(ids, "..");

	if (!dots)
		return;
	free(p->old_id);
	free(p->new_id);
	p->old_id = xmemdupz(ids, (size_t)(dots - ids));
	p->new_id = xmemdupz(dots + 2, strcspn(dots + 2, " \n"));
}

static void begin_binary(struct patch_ids *p)
{
	if (p->old_id) {
		hash_update(&p->hash, p->old_id, strlen(p->old_id));
		hash_update(&p->hash, p->new_id, strlen(p->new_id));
	}
	p->place = BINARY;
	if (p->kind != PATCH_ID_UNSTABLE)
		add_to_sum(p);
}

/* False: the patch has ended before this line. */
static bool take_header_line(struct patch_ids *p, const char *line)
{
	const char *ids;

	if (starts_with(line, "GIT binary patch") || starts_with(line, "Binary files")) {
		begin_binary(p);
	} else if (skip_prefix(line, "index ", &ids)) {
		note_ids(p, ids);
	} else if (starts_with(line, "--- ")) {
		p->place = HUNKS;
		p->before = 0;
		p->after = 1; /* "+++ " */
		hash_patch_line(p, line);
	} else if (isalpha((unsigned char)*line)) {
		hash_patch_line(p, line);
	} else {
		return false;
	}
	return true;
}

static bool take_hunk_line(struct patch_ids *p, const char *line)
{
	if (!p->before && !p->after) {
		if (starts_with(line, "@@ -")) {
			begin_hunk(p, line);
			return true;
		}
		if (!starts_with(line, "diff "))
			return false;
		if (p->kind != PATCH_ID_UNSTABLE)
			add_to_sum(p);
		p->place = HEADER;
		hash_patch_line(p, line);
		return true;
	}
	p->before -= *line == '-' || *line == ' ';
	p->after -= *line == '+' || *line == ' ';
	hash_patch_line(p, line);
	return true;
}

static bool take_patch_line(struct patch_ids *p, const char *line)
{
	switch (p->place) {
	case OUTSIDE:
		if (starts_with(line, "diff ")) {
			p->place = HEADER;
			hash_patch_line(p, line);
		}
		return true;
	case HEADER:
		return take_header_line(p, line);
	case HUNKS:
		/* Git takes a hunk with a line too much, as one without "+++ ", for a header */
		return p->before == -1 ? take_header_line(p, line) : take_hunk_line(p, line);
	case BINARY:
		if (starts_with(line, "diff "))
			p->place = HEADER;
		return true;
	}
	return true;
}

void patch_ids_line(struct patch_ids *p, const char *line)
{
	struct object_id next;
	const char *s = line;

	if (!skip_prefix(line, "commit ", &s) && !skip_prefix(line, "From ", &s) && starts_with(line, "\\ ") &&
	    strlen(line) > NO_NEWLINE_MIN) {
		if (p->kind == PATCH_ID_VERBATIM) /* which makes no patch by itself */
			hash_update(&p->hash, line, strlen(line));
		return;
	}
	if (!oid_parse_hex(&next, s, p->algo, NULL))
		end_patch(p, &next);
	else if (!take_patch_line(p, line))
		end_patch(p, NULL);
}

void patch_ids_end(struct patch_ids *p)
{
	end_patch(p, NULL);
	hash_release(&p->hash);
	free(p->old_id);
	free(p->new_id);
	free(p);
}
