/* SPDX-License-Identifier: GPL-2.0-only */
/* git-ls-remote(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/fetch/fetch-common.h"
#include "porcelain/remote-credentials.h"
#include "repo/remotes.h"
#include "util/alloc.h"
#include "util/versioncmp.h"
#include "util/wildmatch.h"

static const char *const usage[] = {
	"git ls-remote [--branches] [--tags] [--refs] [--upload-pack=<exec>]\n"
	"              [-q | --quiet] [--exit-code] [--get-url] [--sort=<key>]\n"
	"              [--symref] [<repository> [<patterns>...]]",
	NULL
};

struct ls_remote {
	int branches, tags, refs, quiet, exit_code, get_url, symref;
	const char *program;
	struct strvec sort, server_options;
	const char **patterns;
	int nr_patterns;
};

/* A pattern that matches the end of a name, from a slash on. */
static bool is_wanted(const struct ls_remote *l, const char *name)
{
	struct strbuf whole = STRBUF_INIT, pattern = STRBUF_INIT;
	bool found = !l->nr_patterns;

	strbuf_addf(&whole, "/%s", name);
	for (int i = 0; i < l->nr_patterns && !found; i++) {
		strbuf_reset(&pattern);
		strbuf_addf(&pattern, "*/%s", l->patterns[i]);
		found = wildmatch(pattern.buf, whole.buf, 0);
	}
	strbuf_release(&whole);
	strbuf_release(&pattern);
	return found;
}

static bool is_of_kind(const struct ls_remote *l, const char *name)
{
	if (!l->branches && !l->tags)
		return true;
	return (l->branches && starts_with(name, "refs/heads/")) ||
		(l->tags && starts_with(name, "refs/tags/"));
}

/* A line of the output: of a ref, or of what its tag leads to. */
struct line {
	const struct remote_ref *ref;
	const struct object_id *oid;
	char *name;
};

static const struct strvec *sort_keys;

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	for (size_t i = sort_keys->nr; i--;) {
		const char *key = sort_keys->v[i];
		bool reverse = *key == '-';
		int order;

		key += reverse;
		if (!strcmp(key, "objectname"))
			order = oid_cmp(x->oid, y->oid);
		else if (starts_with(key, "v:") || starts_with(key, "version:"))
			order = version_cmp(x->name, y->name, NULL, 0);
		else
			order = strcmp(x->name, y->name);
		if (order)
			return reverse ? -order : order;
	}
	return strcmp(x->name, y->name);
}

static void check_sort_keys(const struct ls_remote *l)
{
	static const char *const known[] = { "refname", "v:refname", "version:refname", "objectname" };

	for (size_t i = 0; i < l->sort.nr; i++) {
		const char *key = l->sort.v[i] + (*l->sort.v[i] == '-');
		bool found = false;

		for (size_t k = 0; k < ARRAY_SIZE(known); k++)
			found |= !strcmp(key, known[k]);
		if (!found)
			die("unknown field name: %s", key);
	}
}

static size_t choose_lines(const struct ls_remote *l, const struct remote_refs *refs, struct line *lines)
{
	size_t nr = 0;

	for (size_t i = 0; i < refs->nr; i++) {
		const struct remote_ref *ref = &refs->items[i];
		char *peeled = xstrfmt("%s^{}", ref->name);

		if ((!oid_is_null(&ref->oid) || ref->unknown || remote_ref_is_broken(ref)) && is_of_kind(l, ref->name)) {
			if (is_wanted(l, ref->name) && (!l->refs || starts_with(ref->name, "refs/")))
				lines[nr++] = (struct line){ ref, &ref->oid, xstrdup(ref->name) };
			if (!oid_is_null(&ref->peeled) && !l->refs && is_wanted(l, peeled))
				lines[nr++] = (struct line){ NULL, &ref->peeled, xstrdup(peeled) };
		}
		free(peeled);
	}
	return nr;
}

static bool print_refs(const struct ls_remote *l, const struct remote_refs *refs)
{
	struct line *lines = xcalloc(2 * refs->nr + 1, sizeof(*lines));
	size_t nr = choose_lines(l, refs, lines);

	sort_keys = &l->sort;
	if (l->sort.nr)
		qsort(lines, nr, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < nr; i++) {
		if (l->symref && lines[i].ref && lines[i].ref->symref_target)
			printf("ref: %s\t%s\n", lines[i].ref->symref_target, lines[i].name);
		printf("%s\t%s\n", oid_hex(lines[i].oid), lines[i].name);
		free(lines[i].name);
	}
	free(lines);
	return nr > 0;
}

