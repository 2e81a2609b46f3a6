/* SPDX-License-Identifier: GPL-2.0-only */
/* The rules for one path, after renames have brought the versions together that belong together. */
#include "compat/posix.h"
#include "merge/trees-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

static const char *label_of(const struct merge_run *run, enum merge_stage s)
{
	return run->m->label[s];
}

/* ---- other names ---- */

/* "path~label", and a number behind it if there is such a path. */
static char *name_aside(const struct merge_run *run, const char *path, const char *label)
{
	struct strbuf name = STRBUF_INIT;
	size_t len;

	strbuf_addf(&name, "%s~", path);
	for (; *label; label++)
		strbuf_addch(&name, *label == '/' ? '_' : *label);
	len = name.len;
	for (unsigned i = 0; merge_path_find(run, name.buf); i++) {
		strbuf_setlen(&name, len);
		strbuf_addf(&name, "_%u", i);
	}
	return strbuf_detach(&name, NULL);
}

/* Takes the versions in `stages` (bits by enum merge_stage) away to a path of its own. */
static struct merge_path *move_aside(struct merge_run *run, struct merge_path *p, enum merge_stage branch, unsigned stages)
{
	char *name = name_aside(run, p->path, label_of(run, branch));
	struct merge_path *q = merge_path_get(run, name);

	for (int s = 0; s < MERGE_STAGES; s++) {
		if (!(stages & 1u << s))
			continue;
		q->version[s] = p->version[s];
		q->from[s] = p->from[s];
		p->version[s] = (struct merge_version){ 0 };
	}
	q->rename_conflict = p->rename_conflict;
	q->followed = p->followed;
	free(name);
	return q;
}

/* ---- outcomes ---- */

/* All versions of a file that was moved aside have been merged: what they became counts as the version of the branch. */
static void keep_merged_version(struct merge_path *p)
{
	enum merge_stage s = p->moved_for;
	struct merge_version merged = p->result;

	memset(p->version, 0, sizeof(p->version));
	p->version[s] = merged;
}

static void set_result(struct merge_run *run, struct merge_path *p, const struct merge_version *v, bool conflict)
{
	bool moved = p->moved_for != MERGE_BASE && v->mode;

	conflict |= p->rename_conflict;
	p->result = *v;
	if (moved && !conflict)
		keep_merged_version(p);
	p->state = moved || conflict ? PATH_CONFLICTED : PATH_RESOLVED;
	run->conflicts |= p->state == PATH_CONFLICTED;
}

/* Renamed by one side, and deleted, or replaced by something of another type, by the other one: a conflict in any case. */
static bool is_contradicted(const struct merge_path *p)
{
	const struct merge_version *v = p->version;

	if (!v[MERGE_BASE].mode || !(p->followed || p->rename_conflict))
		return false;
	if (!v[MERGE_OURS].mode || !v[MERGE_THEIRS].mode)
		return v[MERGE_OURS].mode || v[MERGE_THEIRS].mode;
	return !merge_version_same_type(&v[MERGE_OURS], &v[MERGE_THEIRS]);
}

/* The outcome, if one side at most has changed the path; NULL: it must be merged. */
static const struct merge_version *one_change(const struct merge_path *p)
{
	const struct merge_version *v = p->version;

	if (p->sides_were_same)
		return &v[MERGE_OURS];
	if (is_contradicted(p))
		return NULL;
	if (merge_version_eq(&v[MERGE_OURS], &v[MERGE_THEIRS]) || merge_version_eq(&v[MERGE_BASE], &v[MERGE_THEIRS]))
		return &v[MERGE_OURS];
	return merge_version_eq(&v[MERGE_BASE], &v[MERGE_OURS]) ? &v[MERGE_THEIRS] : NULL;
}

/* ---- changed by both sides ---- */

static bool has_one_source(const struct merge_path *p)
{
	return !strcmp(p->from[MERGE_BASE], p->from[MERGE_OURS]) && !strcmp(p->from[MERGE_BASE], p->from[MERGE_THEIRS]);
}

static void report_merge(struct merge_run *run, const struct merge_file *f, const struct merge_file_outcome *outcome)
{
	const char *const paths[] = { f->path, NULL };

	if (outcome->binary)
		merge_report(run, MERGE_CONFLICT_BINARY, paths, "warning: Cannot merge binary files: %s (%s vs. %s)", f->path,
			     f->label[MERGE_OURS], f->label[MERGE_THEIRS]);
	if (outcome->merged)
		merge_report(run, MERGE_AUTO_MERGING, paths, "Auto-merging %s", f->path);
}

static bool both_changed(const struct merge_file *f)
{
	const struct merge_version *v = f->version;

	return !oid_eq(&v[MERGE_OURS].oid, &v[MERGE_THEIRS].oid) &&
	       !(v[MERGE_BASE].mode && (oid_eq(&v[MERGE_BASE].oid, &v[MERGE_OURS].oid) ||
					oid_eq(&v[MERGE_BASE].oid, &v[MERGE_THEIRS].oid)));
}

