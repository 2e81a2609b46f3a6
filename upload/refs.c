/* SPDX-License-Identifier: GPL-2.0-only */
/* The refs that a client of upload-pack sees, and the command "ls-refs" (gitprotocol-v2(5)). */
#include "compat/posix.h"
#include "upload/upload.h"
#include "util/alloc.h"

/* ---- what is there ---- */

struct served {
	struct upload_server *s;
	const struct strvec *prefixes; /* sorted; NULL: all */
	served_ref_fn fn;
	void *data;
};

const char *upload_symref_target(struct upload_server *s, const char *full_target)
{
	const char *name;

	return skip_prefix(full_target, s->prefix, &name) &&
	       !ref_is_hidden(&s->hidden, name, full_target) ? name : NULL;
}

/* Does it begin with one of the prefixes? Only the last one that is not behind it can be. */
static bool is_wanted(const struct strvec *prefixes, const char *name)
{
	size_t low = 0, high = prefixes->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(prefixes->v[mid], name) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low && starts_with(name, prefixes->v[low - 1]);
}

static int deliver(void *data, const struct ref *ref)
{
	struct served *v = data;
	struct upload_server *s = v->s;
	const char *name;

	if (!skip_prefix(ref->name, s->prefix, &name) || (v->prefixes && !is_wanted(v->prefixes, name)) ||
	    ref_is_hidden(&s->hidden, name, ref->name))
		return 0;
	if (!odb_has_quick(s->repo->odb, &ref->oid) && !odb_has(s->repo->odb, &ref->oid)) {
		repo_warn(s->repo, "%s does not point to a valid object", ref->name);
		return 0;
	}
	return v->fn(v->data, name, ref);
}

/* A HEAD that is not there, or is damaged, is not shown. What the callback says counts. */
static int deliver_head(struct served *v, struct err *err)
{
	struct upload_server *s = v->s;
	char *full = xconcat(s->prefix, "HEAD"), *target = NULL;
	struct object_id oid;
	struct ref ref = { .name = full, .oid = s->repo->algo->null_oid,
			   .peeled = s->repo->algo->null_oid };
	struct err why = ERR_INIT;
	int rc = ref_read_raw(s->repo->refs, full, &oid, &target, &why);

	if (!rc) {
		ref.symref_target = target;
		if (!ref_resolve(s->repo->refs, full, &ref.oid, NULL, NULL, NULL))
			rc = deliver(v, &ref);
	} else if (rc == ERR_NOT_FOUND || rc == ERR_CORRUPT) {
		if (rc == ERR_CORRUPT)
			repo_warn(s->repo, "ignoring %s: %s", full, err_message(&why));
		rc = 0;
	} else {
		err_move(err, &why);
	}
	err_release(&why);
	free(target);
	free(full);
	return rc;
}

int upload_refs_foreach(struct upload_server *s, served_ref_fn fn, void *data, struct err *err)
{
	struct served v = { s, NULL, fn, data };
	char *below = xconcat(s->prefix, "refs/");
	int rc = deliver_head(&v, err);

	if (!rc)
		rc = refs_foreach(s->repo->refs, below, 0, deliver, &v, err);
	free(below);
	return rc;
}

/* Sorted, and without those that begin with another one. */
static void simplify_prefixes(struct strvec *out, const struct strvec *prefixes)
{
	struct strvec all = STRVEC_INIT;

	strvec_pushv(&all, prefixes->v);
	strvec_sort_unique(&all);
	for (size_t i = 0; i < all.nr; i++)
		if (!out->nr || !starts_with(all.v[i], out->v[out->nr - 1]))
			strvec_push(out, all.v[i]);
	strvec_clear(&all);
}

/* More prefixes than this: all refs are read, and compared. */
#define PREFIXES_LOOKED_UP 64

int upload_refs_below(struct upload_server *s, const struct strvec *prefixes, served_ref_fn fn,
		      void *data, struct err *err)
{
	struct strvec sorted = STRVEC_INIT;
	struct served v = { s, &sorted, fn, data };
	int rc;

	if (!prefixes->nr)
		return upload_refs_foreach(s, fn, data, err);
	simplify_prefixes(&sorted, prefixes);
	rc = deliver_head(&v, err);
	if (sorted.nr > PREFIXES_LOOKED_UP) {
		char *below = xconcat(s->prefix, "refs/");

		if (!rc)
			rc = refs_foreach(s->repo->refs, below, 0, deliver, &v, err);
		free(below);
		strvec_clear(&sorted);
		return rc;
	}
	for (size_t i = 0; i < sorted.nr && !rc; i++) {
		char *below;

		if (!starts_with(sorted.v[i], "refs/") && !starts_with("refs/", sorted.v[i]))
			continue;
		below = xconcat(s->prefix, strlen(sorted.v[i]) < 5 ? "refs/" : sorted.v[i]);
		rc = refs_foreach(s->repo->refs, below, 0, deliver, &v, err);
		free(below);
	}
	strvec_clear(&sorted);
	return rc;
}

