/* SPDX-License-Identifier: GPL-2.0-only */
/* The refs that a client of upload-pack sees, and the command "ls-refs" (gitprotocol-v2(5)). */
#include "compat/posix.h"
#include "upload/upload.h"
#include "util/alloc.h"

/* ---- the refs that exist ---- */

struct served {
	struct upload_server *s;
	const struct strvec *prefixes; /* sorted; NULL: all */
	const struct oidset *only;     /* only refs that point to these; NULL: all */
	unsigned flags;		       /* of refs_foreach */
	struct strvec except;	       /* directories of hidden refs */
	served_ref_fn fn;
	void *data;
};

/*
 * Does it begin with one of the prefixes? Only the last prefix that does not sort behind it can
 * match.
 */
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

/*
 * A ref that is damaged, or leads to no object, is shown: the client should fail rather than believe that it is
 * gone. Only symbolic refs may lead nowhere.
 */
static int deliver(void *data, const struct ref *ref)
{
	struct served *v = data;
	struct upload_server *s = v->s;
	const char *name;

	if ((ref->flags & REF_IS_SYMREF && ref->flags & REF_IS_BROKEN) || (v->only && !oidset_contains(v->only, &ref->oid)) ||
	    !skip_prefix(ref->name, s->prefix, &name) || (v->prefixes && !is_wanted(v->prefixes, name)) ||
	    ref_is_hidden(&s->hidden, name, ref->name))
		return 0;
	return v->fn(v->data, name, ref);
}

/* Skips a HEAD that does not exist or is damaged. Returns the result of the callback. */
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

/* Lists HEAD, then the other refs in order: all, or the refs of each prefix. */
static int serve_refs(struct served *v, const struct strvec *prefixes, struct err *err)
{
	int rc = deliver_head(v, err);

	for (size_t i = 0; i < prefixes->nr && !rc; i++) {
		char *below = xconcat(v->s->prefix, prefixes->v[i]);

		rc = refs_foreach_in(v->s->repo->refs, &(struct ref_range){ .prefix = below, .except = &v->except },
				     v->flags, deliver, v, err);
		free(below);
	}
	strvec_clear(&v->except);
	return rc;
}

static void serve_begin(struct served *v, struct upload_server *s, served_ref_fn fn, void *data)
{
	memset(v, 0, sizeof(*v));
	v->s = s;
	v->fn = fn;
	v->data = data;
	v->flags = REFS_INCLUDE_BROKEN | REFS_NO_PEEL;
	hidden_refs_directories(&s->hidden, s->prefix, &v->except);
}

static int serve_all(struct served *v, struct err *err)
{
	struct strvec all = STRVEC_INIT;
	int rc;

	strvec_push(&all, "refs/");
	rc = serve_refs(v, &all, err);
	strvec_clear(&all);
	return rc;
}

int upload_refs_foreach(struct upload_server *s, served_ref_fn fn, void *data, struct err *err)
{
	struct served v;

	serve_begin(&v, s, fn, data);
	return serve_all(&v, err);
}

int upload_refs_to(struct upload_server *s, const struct oidset *oids, served_ref_fn fn,
		   void *data, struct err *err)
{
	struct served v;

	serve_begin(&v, s, fn, data);
	v.only = oids;
	return serve_all(&v, err);
}

/* Beyond this number of prefixes all refs are read and compared. */
#define PREFIXES_LOOKED_UP 64

/* Finds the directories that can have refs with the prefixes. */
static void choose_places(struct strvec *out, const struct strvec *prefixes)
{
	if (prefixes->nr > PREFIXES_LOOKED_UP) {
		strvec_push(out, "refs/");
		return;
	}
	for (size_t i = 0; i < prefixes->nr; i++) {
		const char *prefix = prefixes->v[i];

		if (starts_with(prefix, "refs/"))
			strvec_push(out, prefix);
		else if (starts_with("refs/", prefix))
			strvec_push(out, "refs/");
	}
}

int upload_refs_below(struct upload_server *s, const struct strvec *prefixes, served_ref_fn fn,
		      void *data, struct err *err)
{
	struct strvec sorted = STRVEC_INIT, places = STRVEC_INIT;
	struct served v;
	int rc;

	if (!prefixes->nr)
		return upload_refs_foreach(s, fn, data, err);
	strvec_pushv(&sorted, prefixes->v);
	strvec_sort_prefixes(&sorted);
	choose_places(&places, &sorted);
	serve_begin(&v, s, fn, data);
	v.prefixes = &sorted;
	rc = serve_refs(&v, &places, err);
	strvec_clear(&sorted);
	strvec_clear(&places);
	return rc;
}

