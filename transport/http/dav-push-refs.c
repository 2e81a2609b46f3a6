/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the refs of a repository from its files: gitrepository-layout(5). These are refs/, the file with many refs, HEAD, and info/refs. */
#include "compat/posix.h"
#include "object/object.h"
#include "odb/odb.h"
#include "refs/refs.h"
#include "transport/http/dav-push-internal.h"
#include "util/alloc.h"

#define REF_BYTES_MAX ((size_t)64 * 1024)
#define INFO_REFS_BYTES_MAX ((size_t)512 << 20)
#define FOLDERS_MAX 100000u

/* ---- one ref ---- */

static bool parse_oid(const struct dav_push *s, const char *text, struct object_id *oid)
{
	const char *end;

	return !oid_parse_hex(oid, text, s->r->algo, &end) && (*end == '\n' || !*end);
}

/* Symbolic refs are only read; a push changes their targets. */
static int take_file(struct dav_push *s, const char *name, const char *text, struct err *err)
{
	struct remote_ref *ref;
	struct object_id oid;
	const char *target;

	if (skip_prefix(text, "ref: ", &target)) {
		ref = remote_refs_add(&s->refs, name);
		ref->symref_target = xstrndup(target, strcspn(target, "\n"));
		return 0;
	}
	/* Where refs are in tables, a file has the place of the folder: gitrepository-layout(5). */
	if (!strcmp(name, "refs/heads"))
		return err_set(err, ERR_INVALID, "the server's refs are in tables, and cannot be changed as files");
	if (!parse_oid(s, text, &oid))
		return err_set(err, ERR_CORRUPT, "the server's ref '%s' is damaged", name);
	remote_refs_add(&s->refs, name)->oid = oid;
	return 0;
}

static int read_file(struct dav_push *s, const char *name, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	bool there;
	int rc = dav_push_read(s, name, REF_BYTES_MAX, &text, &there, err);

	if (!rc && there)
		rc = take_file(s, name, text.buf, err);
	if (!rc && there)
		strset_add(&s->loose, name);
	strbuf_release(&text);
	return rc;
}

/* ---- all loose refs ---- */

static bool is_ref_name(const char *name)
{
	return refname_is_valid(name, 0) && !ends_with(name, ".lock");
}

static int list_folder(struct dav_push *s, struct strvec *folders, const char *folder, struct err *err)
{
	struct string_list names = STRING_LIST_INIT;
	char *url = dav_push_url(s, folder);
	struct err why = ERR_INIT;
	int rc = dav_list(s->c, url, &names, &why);

	/* One that has just gone. */
	if (rc == ERR_NOT_FOUND && strcmp(folder, "refs/") != 0)
		rc = 0;
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	for (size_t i = 0; !rc && i < names.nr; i++) {
		char *name = xconcat(folder, names.items[i].string);

		if (ends_with(name, "/") && *names.items[i].string != '.')
			strvec_push(folders, name);
		else if (is_ref_name(name))
			rc = read_file(s, name, err);
		free(name);
	}
	string_list_clear(&names, NULL);
	free(url);
	return rc;
}

static int list_loose(struct dav_push *s, struct err *err)
{
	struct strvec folders = STRVEC_INIT;
	int rc = 0;

	strvec_push(&folders, "refs/");
	for (size_t i = 0; !rc && i < folders.nr; i++) {
		char *folder = xstrdup(folders.v[i]);

		rc = i < FOLDERS_MAX ? list_folder(s, &folders, folder, err)
				     : err_set(err, ERR_TOO_BIG, "the server has too many folders of refs");
		free(folder);
	}
	strvec_clear(&folders);
	return rc;
}

/* ---- refs without a file of their own ---- */

static void take_table_ref(void *data, const char *name, const struct object_id *oid)
{
	struct dav_push *s = data;

	if (!is_ref_name(name))
		return;
	strset_add(&s->in_table, name);
	if (!strset_contains(&s->loose, name))
		remote_refs_add(&s->refs, name)->oid = *oid;
}

int dav_push_read_table(struct dav_push *s, struct err *err)
{
	bool there;

	return s->table ? dav_push_read(s, s->table->path, s->table->bytes_max, &s->table_text, &there, err) : 0;
}

static int list_table(struct dav_push *s, struct err *err)
{
	int rc = dav_push_read_table(s, err);

	if (!rc && s->table)
		rc = s->table->foreach(&s->table_text, s->r->algo, take_table_ref, s, err);
	if (rc == ERR_CORRUPT)
		err_prefix(err, "cannot read the server's refs");
	return rc;
}