int upload_head_target(struct upload_server *s, char **out, struct err *err)
{
	char *full = xconcat(s->prefix, "HEAD"), *target = NULL;
	const char *name;
	struct object_id oid;
	int rc = ref_read_raw(s->repo->refs, full, &oid, &target, err);

	free(full);
	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	name = target ? upload_symref_target(s, target) : NULL;
	*out = name ? xstrdup(name) : NULL;
	free(target);
	return 0;
}

/* ---- ls-refs ---- */

/* So many are kept, and so many bytes of them. */
#define PREFIXES_MAX 65536
#define PREFIX_BYTES_MAX ((size_t)16 * 1024 * 1024)

struct ls_refs {
	struct upload_server *s;
	struct strvec prefixes;
	size_t prefix_bytes;
	bool peel, symrefs, unborn, head_seen, too_many;
};

static int print_ref(void *data, const char *name, const struct ref *ref)
{
	struct ls_refs *l = data;
	struct upload_server *s = l->s;
	struct strbuf line = STRBUF_INIT;
	struct object_id peeled = ref->peeled;
	const char *target;

	l->head_seen |= !strcmp(name, "HEAD");
	strbuf_add_oid(&line, &ref->oid);
	strbuf_addf(&line, " %s", name);
	if (l->symrefs && ref->symref_target &&
	    (target = upload_symref_target(s, ref->symref_target)))
		strbuf_addf(&line, " symref-target:%s", target);
	if (l->peel && !(ref->flags & REF_PEEL_KNOWN) &&
	    (object_peel(odb_source_unreplaced(s->repo->odb), &ref->oid, OBJ_ANY, &peeled, NULL,
			 NULL) < 0 || oid_eq(&peeled, &ref->oid)))
		peeled = s->repo->algo->null_oid;
	if (l->peel && !oid_is_null(&peeled)) {
		strbuf_addstr(&line, " peeled:");
		strbuf_add_oid(&line, &peeled);
	}
	strbuf_addch(&line, '\n');
	pkt_writer_add(&s->out, line.buf, line.len);
	strbuf_release(&line);
	return pkt_writer_failed(&s->out) ? ERR_IO : 0;
}

static int print_unborn(struct ls_refs *l, struct err *err)
{
	char *target;
	int rc = upload_head_target(l->s, &target, err);

	if (!rc && target)
		pkt_writer_addf(&l->s->out, "unborn HEAD%s%s\n",
				l->symrefs ? " symref-target:" : "", l->symrefs ? target : "");
	if (!rc)
		free(target);
	return rc;
}

static bool wants_head(const struct ls_refs *l)
{
	for (size_t i = 0; i < l->prefixes.nr; i++)
		if (starts_with("HEAD", l->prefixes.v[i]))
			return true;
	return !l->prefixes.nr;
}

/* Too many prefixes are none: more refs than were asked for may be shown. */
static void take_prefix(struct ls_refs *l, const char *prefix)
{
	l->prefix_bytes += strlen(prefix);
	if (l->prefixes.nr == PREFIXES_MAX || l->prefix_bytes > PREFIX_BYTES_MAX)
		l->too_many = true;
	if (l->too_many)
		strvec_clear(&l->prefixes);
	else
		strvec_push(&l->prefixes, prefix);
}

static int take_argument(struct ls_refs *l, const char *line, struct err *err)
{
	const char *prefix;

	if (!strcmp(line, "peel"))
		l->peel = true;
	else if (!strcmp(line, "symrefs"))
		l->symrefs = true;
	else if (!strcmp(line, "unborn"))
		l->unborn = l->s->config.unborn_allowed;
	else if (!skip_prefix(line, "ref-prefix ", &prefix))
		return err_set(err, ERR_INVALID, "unexpected line: '%s'", line);
	else
		take_prefix(l, prefix);
	return 0;
}

static int read_arguments(struct ls_refs *l, struct err *err)
{
	int kind, rc = 0;

	while ((kind = upload_next_argument(l->s, err)) == PKT_DATA && !rc)
		rc = take_argument(l, l->s->in.line, err);
	if (rc < 0 || kind < 0)
		return rc < 0 ? rc : kind;
	return kind == PKT_FLUSH ? 0
		: err_set(err, ERR_INVALID, "expected flush after ls-refs arguments");
}

int upload_ls_refs_v2(struct upload_server *s, struct err *err)
{
	struct ls_refs l = { .s = s, .prefixes = STRVEC_INIT };
	int rc = read_arguments(&l, err);

	if (!rc)
		rc = upload_refs_below(s, &l.prefixes, print_ref, &l, err);
	if (!rc && l.unborn && !l.head_seen && wants_head(&l))
		rc = print_unborn(&l, err);
	strvec_clear(&l.prefixes);
	if (!rc)
		pkt_writer_flush(&s->out);
	return rc;
}
