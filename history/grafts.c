/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "history/grafts.h"
#include "history/history.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/strbuf.h"

/* Bytes: of more than a million commits */
#define GRAFTS_MAX ((size_t)64 << 20)

static void free_graft(void *data)
{
	struct graft *g = data;

	oid_array_clear(&g->parents);
	free(g);
}

/* A damaged line of info/grafts is reported and left out, as in Git; one of "shallow" is an error. */
static int bad_graft_line(struct repository *r, const char *what, const char *line, bool shallow, const char *path,
			  struct err *err)
{
	char *text;

	if (shallow)
		return err_set(err, ERR_CORRUPT, "bad line in '%s': %s", path, line);
	text = xstrfmt("error: %s graft data: %s\n", what, line);
	repo_report_lines(r, text);
	free(text);
	return 0;
}

/* "COMMIT PARENT PARENT …", white space may follow; in "shallow" just the commit, and anything may follow, as in Git. */
static int parse_graft_line(struct grafts *all, struct repository *r, const char *line,
			    bool shallow, const char *path, struct err *err)
{
	struct object_id oid, parent;
	struct graft *g;
	const char *s;

	if (oid_parse_hex(&oid, line, r->algo, &s))
		return bad_graft_line(r, "bad", line, shallow, path, err);
	CALLOC_ARRAY(g, 1);
	g->shallow = shallow;
	while (*s == ' ' && !shallow) {
		if (oid_parse_hex(&parent, s + 1, r->algo, &s))
			break;
		oid_array_append(&g->parents, &parent);
	}
	while (!shallow && isspace((unsigned char)*s))
		s++;
	if (*s && !shallow) {
		free_graft(g);
		return bad_graft_line(r, "bad", line, shallow, path, err);
	}
	if (!shallow && oidmap_get(&all->by_oid, &oid)) {
		free_graft(g);
		return bad_graft_line(r, "duplicate", line, shallow, path, err);
	}
	g = oidmap_put(&all->by_oid, &oid, g);
	if (g)
		free_graft(g);
	return 0;
}

static int read_graft_file(struct grafts *all, struct repository *r, const char *name,
			   bool shallow, struct err *err)
{
	char *path = repo_path(r, "%s", name), *line, *end;
	struct strbuf buf = STRBUF_INIT;
	int rc = read_file(&buf, path, GRAFTS_MAX, NULL);

	if (!rc && !shallow)
		repo_note(r, "graftFileDeprecated",
			  "Support for <GIT_DIR>/info/grafts is deprecated\n"
			  "and will be removed in a future Git version.\n"
			  "\n"
			  "Please use \"git replace --convert-graft-file\"\n"
			  "to convert the grafts into replace refs.\n"
			  "\n"
			  "Turn this message off by running\n"
			  "\"git config set advice.graftFileDeprecated false\"");
	if (rc == ERR_NOT_FOUND)
		rc = 0;
	else if (rc < 0)
		rc = err_set(err, rc, "unable to read '%s'", path);
	for (line = buf.buf; !rc && *line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		else
			end = line + strlen(line);
		if (line[strspn(line, "\r \t")] && *line != '#')
			rc = parse_graft_line(all, r, line, shallow, path, err);
	}
	strbuf_release(&buf);
	free(path);
	return rc;
}

int grafts_read(struct grafts *g, struct repository *r, struct err *err)
{
	struct grafts read = { .by_oid = { .nr = 0 } };
	int rc = read_graft_file(&read, r, "info/grafts", false, err);

	if (!rc)
		rc = read_graft_file(&read, r, "shallow", true, err);
	if (rc < 0)
		grafts_clear(&read);
	else
		*g = read;
	return rc;
}

void grafts_clear(struct grafts *g)
{
	oidmap_clear(&g->by_oid, free_graft);
}

void grafts_add_shallow(struct grafts *g, const struct object_id *oid)
{
	struct graft *graft = xcalloc(1, sizeof(*graft));

	graft->shallow = true;
	graft = oidmap_put(&g->by_oid, oid, graft);
	if (graft)
		free_graft(graft);
}

const struct graft *graft_of(const struct grafts *g, const struct object_id *oid)
{
	return oidmap_get(&g->by_oid, oid);
}

bool repo_is_shallow(struct repository *r)
{
	char *path = repo_path(r, "shallow");
	struct stat st;
	bool shallow = !stat(path, &st) && st.st_size > 0;

	free(path);
	return shallow;
}

int repo_shallow_boundary(struct repository *r, struct oid_array *out, struct err *err)
{
	struct grafts g = { .by_oid = { .nr = 0 } };
	int rc = read_graft_file(&g, r, "shallow", true, err);
	const struct object_id *oid;
	void *value;

	for (size_t i = 0; !rc && oidmap_next(&g.by_oid, &i, &oid, &value);)
		oid_array_append(out, oid);
	oid_array_sort(out);
	grafts_clear(&g);
	return rc;
}