static int list(const struct ls_remote *l, const struct repository *r, const struct remote *remote,
		const struct config_set *config, struct remote_refs *refs, struct err *err)
{
	struct strvec prefixes = STRVEC_INIT;
	struct refs_query q = {
		.config = config, .program = l->program, .server_options = &l->server_options,
		.prefixes = &prefixes, .gitdir = r ? r->gitdir : NULL, .verbosity = l->quiet ? -1 : 0,
	};
	int rc;

	if (l->branches && !l->nr_patterns)
		strvec_push(&prefixes, "refs/heads/");
	if (l->tags && !l->nr_patterns)
		strvec_push(&prefixes, "refs/tags/");
	rc = list_remote_refs(remote, &q, refs, err);
	strvec_clear(&prefixes);
	return rc;
}

static int ls_remote_run(struct ls_remote *l, struct repository *r, const char *name)
{
	const struct config_set *config = command_config(r);
	struct remote_refs refs = REMOTE_REFS_INIT;
	struct remotes *own = NULL;
	struct remote *remote = NULL;
	struct err err = ERR_INIT;
	bool any = false;
	int rc = r ? repo_remote(r, name, &remote, &err) : remotes_read(&own, config, hash_sha1, NULL, NULL, &err);

	if (!rc && !r)
		rc = remotes_get(own, name, &remote, &err);
	if (!rc)
		rc = remote_check_credentials(config, remote, &err);
	if (!rc && !remote->urls.nr)
		die(name ? "bad repository '%s'" : "No remote configured to list refs from.", name);
	if (!rc && l->get_url) {
		printf("%s\n", remote->urls.v[0]);
		remotes_free(own);
		return finish_stdout();
	}
	if (!rc)
		rc = list(l, r, remote, config, &refs, &err);
	if (!rc && !name && !l->quiet)
		fprintf(stderr, "From %s\n", remote->urls.v[0]);
	if (!rc)
		any = print_refs(l, &refs);
	remote_refs_release(&refs);
	remotes_free(own);
	if (rc < 0)
		return report_fatal(&err);
	if (finish_stdout())
		return 128;
	return l->exit_code && !any ? 2 : 0;
}

int cmd_ls_remote(int argc, const char **argv, struct command_ctx *ctx)
{
	struct ls_remote l = { .sort = STRVEC_INIT, .server_options = STRVEC_INIT };
	struct option opts[] = {
		OPT_BOOL('q', "quiet", &l.quiet, "do not print remote URL"),
		OPT_STRING(0, "upload-pack", &l.program, "exec", "path of git-upload-pack on the remote host"),
		OPT_STRING(0, "exec", &l.program, "exec", "path of git-upload-pack on the remote host"),
		OPT_BOOL('t', "tags", &l.tags, "limit to tags"),
		OPT_BOOL('b', "branches", &l.branches, "limit to branches"),
		OPT_BOOL('h', "heads", &l.branches, "deprecated synonym for --branches"),
		OPT_BOOL(0, "refs", &l.refs, "do not show peeled tags"),
		OPT_BOOL(0, "get-url", &l.get_url, "take url.<base>.insteadOf into account"),
		OPT_STRVEC(0, "sort", &l.sort, "key", "field name to sort on"),
		OPT_BOOL(0, "exit-code", &l.exit_code, "exit with exit code 2 if no matching refs are found"),
		OPT_BOOL(0, "symref", &l.symref, "show underlying ref in addition to the object pointed by it"),
		OPT_STRVEC('o', "server-option", &l.server_options, "server-specific",
			     "option to transmit"),
		OPT_END()
	};
	int code;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		usage_on_stdout(usage, opts);
	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_STOP_AT_NON_OPTION);
	check_sort_keys(&l);
	l.patterns = argv + 1;
	l.nr_patterns = argc > 1 ? argc - 1 : 0;
	code = ls_remote_run(&l, ctx->repo, argc ? argv[0] : NULL);
	strvec_clear(&l.sort);
	strvec_clear(&l.server_options);
	return code;
}