/* ---- all ---- */

static void resolve_symrefs(struct dav_push *s)
{
	for (size_t i = 0; i < s->refs.nr; i++) {
		struct remote_ref *ref = &s->refs.items[i];
		const struct remote_ref *to = ref->symref_target ? remote_refs_find(&s->refs, ref->symref_target) : NULL;

		if (to)
			ref->oid = to->oid;
	}
}

int dav_push_list_refs(struct dav_push *s, struct err *err)
{
	int rc = list_loose(s, err);

	if (!rc)
		rc = list_table(s, err);
	if (!rc)
		rc = read_file(s, "HEAD", err);
	if (!rc)
		rc = dav_push_read(s, "info/refs", INFO_REFS_BYTES_MAX, &s->info_refs, &s->has_info_refs, err);
	if (rc < 0)
		return rc;
	remote_refs_sort(&s->refs);
	resolve_symrefs(s);
	return 0;
}

int dav_push_read_ref(struct dav_push *s, const char *name, struct object_id *out, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	const struct remote_ref *known = remote_refs_find(&s->refs, name);
	bool there;
	int rc = dav_push_read(s, name, REF_BYTES_MAX, &text, &there, err);

	*out = s->r->algo->null_oid;
	if (!rc && there && !parse_oid(s, text.buf, out))
		rc = err_set(err, ERR_CORRUPT, "the server's ref '%s' is damaged", name);
	else if (!rc && !there && known && strset_contains(&s->in_table, name) && !strset_contains(&s->loose, name))
		*out = known->oid;
	strbuf_release(&text);
	return rc;
}

/* ---- info/refs ---- */

/* The object a tag points to, if it is known here; else as the old file has it. */
static bool find_peeled(const struct dav_push *s, const char *name, const struct object_id *oid, struct strbuf *out)
{
	struct object_id peeled;
	enum object_type type;
	uint64_t size;
	char *before;
	const char *at;

	if (odb_has_quick(s->r->odb, oid)) {
		if (odb_type(s->r->odb, oid, &type, &size, NULL) < 0 || type != OBJ_TAG ||
		    object_peel(odb_source_unreplaced(s->r->odb), oid, OBJ_ANY, &peeled, NULL, NULL) < 0)
			return false;
		strbuf_addstr(out, oid_hex(&peeled));
		return true;
	}
	before = xstrfmt("%s\t%s\n", oid_hex(oid), name);
	at = strstr(s->info_refs.buf, before);
	at = at ? at + strlen(before) : NULL;
	free(before);
	if (!at || strcspn(at, "\t\n") != s->r->algo->hex_len)
		return false;
	before = xstrfmt("\t%s^{}\n", name);
	if (starts_with(at + s->r->algo->hex_len, before))
		strbuf_add(out, at, s->r->algo->hex_len);
	free(before);
	return out->len > 0;
}

static void add_packed_line(const struct dav_push *s, const char *name, const struct object_id *oid, struct strbuf *out)
{
	struct strbuf peeled = STRBUF_INIT;

	strbuf_addf(out, "%s\t%s\n", oid_hex(oid), name);
	if (find_peeled(s, name, oid, &peeled))
		strbuf_addf(out, "%s\t%s^{}\n", peeled.buf, name);
	strbuf_release(&peeled);
}

void dav_push_info_refs(const struct dav_push *s, const struct push_list *l, struct strbuf *out)
{
	struct remote_refs now = REMOTE_REFS_INIT;
	struct strset changed = STRSET_INIT;

	for (size_t i = 0; i < l->nr; i++) {
		const struct push_update *u = &l->items[i];

		if (u->status != PUSH_OK)
			continue;
		strset_add(&changed, u->dst);
		if (!oid_is_null(&u->new_oid))
			remote_refs_add(&now, u->dst)->oid = u->new_oid;
	}
	for (size_t i = 0; i < s->refs.nr; i++) {
		const struct remote_ref *ref = &s->refs.items[i];

		if (starts_with(ref->name, "refs/") && !oid_is_null(&ref->oid) && !strset_contains(&changed, ref->name))
			remote_refs_add(&now, ref->name)->oid = ref->oid;
	}
	remote_refs_sort(&now);
	for (size_t i = 0; i < now.nr; i++)
		add_packed_line(s, now.items[i].name, &now.items[i].oid, out);
	remote_refs_release(&now);
	strset_clear(&changed);
}
