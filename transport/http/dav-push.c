/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "refs/refs.h"
#include "repo/ref-storage.h"
#include "transport/http/dav-push-internal.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- the session ---- */

void dav_push_free(struct dav_push *s)
{
	if (!s)
		return;
	remote_refs_release(&s->refs);
	strset_clear(&s->loose);
	strset_clear(&s->in_table);
	strbuf_release(&s->table_text);
	strbuf_release(&s->info_refs);
	free(s);
}

int dav_push_open(struct dav_push **out, struct http_client *c, struct repository *r, struct err *err)
{
	struct dav_push *s;
	int rc = dav_check(c, http_base(c), err);

	if (rc < 0)
		return rc;
	CALLOC_ARRAY(s, 1);
	*s = (struct dav_push){ .c = c, .r = r, .refs = REMOTE_REFS_INIT, .loose = STRSET_INIT, .in_table = STRSET_INIT,
				.table_text = STRBUF_INIT, .table = refs_table_format(ref_storage_default()), .info_refs = STRBUF_INIT };
	rc = dav_push_list_refs(s, err);
	if (rc < 0)
		dav_push_free(s);
	else
		*out = s;
	return rc;
}

const struct remote_refs *dav_push_refs(const struct dav_push *s)
{
	return &s->refs;
}

/* ---- one ref ---- */

static int make_folders(struct dav_push *s, const char *name, struct err *err)
{
	int rc = 0;

	for (const char *slash = strchr(name, '/'); !rc && slash; slash = strchr(slash + 1, '/')) {
		char *dir = xstrndup(name, (size_t)(slash - name) + 1), *url;

		url = dav_push_url(s, dir);
		if (strcmp(dir, "refs/") != 0)
			rc = dav_make_folder(s->c, url, err);
		free(url);
		free(dir);
	}
	return rc;
}

static int put_ref(struct dav_push *s, const struct push_update *u, const char *url, const struct dav_lock *lock,
		   struct err *err)
{
	char *text = xstrfmt("%s\n", oid_hex(&u->new_oid));
	int rc = lock ? 0 : make_folders(s, u->dst, err);

	if (!rc)
		rc = dav_put(s->c, url, text, strlen(text), lock, err);
	free(text);
	return rc;
}

/* One of the two that a name lies above cannot be there. */
static bool is_in_the_way(const struct dav_push *s, const char *name)
{
	for (size_t i = 0; i < s->refs.nr; i++)
		if (paths_nest(s->refs.items[i].name, name))
			return true;
	return false;
}

static void refuse(struct push_update *u, const char *why)
{
	u->status = PUSH_REMOTE_REJECT;
	u->message = xstrdup(why);
}

/* Under the locks: does the ref still have the value on which the push was decided? */
static int check_value(struct dav_push *s, struct push_update *u, struct err *err)
{
	struct object_id now;
	int rc = dav_push_read_ref(s, u->dst, &now, err);

	if (!rc && !oid_eq(&now, &u->old_oid))
		u->status = PUSH_REJECT_STALE;
	return rc;
}

static int change_locked(struct dav_push *s, struct push_update *u, const char *url, const struct dav_lock *lock,
			 struct err *err)
{
	int rc = check_value(s, u, err);

	if (rc || u->status != PUSH_PENDING)
		return rc;
	if (!oid_is_null(&u->new_oid))
		rc = put_ref(s, u, url, lock, err);
	else if (strset_contains(&s->loose, u->dst))
		rc = dav_delete(s->c, url, lock, err);
	if (!rc)
		u->status = PUSH_OK;
	return rc;
}

/* A failure is the ref's own. */
static void change_ref(struct dav_push *s, struct push_update *u)
{
	char *url = dav_push_url(s, u->dst);
	struct dav_lock *lock = NULL;
	struct err why = ERR_INIT, ignored = ERR_INIT;
	int rc = dav_lock_keep(s->c, s->info_lock, &why);

	dav_push_say(s, "updating '%s'", u->dst);
	if (!rc && strset_contains(&s->loose, u->dst))
		rc = dav_lock(s->c, url, &lock, &why);
	if (!rc)
		rc = change_locked(s, u, url, lock, &why);
	/* A lock goes with its file; and it has an end. */
	if (dav_unlock(s->c, lock, &ignored) < 0)
		err_release(&ignored);
	if (rc < 0)
		refuse(u, err_message(&why));
	err_release(&why);
	free(url);
}

/* ---- all refs ---- */

static bool is_dropped(void *names, const char *name)
{
	return strset_contains(names, name);
}

