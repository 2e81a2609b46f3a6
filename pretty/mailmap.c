/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "pretty/pretty.h"
#include "fs/file.h"
#include "object/ident.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/path.h"
#include "history/names/revparse.h"

struct person {
	char *name, *mail; /* NULL: not changed */
};

/* What one address is mapped to: for any name, and for certain names. */
struct address {
	struct person any;
	struct strmap by_name; /* to struct person */
};

struct mailmap {
	struct strmap by_mail; /* to struct address */
};

static void free_person(void *data)
{
	struct person *p = data;

	free(p->name);
	free(p->mail);
	free(p);
}

static void free_address(void *data)
{
	struct address *a = data;

	free(a->any.name);
	free(a->any.mail);
	strmap_clear(&a->by_name, free_person);
	free(a);
}

static struct mailmap *mailmap_new(void)
{
	struct mailmap *m = xcalloc(1, sizeof(*m));

	m->by_mail = (struct strmap)STRMAP_INIT_ICASE;
	return m;
}

void mailmap_free(struct mailmap *m)
{
	if (!m)
		return;
	strmap_clear(&m->by_mail, free_address);
	free(m);
}

/* ---- the file ---- */

static void set(struct person *p, const char *name, const char *mail)
{
	if (name) {
		free(p->name);
		p->name = xstrdup(name);
	}
	if (mail) {
		free(p->mail);
		p->mail = xstrdup(mail);
	}
}

static void mailmap_add(struct mailmap *m, const char *new_name, const char *new_mail,
			const char *old_name, const char *old_mail)
{
	struct address *a;
	struct person *p;

	/* A single address is the one to be replaced. */
	if (!old_mail) {
		old_mail = new_mail;
		new_mail = NULL;
	}
	a = strmap_get(&m->by_mail, old_mail);
	if (!a) {
		CALLOC_ARRAY(a, 1);
		a->by_name = (struct strmap)STRMAP_INIT_ICASE;
		strmap_put(&m->by_mail, old_mail, a);
	}
	if (!old_name) {
		set(&a->any, new_name, new_mail);
		return;
	}
	p = strmap_get(&a->by_name, old_name);
	if (!p) {
		CALLOC_ARRAY(p, 1);
		strmap_put(&a->by_name, old_name, p);
	}
	set(p, new_name, new_mail);
}

/* As Git sees it: no vertical tab and no form feed. */
#define WHITESPACE " \t\n\r"

/*
 * "NAME <MAIL>" at *s, cut in place and skipped; *name NULL: there is no name. False: no
 * address follows.
 */
static bool parse_pair(char **s, char **name, char **mail, bool need_mail)
{
	char *lt = strchr(*s, '<'), *gt = lt ? strchr(lt, '>') : NULL, *end;

	if (!gt || (need_mail && gt == lt + 1))
		return false;
	*name = *s + strspn(*s, WHITESPACE);
	for (end = lt; end > *name && strchr(WHITESPACE, end[-1]); end--)
		;
	*end = '\0';
	*gt = '\0';
	*mail = lt + 1;
	if (end <= *name)
		*name = NULL;
	*s = gt + 1;
	return true;
}

static void parse_line(struct mailmap *m, char *line)
{
	char *name1, *mail1, *name2 = NULL, *mail2 = NULL;

	if (*line == '#' || !parse_pair(&line, &name1, &mail1, true))
		return;
	parse_pair(&line, &name2, &mail2, false);
	if (name1 || mail2)
		mailmap_add(m, name1, mail1, name2, mail2);
}

static void parse(struct mailmap *m, const char *text, size_t len)
{
	const char *end, *stop = text + len;

	for (; text < stop; text = end + 1) {
		char *line;

		end = memchr(text, '\n', stop - text);
		if (!end)
			end = stop;
		line = xmemdupz(text, end - text);
		parse_line(m, line);
		free(line);
	}
}

struct mailmap *mailmap_parse(const char *text, size_t len)
{
	struct mailmap *m = mailmap_new();

	parse(m, text, len);
	return m;
}

#define MAILMAP_MAX ((size_t)64 << 20) /* bytes */

static int read_map_file(struct mailmap *m, const char *path, bool follow, struct err *err)
{
	struct strbuf buf = STRBUF_INIT;
	struct stat st;
	int rc;

	/* .mailmap of the work tree must not be a symlink to some other file. */
	if (!follow && !lstat(path, &st) && S_ISLNK(st.st_mode))
		return 0;
	rc = read_file(&buf, path, MAILMAP_MAX, err);
	if (!rc)
		parse(m, buf.buf, buf.len);
	strbuf_release(&buf);
	return rc;
}