/* Returns 1 if it exists, 0 if not or if it is damaged. */
static int find_target(struct upload_server *s, const char *full_name, char **out, struct err *err)
{
	struct err why = ERR_INIT;
	struct object_id oid;
	char *final = NULL;
	const char *name;
	unsigned flags = 0;
	int rc = ref_resolve(s->repo->refs, full_name, &oid, &final, &flags, &why);

	*out = NULL;
	if (rc < 0 && rc != ERR_NOT_FOUND && rc != ERR_CORRUPT) {
		err_move(err, &why);
		return rc;
	}
	err_release(&why);
	if (final && flags & REF_IS_SYMREF && skip_prefix(final, s->prefix, &name))
		*out = xstrdup(name);
	free(final);
	return !rc;
}

int upload_head_target(struct upload_server *s, bool unborn, char **out, struct err *err)
{
	char *full = xconcat(s->prefix, "HEAD"), *target;
	int rc = find_target(s, full, &target, err);

	free(full);
	if (rc < 0)
		return rc;
	if (!rc && !unborn)
		FREE_AND_NULL(target);
	*out = target;
	return 0;
}

/* ---- ls-refs ---- */

/* Limits of the prefixes that are kept: their number, and their bytes. */
#define PREFIXES_MAX 65536
#define PREFIX_BYTES_MAX ((size_t)16 * 1024 * 1024)

struct ls_refs {
	struct upload_server *s;
	struct strvec prefixes;
	size_t prefix_bytes;
	struct err *err; /* of print_ref */
	bool peel, symrefs, unborn, too_many;
	bool head_told; /* HEAD was printed (it comes first), or needs no line */
};

/* May the client see HEAD, and do its prefixes match it? */
static bool wants_head(const struct ls_refs *l)
{
	char *full = xconcat(l->s->prefix, "HEAD");
	bool hidden = ref_is_hidden(&l->s->hidden, "HEAD", full);

	free(full);
	if (hidden)
		return false;
	for (size_t i = 0; i < l->prefixes.nr; i++)
		if (starts_with("HEAD", l->prefixes.v[i]))
			return true;
	return !l->prefixes.nr;
}

/* Called before the first ref, `name` (NULL: none): prints an unborn HEAD if `name` is not HEAD. */
static int tell_unborn(struct ls_refs *l, const char *name)
{
	char *target;
	int rc;

	if (l->head_told)
		return 0;
	l->head_told = true;
	if (!l->unborn || !l->symrefs || !wants_head(l) || (name && !strcmp(name, "HEAD")))
		return 0;
	rc = upload_head_target(l->s, true, &target, l->err);
	if (!rc && target)
		pkt_writer_addf(&l->s->out, "unborn HEAD symref-target:%s\n", target);
	if (!rc)
		free(target);
	return rc;
}

static int print_ref(void *data, const char *name, const struct ref *ref)
{
	struct ls_refs *l = data;
	struct upload_server *s = l->s;
	struct object_id peeled = ref->peeled;
	struct strbuf *line;
	char *target = NULL;
	int rc = tell_unborn(l, name);

	if (!rc && l->symrefs && ref->symref_target)
		rc = find_target(s, ref->name, &target, l->err);
	if (rc < 0)
		return rc;
	line = pkt_writer_begin(&s->out);
	strbuf_add_oid(line, &ref->oid);
	strbuf_addch(line, ' ');
	strbuf_addstr(line, name);
	if (target)
		strbuf_addf(line, " symref-target:%s", target);
	free(target);
	if (l->peel && !(ref->flags & REF_PEEL_KNOWN) &&
	    (object_peel(odb_source_unreplaced(s->repo->odb), &ref->oid, OBJ_ANY, &peeled, NULL,
			 NULL) < 0 || oid_eq(&peeled, &ref->oid)))
		peeled = s->repo->algo->null_oid;
	if (l->peel && !oid_is_null(&peeled)) {
		strbuf_addstr(line, " peeled:");
		strbuf_add_oid(line, &peeled);
	}
	strbuf_addch(line, '\n');
	pkt_writer_end(&s->out);
	return pkt_writer_failed(&s->out) ? ERR_IO : 0;
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

static int take_lsrefs_argument(struct ls_refs *l, const char *line, struct err *err)
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

static int read_lsrefs_arguments(struct ls_refs *l, struct err *err)
{
	int kind, rc = 0;

	while (!rc && (kind = upload_next_argument(l->s, err)) == PKT_DATA)
		rc = take_lsrefs_argument(l, l->s->in.line, err);
	if (rc < 0 || kind < 0)
		return rc < 0 ? rc : kind;
	return kind == PKT_FLUSH ? 0
		: err_set(err, ERR_INVALID, "expected flush after ls-refs arguments");
}

int upload_ls_refs_v2(struct upload_server *s, struct err *err)
{
	struct ls_refs l = { .s = s, .prefixes = STRVEC_INIT, .err = err };
	int rc = read_lsrefs_arguments(&l, err);

	if (!rc)
		rc = upload_refs_below(s, &l.prefixes, print_ref, &l, err);
	if (!rc)
		rc = tell_unborn(&l, NULL);
	strvec_clear(&l.prefixes);
	if (!rc)
		pkt_writer_flush(&s->out);
	return rc;
}