/* D5: a deleted ref leaves the file with many refs before its loose file goes, or an old value would become visible. */
static int drop_from_table(struct dav_push *s, const struct push_list *l, struct err *err)
{
	struct strset names = STRSET_INIT;
	struct strbuf text = STRBUF_INIT;
	struct dav_lock *lock = NULL;
	struct err ignored = ERR_INIT;
	char *url = s->table ? dav_push_url(s, s->table->path) : NULL;
	bool any = false;
	int rc = 0;

	for (size_t i = 0; i < l->nr; i++)
		if (l->items[i].status == PUSH_PENDING && oid_is_null(&l->items[i].new_oid) &&
		    strset_contains(&s->in_table, l->items[i].dst))
			any |= strset_add(&names, l->items[i].dst);
	if (any)
		rc = dav_lock(s->c, url, &lock, err);
	if (!rc && lock)
		rc = dav_push_read_table(s, err);
	if (!rc && lock && s->table->without(&s->table_text, s->r->algo, is_dropped, &names, &text))
		rc = dav_put(s->c, url, text.buf, text.len, lock, err);
	if (dav_unlock(s->c, lock, &ignored) < 0)
		err_release(&ignored);
	strset_clear(&names);
	strbuf_release(&text);
	free(url);
	return rc;
}

static void refuse_all(struct push_list *l, const char *why)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->items[i].status == PUSH_PENDING)
			refuse(&l->items[i], why);
}

static int change_refs(struct dav_push *s, struct push_list *l, struct err *err)
{
	int rc = drop_from_table(s, l, err);

	for (size_t i = 0; !rc && i < l->nr; i++)
		if (l->items[i].status == PUSH_PENDING)
			change_ref(s, &l->items[i]);
	return rc;
}

/* Clients of the dumb protocol read refs only from info/refs. */
static int write_info_refs(struct dav_push *s, const struct push_list *l, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *url = dav_push_url(s, "info/refs");
	int rc = dav_lock_keep(s->c, s->info_lock, err);

	dav_push_info_refs(s, l, &text);
	if (!rc && (text.len != s->info_refs.len || memcmp(text.buf, s->info_refs.buf, text.len) != 0)) {
		dav_push_say(s, "updating info/refs");
		rc = dav_put(s->c, url, text.buf, text.len, s->info_lock, err);
	}
	if (rc < 0)
		err_prefix(err, "refs have changed, but the server's info/refs, by which others fetch, has not: push again; or run git "
			   "update-server-info there");
	strbuf_release(&text);
	free(url);
	return rc;
}

static bool is_info_refs_stale(const struct dav_push *s, const struct push_list *l)
{
	struct strbuf text = STRBUF_INIT;
	bool stale;

	dav_push_info_refs(s, l, &text);
	stale = text.len != s->info_refs.len || memcmp(text.buf, s->info_refs.buf, text.len) != 0;
	strbuf_release(&text);
	return stale;
}

/* ---- the push ---- */

static bool check_updates(struct dav_push *s, struct push_list *l, bool dry_run)
{
	bool any = false;

	for (size_t i = 0; i < l->nr; i++) {
		struct push_update *u = &l->items[i];

		if (u->status != PUSH_PENDING)
			continue;
		if (!oid_is_null(&u->new_oid) && oid_is_null(&u->old_oid) && is_in_the_way(s, u->dst))
			refuse(u, ref_failure_text(REF_FAILURE_NAME_CONFLICT, NULL));
		else if (dry_run)
			u->status = PUSH_OK;
		else
			any = true;
	}
	return any;
}

static int lock_info_refs(struct dav_push *s, struct err *err)
{
	char *url = dav_push_url(s, "info/refs");
	struct err why = ERR_INIT;
	int rc = s->has_info_refs ? dav_lock(s->c, url, &s->info_lock, &why)
				  : err_set(&why, ERR_NOT_FOUND, "it is not there; run git update-server-info in the repository first");

	if (rc < 0)
		err_set(err, rc, "cannot lock existing info/refs on %s: %s", http_base(s->c), err_message(&why));
	err_release(&why);
	free(url);
	return rc;
}

static int send_locked(struct dav_push *s, struct push_list *l, const char *pack, struct err *err)
{
	int rc = pack ? dav_push_announce_pack(s, pack, err) : 0;

	if (!rc)
		rc = change_refs(s, l, err);
	return rc ? rc : write_info_refs(s, l, err);
}

int dav_push_send(struct dav_push *s, const struct dav_push_options *o, struct push_list *l, struct err *err)
{
	struct err ignored = ERR_INIT;
	char *pack = NULL;
	int rc = 0;

	s->o = o;
	if (check_updates(s, l, o->dry_run))
		rc = dav_push_send_pack(s, l, &pack, err);
	else if (o->dry_run || !is_info_refs_stale(s, l))
		return 0;
	if (!rc)
		rc = lock_info_refs(s, err);
	if (!rc)
		rc = send_locked(s, l, pack, err);
	if (dav_unlock(s->c, s->info_lock, &ignored) < 0)
		err_release(&ignored);
	s->info_lock = NULL;
	if (rc < 0)
		refuse_all(l, "not sent");
	free(pack);
	return rc;
}
