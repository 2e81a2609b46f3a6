/* SPDX-License-Identifier: GPL-2.0-only */
/* git-fetch-pack(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/fetch/fetch-common.h"
#include "builtin/pack/pack-input.h"
#include "cli/filter-option.h"
#include "cli/stdin-lines.h"
#include "history/alternate-refs.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git fetch-pack [--all] [--quiet|-q] [--keep|-k] [--thin] [--include-tag]\n"
	"               [--upload-pack=<git-upload-pack>]\n"
	"               [--depth=<n>] [--no-progress]\n"
	"               [-v] <repository> [<refs>...]",
	NULL
};

struct fetch_pack {
	struct repository *r;
	int all, from_stdin, quiet, keep, thin, include_tag, deepen_relative, refetch, no_progress;
	int check_connected, cloning, update_shallow, from_promisor, lock_pack, diag_url, verbose;
	const char *program, *since, *depth;
	struct strvec not_refs, server_options, names;
	struct filter_spec filter;
	struct pack_checks checks;
	struct pack_progress progress;
};

static int print_diagnosis(const char *text)
{
	static const char *const names[] = { "file", "ssh", "git", "helper" };
	struct remote_url u = REMOTE_URL_INIT;
	struct err err = ERR_INIT;

	if (remote_url_parse(&u, text, &err) < 0)
		return report_fatal(&err);
	printf("Diag: url=%s\nDiag: protocol=%s\n", text, names[u.kind]);
	if (u.kind == URL_SSH)
		printf("Diag: userandhost=%s\nDiag: port=%s\n", u.user_host && *u.user_host ? u.user_host : "NULL",
		       u.port ? u.port : "NONE");
	else if (u.kind == URL_GIT)
		printf("Diag: hostandport=%s\n", u.host_port);
	printf("Diag: path=%s\n", u.path ? u.path : u.address);
	remote_url_release(&u);
	return finish_stdout();
}

/* ---- wanted refs ---- */

/* "OID REF" names an object for a ref that the server may not list, as remote helpers have it. */
static const char *ref_with_oid(const struct fetch_pack *f, const char *text, struct object_id *oid)
{
	size_t len = f->r->algo->hex_len;
	char *hex;
	int rc;

	if (strlen(text) < len || (text[len] && text[len] != ' '))
		return NULL;
	hex = xstrndup(text, len);
	rc = oid_from_hex(oid, hex, f->r->algo);
	free(hex);
	return rc < 0 ? NULL : text[len] ? text + len + 1 : text;
}

/* Names of refs, and of objects by themselves, each once, with a flag for those found. */
static bool choose(struct fetch_pack *f, const struct remote_refs *refs, struct oid_array *wants,
		   struct remote_refs *got)
{
	bool ok = true;

	for (size_t i = 0; f->all && i < refs->nr; i++) {
		struct remote_ref *to = remote_refs_add(got, refs->items[i].name);

		to->oid = refs->items[i].oid;
	}
	for (size_t i = 0; i < f->names.nr; i++) {
		const struct remote_ref *ref = remote_refs_find(refs, f->names.v[i]);
		struct object_id oid;
		const char *name;

		if (ref && f->all)
			continue;
		if (ref) {
			remote_refs_add(got, ref->name)->oid = ref->oid;
		} else if ((name = ref_with_oid(f, f->names.v[i], &oid)) != NULL) {
			remote_refs_add(got, name)->oid = oid;
		} else {
			error("no such remote ref %s", f->names.v[i]);
			ok = false;
		}
	}
	for (size_t i = 0; i < got->nr; i++)
		if (!oid_is_null(&got->items[i].oid))
			oid_array_append(wants, &got->items[i].oid);
	oid_array_sort_unique(wants);
	return ok;
}

static int make_request(struct fetch_pack *f, struct fetch_wanted *w, struct err *err)
{
	const struct config_set *c = f->r->config;
	const char *algorithm = "consecutive";
	bool fsck = false;
	char *end;
	int rc = read_fetch_checks(&f->checks, f->r->config, f->r->algo, &fsck, err);

	if (rc >= 0)
		rc = config_get_string(c, "fetch.negotiationalgorithm", &algorithm, err);
	if (rc >= 0)
		rc = negotiation_algorithm_parse(algorithm, &w->algorithm, err);
	if (rc < 0)
		return rc;
	if (f->depth) {
		w->depth = (int)strtol(f->depth, &end, 10);
		if (*end || w->depth < 0)
			die("invalid depth %s", f->depth);
	}
	if (f->since)
		w->deepen_since = date_approxidate(f->since, NULL);
	w->fsck = fsck ? &f->checks.fsck : NULL;
	return 0;
}