static void report_diverged(struct merge_run *run, const char *path, const struct merge_submodule *s)
{
	const char *const paths[] = { path, NULL };

	if (!s->nr_candidates)
		merge_report(run, MERGE_CONFLICT_SUBMODULE_FAILED, paths, "Failed to merge submodule %s", path);
	else if (s->nr_candidates == 1)
		merge_report(run, MERGE_CONFLICT_SUBMODULE_POSSIBLE, paths,
			     "Failed to merge submodule %s, but a possible merge resolution exists: %s", path, s->candidates);
	else
		merge_report(run, MERGE_CONFLICT_SUBMODULE_POSSIBLE, paths,
			     "Failed to merge submodule %s, but multiple possible merges exist:\n%s", path, s->candidates);
}

static void report_submodule(struct merge_run *run, const char *path, const struct merge_submodule *s)
{
	static const struct {
		enum merge_message_type type;
		const char *reason;
	} failures[] = {
		[MERGE_SUBMODULE_NOT_CHECKED_OUT] = { MERGE_CONFLICT_SUBMODULE_NOT_INITIALIZED, "not checked out" },
		[MERGE_SUBMODULE_NO_COMMITS] = { MERGE_CONFLICT_SUBMODULE_NO_HISTORY, "commits not present" },
		[MERGE_SUBMODULE_NO_BASE] = { MERGE_CONFLICT_SUBMODULE_NO_BASE, "no merge base" },
		[MERGE_SUBMODULE_REWOUND] = { MERGE_CONFLICT_SUBMODULE_REWINDS, "commits don't follow merge-base" },
	};
	const char *const paths[] = { path, NULL };

	if (s->how == MERGE_SUBMODULE_FORWARD)
		merge_report(run, MERGE_SUBMODULE_FAST_FORWARD, paths, "Note: Fast-forwarding submodule %s to %s", path,
			     oid_hex(&s->result));
	else if (s->how == MERGE_SUBMODULE_DIVERGED)
		report_diverged(run, path, s);
	else
		merge_report(run, failures[s->how].type, paths, "Failed to merge submodule %s (%s)", path,
			     failures[s->how].reason);
}

int merge_path_contents(struct merge_run *run, const struct merge_path *p, bool nested, struct merge_file_outcome *outcome)
{
	struct merge_file f = { .path = p->path, .nested = nested };
	char *label[MERGE_STAGES];
	int rc;

	memcpy(f.version, p->version, sizeof(f.version));
	for (int s = 0; s < MERGE_STAGES; s++) {
		label[s] = has_one_source(p) ? xstrdup(label_of(run, s)) :
			   xstrfmt("%s:%s", label_of(run, s), p->from[s]);
		f.label[s] = label[s];
	}
	rc = merge_file(&f, &run->m->rules, run->m->odb, outcome, run->err);
	if (!rc)
		report_merge(run, &f, outcome);
	if (!rc && MODE_IS_GITLINK(f.version[MERGE_OURS].mode) && both_changed(&f))
		report_submodule(run, f.path, &outcome->submodule);
	FREE_AND_NULL(outcome->submodule.candidates);
	for (int s = 0; s < MERGE_STAGES; s++)
		free(label[s]);
	return rc;
}

static int resolve_contents(struct merge_run *run, struct merge_path *p)
{
	struct merge_file_outcome outcome;
	const char *reason = "content";
	int rc = merge_path_contents(run, p, false, &outcome);

	if (rc < 0)
		return rc;
	if (MODE_IS_GITLINK(p->version[MERGE_OURS].mode))
		reason = "submodule";
	else if (!merge_has(p, MERGE_BASE))
		reason = "add/add";
	if (!outcome.clean)
		merge_report(run, MERGE_CONFLICT_CONTENTS, (const char *[]){ p->path, NULL },
			     "CONFLICT (%s): Merge conflict in %s", reason, p->path);
	set_result(run, p, &outcome.result, !outcome.clean);
	return 0;
}

/* ---- a file and a symbolic link, or the like ---- */

