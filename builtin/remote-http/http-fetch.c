/* SPDX-License-Identifier: GPL-2.0-only */
/* git-http-fetch(1): objects of a server that knows only files, and perhaps refs that name them, in one operation. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/remote-http/remote-http.h"
#include "cli/stdin-lines.h"
#include "transport/http/http-walk.h"
#include "util/alloc.h"
#include "util/trace2.h"

#define REF_BYTES_MAX ((size_t)4096)

static const char *const usage[] = {
	"git http-fetch [-c] [-t] [-a] [-d] [-v] [-w <filename>] [--recover] [--stdin | <commit>] <URL>",
	NULL
};

struct http_fetch {
	struct http_helper h;
	int verbose, from_stdin, recover;
	const char *write_ref;
	struct oid_array wants;
	struct strvec refs; /* for each of wants what it is written to; "": nothing */
};

/* ---- wanted objects ---- */

/* An id, or the name of a file below refs/ of the server. */
static int resolve(struct http_fetch *f, const char *name, struct object_id *oid, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	const char *end;
	char *url;
	int rc = 0;

	if (!oid_parse_hex(oid, name, f->h.r->algo, &end) && !*end)
		return 0;
	if (!refname_is_valid(name, REFNAME_ALLOW_ONELEVEL))
		return err_set(err, ERR_INVALID, "Could not interpret response from server '%s' as something to pull", name);
	url = xstrfmt("%srefs/%s", http_base(f->h.client), name);
	rc = http_get_text(f->h.client, url, REF_BYTES_MAX, &text, err);
	if (!rc && (oid_parse_hex(oid, text.buf, f->h.r->algo, &end) < 0 || (*end && *end != '\n')))
		rc = err_set(err, ERR_CORRUPT, "'%s' has no object name", url);
	strbuf_release(&text);
	free(url);
	return rc;
}

static int add_want(struct http_fetch *f, const char *name, const char *ref, struct err *err)
{
	struct object_id oid;
	int rc = resolve(f, name, &oid, err);

	if (rc < 0)
		return rc;
	oid_array_append(&f->wants, &oid);
	strvec_push(&f->refs, ref ? ref : "");
	return 0;
}

static int read_wants(struct http_fetch *f, struct err *err)
{
	struct stdin_lines in = STDIN_LINES_INIT;
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && stdin_lines_next(&in, &line)) {
		char *tab = strchr(line.buf, '\t');

		if (tab)
			*tab++ = '\0';
		if (line.len)
			rc = add_want(f, line.buf, tab, err);
	}
	stdin_lines_release(&in);
	strbuf_release(&line);
	return rc;
}

/* ---- the operation ---- */

static int write_ref(struct http_fetch *f, size_t i, const char *msg, struct ref_transaction *t, struct err *err)
{
	const struct object_id *oid = &f->wants.oid[i];
	char *name = xconcat("refs/", f->refs.v[i]);
	struct object_id peeled;
	enum object_type type;
	int rc = http_walk_peel(f->h.walk, oid, &type, &peeled, err);

	if (!rc)
		rc = ref_transaction_update(t, name, oid, NULL, 0, msg, err);
	if (!rc)
		ref_transaction_know_value(t, type, &peeled);
	free(name);
	return rc;
}

static int write_refs(struct http_fetch *f, const char *url, struct repo_operation *op, struct err *err)
{
	struct ref_transaction *t = NULL;
	char *msg = xstrfmt("fetch from %s", url);
	int rc = 0;

	for (size_t i = 0; !rc && i < f->wants.nr; i++) {
		if (!*f->refs.v[i])
			continue;
		if (!t)
			rc = repo_operation_begin_refs(op, 0, &t, err);
		if (!rc)
			rc = write_ref(f, i, msg, t, err);
	}
	free(msg);
	return rc;
}

static int http_fetch_run(struct http_fetch *f, const char *commit, const char *url,
			  struct err *err)
{
	struct repo_operation *op;
	int rc = remote_http_begin(&f->h, err);

	if (!rc && !f->h.r)
		rc = err_set(err, ERR_NOT_FOUND, "not a git repository (or any of the parent directories): .git");
	if (!rc)
		rc = remote_http_open(&f->h, url, err);
	if (!rc)
		rc = commit ? add_want(f, commit, f->write_ref, err) : read_wants(f, err);
	if (rc < 0)
		return rc;
	op = repo_operation_begin(f->h.r);
	rc = repo_operation_open_objects(op, err);
	if (!rc)
		rc = remote_http_walk(&f->h, &f->wants, f->recover, op, err);
	if (!rc)
		rc = write_refs(f, url, op, err);
	return repo_operation_end(op, rc, err);
}

int http_fetch_main(int argc, const char **argv)
{
	struct http_fetch f = { .h = HTTP_HELPER_INIT, .wants = OID_ARRAY_INIT, .refs = STRVEC_INIT };
	int ignored = 0;
	const struct option opts[] = {
		OPT_BOOL('c', NULL, &ignored, "of no meaning any more"),
		OPT_BOOL('t', NULL, &ignored, "of no meaning any more"),
		OPT_BOOL('a', NULL, &ignored, "of no meaning any more"),
		OPT_BOOL('d', NULL, &ignored, "of no meaning any more"),
		OPT_BOOL('v', NULL, &f.verbose, "report each download"),
		OPT_STRING('w', NULL, &f.write_ref, "filename", "write the commit's name to refs/<filename>"),
		OPT_BOOL(0, "recover", &f.recover, "walk the whole history, also objects that are here"),
		OPT_BOOL(0, "stdin", &f.from_stdin, "take names, and what to write them to, from standard input"),
		OPT_END()
	};
	struct err err = ERR_INIT;
	int rc;

	trace2_start(argv);
	trace2_cmd_name("http-fetch");
	if (argc == 2 && !strcmp(argv[1], "-h"))
		usage_with_options(usage, opts); /* on standard error, as an unknown option */
	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != (f.from_stdin ? 1 : 2))
		usage_with_options(usage, opts);
	f.h.url = argv[argc - 1];
	f.h.verbosity = f.verbose;
	f.h.alone = true;
	rc = http_fetch_run(&f, f.from_stdin ? NULL : argv[0], f.h.url, &err);
	if (rc < 0) {
		report_error(&err);
		rc = 1;
	}
	remote_http_end(&f.h);
	oid_array_clear(&f.wants);
	strvec_clear(&f.refs);
	trace2_exit(rc);
	return rc;
}