int mailmap_add_blob(struct mailmap *m, struct repository *r, const char *name, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_info info;
	struct object_id oid;
	int rc = revparse_oid(r, name, &oid, NULL);

	if (rc < 0)
		return 0;
	if (!odb_type(r->odb, &oid, &info.type, &info.size, NULL) && info.type != OBJ_BLOB)
		return err_set(err, ERR_INVALID, "mailmap is not a blob: %s", name);
	rc = odb_read_type(r->odb, &oid, OBJ_BLOB, &buf, err);
	if (!rc)
		parse(m, buf.data, buf.size);
	object_buf_release(&buf);
	return rc;
}

int mailmap_add_file(struct mailmap *m, const char *path, struct err *err)
{
	int rc = read_map_file(m, path, true, err);

	if (rc != ERR_NOT_FOUND)
		return rc;
	if (err)
		err_release(err);
	return 0;
}

int mailmap_read(struct mailmap **out, struct repository *r, struct err *err)
{
	struct mailmap *m = mailmap_new();
	const char *blob = NULL;
	char *file = NULL, *top;
	int rc = 0;

	if (!r) {
		(void)!read_map_file(m, ".mailmap", false, NULL);
		*out = m;
		return 0;
	}
	config_get_string(r->config, "mailmap.blob", &blob, NULL);
	if (!blob && r->bare)
		blob = "HEAD:.mailmap";
	if (r->worktree) {
		top = path_join(r->worktree, ".mailmap");
		(void)!read_map_file(m, top, false, NULL); /* a broken one is ignored */
		free(top);
	}
	if (blob)
		rc = mailmap_add_blob(m, r, blob, err);
	config_get_path(r->config, "mailmap.file", &file, NULL);
	if (!rc && file)
		rc = mailmap_add_file(m, file, err);
	free(file);
	if (rc < 0)
		mailmap_free(m);
	else
		*out = m;
	return rc;
}

/* ---- looking up ---- */

static void replace(const char *with, const char **text, size_t *len)
{
	if (with) {
		*text = with;
		*len = strlen(with);
	}
}

void mailmap_apply(const struct mailmap *m, const char **name, size_t *name_len,
		   const char **mail, size_t *mail_len)
{
	const struct address *a;
	const struct person *p = NULL;

	if (!m)
		return;
	a = strmap_get_mem(&m->by_mail, *mail, *mail_len);
	if (!a)
		return;
	if (a->by_name.nr)
		p = strmap_get_mem(&a->by_name, *name, *name_len);
	if (!p)
		p = &a->any;
	replace(p->name, name, name_len);
	replace(p->mail, mail, mail_len);
}

/* ---- a whole commit or tag ---- */

/* Append the ident line as the map has it. */
static void add_mapped(const struct mailmap *m, const char *line, size_t len, struct strbuf *out)
{
	const char *end = line + len, *name, *mail, *after;
	struct ident_split id;
	size_t name_len, mail_len;

	if (ident_split_line(&id, line, len) < 0) {
		strbuf_add(out, line, len);
		return;
	}
	name = id.name, name_len = id.name_len;
	mail = id.mail, mail_len = id.mail_len;
	mailmap_apply(m, &name, &name_len, &mail, &mail_len);
	if (name == id.name && mail == id.mail) {
		strbuf_add(out, line, len);
		return;
	}
	after = id.mail + id.mail_len;
	strbuf_addf(out, "%.*s <%.*s", (int)name_len, name, (int)mail_len, mail);
	strbuf_add(out, after, (size_t)(end - after));
}

static size_t ident_header(const char *line, size_t len)
{
	static const char *const names[] = { "author ", "committer ", "tagger " };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (len >= strlen(names[i]) && !memcmp(line, names[i], strlen(names[i])))
			return strlen(names[i]);
	return 0;
}

void mailmap_apply_to_object(const struct mailmap *m, const char *data, size_t size, struct strbuf *out)
{
	size_t at = 0;

	while (at < size && data[at] != '\n') {
		const char *line = data + at, *lf = memchr(line, '\n', size - at);
		size_t len = lf ? (size_t)(lf - line) : size - at, skip = ident_header(line, len);

		strbuf_add(out, line, skip);
		if (skip)
			add_mapped(m, line + skip, len - skip, out);
		else
			strbuf_add(out, line, len);
		if (lf)
			strbuf_addch(out, '\n');
		at += len + (lf != NULL);
	}
	strbuf_add(out, data + at, size - at);
}

/* ---- a walk ---- */

static void map_ident(const void *data, const char **name, size_t *name_len,
		      const char **mail, size_t *mail_len)
{
	mailmap_apply(data, name, name_len, mail, mail_len);
}

void mailmap_use_for_walk(const struct mailmap *m, struct rev_walk *w)
{
	rev_grep_map_idents(w, map_ident, m);
}