static void resolve_types(struct merge_run *run, struct merge_path *p)
{
	bool files[MERGE_STAGES], both;
	struct merge_path *part[MERGE_STAGES];
	const char *paths[4] = { p->path };
	size_t nr = 1;

	if (run->m->rules.depth) { /* nothing is moved aside in a merge base */
		set_result(run, p, &p->version[MERGE_BASE], true);
		return;
	}
	for (int s = MERGE_OURS; s <= MERGE_THEIRS; s++)
		files[s] = MODE_IS_FILE(p->version[s].mode);
	both = files[MERGE_OURS] == files[MERGE_THEIRS];
	for (int s = MERGE_OURS; s <= MERGE_THEIRS; s++) {
		unsigned stages = 1u << s;

		part[s] = p;
		if (!both && !files[s])
			continue;
		if (merge_has(p, MERGE_BASE) && merge_version_same_type(&p->version[MERGE_BASE], &p->version[s]))
			stages |= 1u << MERGE_BASE;
		part[s] = move_aside(run, p, (enum merge_stage)s, stages);
		paths[nr++] = part[s]->path;
	}
	/* the base stays with the side that has its type */
	for (int s = MERGE_OURS; s <= MERGE_THEIRS; s++)
		if (part[s] == p && merge_has(p, MERGE_BASE) &&
		    !merge_version_same_type(&p->version[MERGE_BASE], &p->version[s]))
			p->version[MERGE_BASE] = (struct merge_version){ 0 };
	merge_report(run, MERGE_CONFLICT_DISTINCT_MODES, paths,
		     "CONFLICT (distinct types): %s had different types on each side; renamed %s of them so each can be "
		     "recorded somewhere.", p->path, both ? "both" : "one");
	p->state = PATH_RESOLVED;
	for (int s = MERGE_OURS; s <= MERGE_THEIRS; s++)
		set_result(run, part[s], &part[s]->version[s], true);
}

/* ---- changed by one side, deleted by the other ---- */

/* Nothing but line endings and the like have changed in the version that is kept. */
static int is_unchanged_text(struct merge_run *run, const struct merge_path *p, enum merge_stage kept, bool *same)
{
	const struct merge_version *base = &p->version[MERGE_BASE], *v = &p->version[kept];

	*same = false;
	if (p->rename_conflict || !MODE_IS_FILE(base->mode) || base->mode != v->mode)
		return 0;
	return merge_same_if_normalized(&run->m->rules, run->m->odb, p->path, &base->oid, &v->oid, same, run->err);
}

static int resolve_deleted(struct merge_run *run, struct merge_path *p)
{
	enum merge_stage kept = merge_has(p, MERGE_OURS) ? MERGE_OURS : MERGE_THEIRS, deleted = merge_other_side(kept);
	bool changed = !oid_eq(&p->version[MERGE_BASE].oid, &p->version[kept].oid), same;
	int rc = is_unchanged_text(run, p, kept, &same);

	if (rc || same) {
		if (!rc)
			set_result(run, p, &p->version[deleted], false);
		return rc;
	}
	/* a rename has been reported already */
	if (changed || !p->rename_conflict)
		merge_report(run, MERGE_CONFLICT_MODIFY_DELETE, (const char *[]){ p->path, NULL },
			     "CONFLICT (modify/delete): %s deleted in %s and modified in %s.  Version %s of %s left in tree.",
			     p->path, label_of(run, deleted), label_of(run, kept), label_of(run, kept), p->path);
	set_result(run, p, &p->version[run->m->rules.depth ? MERGE_BASE : kept], true);
	return 0;
}

static int resolve_versions(struct merge_run *run, struct merge_path *p)
{
	const struct merge_version *v = one_change(p);

	if (v)
		set_result(run, p, v, false);
	else if (!merge_has(p, MERGE_OURS) || !merge_has(p, MERGE_THEIRS))
		return resolve_deleted(run, p);
	else if (!merge_version_same_type(&p->version[MERGE_OURS], &p->version[MERGE_THEIRS]))
		resolve_types(run, p);
	else
		return resolve_contents(run, p);
	return 0;
}

/* ---- a directory in the way ---- */

/* The file is that of the side that has no directory there: versions of the other one may have come by a rename. */
static enum merge_stage side_of_file(const struct merge_path *p)
{
	if (p->dir[MERGE_OURS].mode && merge_has(p, MERGE_THEIRS))
		return MERGE_THEIRS;
	return merge_has(p, MERGE_OURS) ? MERGE_OURS : MERGE_THEIRS;
}

/* Reported even where nothing is left of the file in the end. */
static struct merge_path *make_way(struct merge_run *run, struct merge_path *p)
{
	enum merge_stage s = side_of_file(p);
	struct merge_path *q = move_aside(run, p, s, 1u << MERGE_BASE | 1u << MERGE_OURS | 1u << MERGE_THEIRS);

	merge_report(run, MERGE_CONFLICT_FILE_DIRECTORY, (const char *[]){ q->path, p->path, NULL },
		     "CONFLICT (file/directory): directory in the way of %s from %s; moving it to %s instead.", p->path,
		     label_of(run, s), q->path);
	p->state = PATH_RESOLVED;
	q->moved_for = s;
	return q;
}

int merge_resolve(struct merge_run *run, struct merge_path *p, bool in_the_way)
{
	if (in_the_way && (merge_has(p, MERGE_OURS) || merge_has(p, MERGE_THEIRS)))
		p = make_way(run, p);
	else if (in_the_way)
		p->rename_conflict = false; /* nothing is left but the directory */
	return resolve_versions(run, p);
}