/* What must not be named; it is no result. */
static bool drop_rejected(struct remote_refs *got, struct oid_array *rejected)
{
	size_t nr = 0;

	for (size_t i = 0; i < got->nr; i++) {
		struct remote_ref ref = got->items[i];

		if (oid_array_contains(rejected, &ref.oid)) {
			warning("rejected %s because shallow roots are not allowed to be updated", ref.name);
			free(ref.name);
			continue;
		}
		got->items[nr++] = ref;
	}
	if (nr == got->nr)
		return false;
	got->nr = nr;
	return true;
}

/* Into an operation that is committed when the server has ended well. */
static int get(struct fetch_pack *f, struct fetch_session *s, const struct fetch_wanted *w,
	       struct fetch_result *result, struct err *err)
{
	struct repo_operation *op = w->oids->nr ? repo_operation_begin(f->r) : NULL;
	int rc = op ? fetch_session_get(s, w, op, f->r, result, err) : 0;

	rc = fetch_session_end(s, rc, err);
	pack_progress_stop(&f->progress);
	return op ? repo_operation_end(op, rc, err) : rc;
}

/* The session ends with it. */
static int fetch(struct fetch_pack *f, struct fetch_session *s, struct remote_refs *got, bool *ok,
		 struct err *err)
{
	struct remote_refs refs = REMOTE_REFS_INIT;
	struct oid_array wants = OID_ARRAY_INIT, borrowed = OID_ARRAY_INIT;
	struct fetch_wanted w = {
		.oids = &wants, .borrowed = &borrowed, .deepen_relative = f->deepen_relative, .deepen_not = &f->not_refs,
		.update_shallow = f->update_shallow || f->cloning, .filter = &f->filter,
		.from_promisor = f->from_promisor, .sought = got, .refetch = f->refetch, .include_tag = f->include_tag,
		.thin = f->thin, .keep = f->keep || f->lock_pack, .lock_pack = f->lock_pack || f->keep > 1,
		.quiet = f->quiet || f->no_progress,
	};
	struct fetch_result result;
	int rc = make_request(f, &w, err);

	fetch_result_init(&result);
	if (!w.quiet && isatty(2)) {
		w.meter = pack_progress_update;
		w.meter_data = &f->progress;
	}
	if (!rc)
		rc = fetch_session_refs(s, NULL, &refs, err);
	if (!rc)
		*ok = choose(f, &refs, &wants, got);
	if (!rc && !f->refetch && !fetch_wanted_deepens(&w))
		rc = fetch_drop_present(f->r, f->from_promisor, NULL, &wants, err);
	if (!rc && wants.nr)
		rc = alternate_refs_collect(f->r, &borrowed, err);
	if (rc < 0)
		rc = fetch_session_end(s, rc, err);
	else
		rc = get(f, s, &w, &result, err);
	if (!rc && w.lock_pack && result.objects)
		printf("keep\t%s\n", oid_hex(&result.pack));
	if (!rc && drop_rejected(got, &result.rejected))
		*ok = false;
	fetch_result_release(&result);
	remote_refs_release(&refs);
	oid_array_clear(&borrowed);
	oid_array_clear(&wants);
	return rc;
}

static int fetch_pack_run(struct fetch_pack *f, const char *repository)
{
	struct connect_options co = { .config = f->r->config, .program = f->program };
	struct fetch_session_options so = { .algo = f->r->algo, .config = f->r->config, .url = repository,
					    .server_options = &f->server_options };
	struct remote_url url = REMOTE_URL_INIT;
	struct remote_refs got = REMOTE_REFS_INIT;
	struct fetch_session *s = NULL;
	struct err err = ERR_INIT;
	struct connection *c;
	bool ok = true;
	int rc = client_protocol_version(f->r->config, &co.version, &err);

	so.tell = f->quiet ? NULL : show_remote_words;
	if (!rc)
		rc = remote_url_parse(&url, repository, &err);
	if (!rc)
		rc = connect_service(&c, &url, "git-upload-pack", &co, &err);
	if (!rc)
		rc = fetch_session_open(&s, c, &so, &err);
	if (!rc && fetch_session_is_helper(s))
		rc = fetch_session_end(s, err_set(&err, ERR_UNSUPPORTED, "remote helper '%s' cannot connect", url.scheme), &err);
	if (!rc)
		rc = fetch(f, s, &got, &ok, &err);
	/* D2: told after the seal. */
	for (size_t i = 0; !rc && i < got.nr; i++)
		printf("%s %s\n", oid_hex(&got.items[i].oid), got.items[i].name);
	remote_refs_release(&got);
	remote_url_release(&url);
	if (rc < 0)
		return report_fatal(&err);
	return finish_stdout() ? 128 : !ok;
}

int cmd_fetch_pack(int argc, const char **argv, struct command_ctx *ctx)
{
	struct fetch_pack f = { .r = ctx->repo, .not_refs = STRVEC_INIT, .server_options = STRVEC_INIT,
				.names = STRVEC_INIT, .filter = FILTER_SPEC_INIT,
				.progress = { .reading = "Receiving objects", .unpacking = "Unpacking objects", .resolving = "Resolving deltas",
					      .forced = true } };
	struct option opts[] = {
		OPT_BOOL(0, "all", &f.all, "fetch all refs"),
		OPT_BOOL(0, "stdin", &f.from_stdin, "take the list of refs from stdin"),
		OPT_BOOL('q', "quiet", &f.quiet, "be quiet"),
		OPT_COUNTUP('k', "keep", &f.keep, "keep the pack; twice: with a file .keep"),
		OPT_BOOL(0, "lock-pack", &f.lock_pack, "with a file .keep"),
		OPT_BOOL(0, "thin", &f.thin, "take a thin pack"),
		OPT_BOOL(0, "include-tag", &f.include_tag, "also take tags that point at sent objects"),
		OPT_STRING(0, "upload-pack", &f.program, "exec", "the program of the other side"),
		OPT_STRING(0, "exec", &f.program, "exec", "the same"),
		OPT_STRING(0, "depth", &f.depth, "n", "limit the history"),
		OPT_STRING(0, "shallow-since", &f.since, "date", "deepen back to that time"),
		OPT_STRVEC(0, "shallow-exclude", &f.not_refs, "ref", "deepen up to that ref"),
		OPT_BOOL(0, "deepen-relative", &f.deepen_relative, "--depth counts from the boundary"),
		OPT_BOOL(0, "refetch", &f.refetch, "as if nothing were here"),
		OPT_BOOL(0, "no-progress", &f.no_progress, "show no progress"),
		OPT_BOOL(0, "check-self-contained-and-connected", &f.check_connected,
			 "tell whether the pack is complete by itself"),
		OPT_BOOL(0, "cloning", &f.cloning, "nothing is here yet"),
		OPT_BOOL(0, "update-shallow", &f.update_shallow, "take up the server's boundary"),
		OPT_BOOL(0, "from-promisor", &f.from_promisor, "the pack is a promisor's"),
		OPT_CALLBACK(0, "filter", &f.filter, "spec", "leave objects out", filter_option),
		OPT_STRVEC('o', "server-option", &f.server_options, "option", "for the server"),
		OPT_BOOL(0, "diag-url", &f.diag_url, "only show what the URL means"),
		OPT_COUNTUP('v', "verbose", &f.verbose, "be verbose"),
		OPT_END()
	};
	struct stdin_lines in = STDIN_LINES_INIT;
	struct strbuf line = STRBUF_INIT;
	int code;

	pack_checks_init(&f.checks, print_pack_finding);
	argc = parse_options(argc, argv, opts, usage, 0);
	if (!argc)
		usage_with_options(usage, opts);
	if (f.diag_url)
		return print_diagnosis(argv[0]);
	if (!f.r)
		die("not a git repository (or any of the parent directories): .git");
	for (int i = 1; i < argc; i++)
		strvec_push(&f.names, argv[i]);
	while (f.from_stdin && stdin_lines_next(&in, &line))
		strvec_push(&f.names, line.buf);
	stdin_lines_release(&in);
	strbuf_release(&line);
	strvec_sort_unique(&f.names);
	/* A promisor remote has to promise the objects that the filter leaves out. */
	f.from_promisor |= f.filter.nr > 0;
	code = f.all || f.names.nr ? fetch_pack_run(&f, argv[0]) : 1;
	pack_checks_release(&f.checks);
	strvec_clear(&f.not_refs);
	strvec_clear(&f.server_options);
	strvec_clear(&f.names);
	filter_spec_release(&f.filter);
	return code;
}
