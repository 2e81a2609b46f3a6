/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The remote helper for http and https: gitremote-helpers(7). It carries requests and answers and keeps nothing; what
 * they mean is its parent's business.
 */
#include "compat/posix.h"
#include <signal.h>
#include "builtin/builtin.h"
#include "builtin/fetch/fetch-common.h"
#include "builtin/remote-http/remote-http.h"
#include "compat/syscalls.h"
#include "credential/credential.h"
#include "repo/remotes.h"
#include "transport/http/http.h"
#include "util/alloc.h"
#include "util/run-command.h"
#include "util/trace2.h"

#define COMMAND_LINES_MAX 20000000u

/* ---- option ---- */

static bool set_flag(bool *flag, const char *value)
{
	int truth = config_parse_maybe_bool(value);

	if (truth >= 0)
		*flag = truth;
	return truth >= 0;
}

/* Those of a fetch, for gitremote-helpers(7), "fetch". */
static bool set_fetch_option(struct http_helper *h, const char *name, const char *value)
{
	static const struct {
		const char *name, *option;
		bool flag;
	} options[] = {
		{ "depth", "--depth", false }, { "deepen-since", "--shallow-since", false },
		{ "deepen-not", "--shallow-exclude", false }, { "deepen-relative", "--deepen-relative", true },
		{ "cloning", "--cloning", true }, { "update-shallow", "--update-shallow", true },
		{ "followtags", "--include-tag", true }, { "from-promisor", "--from-promisor", true },
		{ "refetch", "--refetch", true }, { "filter", "--filter", false },
		{ "check-connectivity", "--check-self-contained-and-connected", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (strcmp(options[i].name, name))
			continue;
		if (!options[i].flag)
			strvec_pushf(&h->fetch_options, "%s=%s", options[i].option, value);
		else if (!strcmp(value, "true"))
			strvec_push(&h->fetch_options, options[i].option);
		return !options[i].flag || config_parse_maybe_bool(value) >= 0;
	}
	return false;
}

/*
 * "gitdir PATH", an option of ours alone: a clone has made its repository after "list". Thus the helper that knows the
 * password by now also fetches.
 */
static bool use_gitdir(struct http_helper *h, const char *path)
{
	return !h->r && !repo_open_at(&h->r, path, NULL, NULL);
}

static int take_option(struct http_helper *h, const char *text, struct err *err)
{
	char *name = xstrndup(text, strcspn(text, " "));
	const char *value = text + strlen(name) + (text[strlen(name)] == ' ');
	bool done = false;
	int64_t number;

	if (!strcmp(name, "verbosity")) {
		done = !config_parse_int64(value, &number, NULL);
		h->verbosity = done ? (int)number - 1 : h->verbosity;
	} else if (!strcmp(name, "family")) {
		h->ipv4 = !strcmp(value, "ipv4");
		h->ipv6 = !strcmp(value, "ipv6");
		done = h->ipv4 || h->ipv6 || !strcmp(value, "all");
	} else if (!strcmp(name, "progress")) {
		done = set_flag(&h->progress, value);
	} else if (!strcmp(name, "object-format")) {
		h->object_format = !strcmp(value, "true");
		done = h->object_format;
	} else if (!strcmp(name, "dry-run")) {
		done = set_flag(&h->dry_run, value);
	} else if (!strcmp(name, "stateless-rpc-any")) {
		done = set_flag(&h->any_version, value);
	} else if (!strcmp(name, "gitdir")) {
		done = use_gitdir(h, value);
	} else {
		done = set_fetch_option(h, name, value);
	}
	free(name);
	return remote_http_answer(done ? "ok\n" : "unsupported\n", err);
}

/* ---- list, fetch: for parents that do not take what stateless-connect offers ---- */

static int find_remote(struct http_helper *h, struct remotes **own, struct remote **out, struct err *err)
{
	int rc = remotes_read(own, h->config, hash_sha1, NULL, NULL, err);

	return rc ? rc : remotes_get(*own, h->url, out, err);
}

static int list_smart(struct http_helper *h, struct err *err)
{
	struct remote_refs refs = REMOTE_REFS_INIT;
	struct refs_query q = { .config = h->config, .verbosity = h->verbosity };
	struct strbuf out = STRBUF_INIT;
	struct remotes *own = NULL;
	struct remote *remote = NULL;
	int rc = find_remote(h, &own, &remote, err);

	if (!rc)
		rc = list_remote_refs(remote, &q, &refs, err);
	if (!rc && h->object_format && refs.nr)
		strbuf_addf(&out, ":object-format %s\n", hash_algo_by_id(refs.items[0].oid.algo)->name);
	for (size_t i = 0; !rc && i < refs.nr; i++) {
		const struct remote_ref *ref = &refs.items[i];

		if (ref->symref_target || !oid_is_null(&ref->oid))
			remote_http_add_ref(&out, ref);
	}
	strbuf_addch(&out, '\n');
	if (!rc)
		rc = remote_http_answer(out.buf, err);
	strbuf_release(&out);
	remote_refs_release(&refs);
	remotes_free(own);
	return rc;
}

static int list(struct http_helper *h, struct err *err)
{
	struct strbuf advertisement = STRBUF_INIT;
	int rc = remote_http_discover(h, "git-upload-pack", NULL, &advertisement, err);

	strbuf_release(&advertisement);
	if (rc < 0)
		return rc;
	return h->dumb ? remote_http_list_dumb(h, err) : list_smart(h, err);
}

static int run_fetch_pack(const struct http_helper *h, const struct strbuf *names, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	int code;

	strvec_pushl(&cp.args, "git", "fetch-pack", "--stdin", "--thin", "--lock-pack", NULL);
	if (h->verbosity < 0)
		strvec_push(&cp.args, "--quiet");
	if (!h->progress)
		strvec_push(&cp.args, "--no-progress");
	strvec_pushv(&cp.args, h->fetch_options.v);
	strvec_push(&cp.args, h->url);
	code = pipe_command(&cp, names->buf, names->len, NULL, NULL, 0, err);
	if (code > 0)
		return err_set(err, ERR_ABORTED, "fetch failed.");
	return code;
}

/* "fetch OID NAME" */
static int take_fetch_line(struct oid_array *wants, struct strbuf *names, const char *line, struct err *err)
{
	const char *rest, *name;
	struct object_id oid;

	if (!skip_prefix(line, "fetch ", &rest) ||
	    (oid_parse_hex(&oid, rest, hash_sha256, &name) < 0 && oid_parse_hex(&oid, rest, hash_sha1, &name) < 0) ||
	    *name != ' ' || wants->nr >= COMMAND_LINES_MAX)
		return err_set(err, ERR_INVALID, "http transport does not support %s", line);
	oid_array_append(wants, &oid);
	strbuf_addf(names, "%s\n", name + 1);
	return 0;
}

/* Up to an empty line; without one nothing is fetched, and the next read finds the end again. */
static int fetch(struct http_helper *h, const char *line, struct err *err)
{
	struct strbuf names = STRBUF_INIT, next = STRBUF_INIT;
	struct oid_array wants = OID_ARRAY_INIT;
	bool ended = false;
	int rc;

	strbuf_addstr(&next, line);
	do
		rc = take_fetch_line(&wants, &names, next.buf, err);
	while (!rc && !(ended = strbuf_getline_lf(&next, stdin) != 0) && next.len);
	if (!rc && !ended && h->dumb)
		rc = remote_http_fetch_dumb(h, &wants, err);
	else if (!rc && !ended)
		rc = run_fetch_pack(h, &names, err);
	if (!rc && !ended && !h->dumb)
		rc = remote_http_answer("\n", err);
	oid_array_clear(&wants);
	strbuf_release(&names);
	strbuf_release(&next);
	return rc;
}

/* ---- get ---- */

/* "get URL PATH": into PATH.temp, which goes on if it is there, and then into place. */
static int get(struct http_helper *h, const char *text, struct err *err)
{
	const char *space = strchr(text, ' ');
	char *url, *temp = NULL;
	struct stat st;
	uint64_t got;
	int fd = -1, rc;

	if (!space || !space[1])
		return err_set(err, ERR_INVALID, "protocol error: expected '<url> <path>', missing space");
	url = xstrndup(text, space - text);
	temp = xconcat(space + 1, ".temp");
	rc = remote_http_open(h, url, err);
	if (!rc)
		fd = RETRY_EINTR(sys->open(temp, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
	if (!rc && (fd < 0 || fstat(fd, &st) < 0))
		rc = err_set_errno(err, "cannot open '%s'", temp);
	if (!rc)
		rc = http_get_to_fd(h->client, url, fd, (uint64_t)st.st_size, http_most_bytes(fd), &got, err);
	if (fd >= 0 && sys->close(fd) < 0 && !rc)
		rc = err_set_errno(err, "cannot close '%s'", temp);
	if (!rc && sys->rename(temp, space + 1) < 0)
		rc = err_set_errno(err, "cannot rename '%s'", temp);
	if (!rc)
		rc = remote_http_answer("\n", err);
	free(url);
	free(temp);
	return rc;
}

/* ---- commands ---- */

/* 0; 1: it was the last one. */
static int run_command_line(struct http_helper *h, const char *line, struct err *err)
{
	const char *rest;

	if (!*line)
		return 1;
	if (!strcmp(line, "capabilities"))
		return remote_http_answer("stateless-connect\nfetch\npush\nget\noption\nobject-format\n\n", err);
	if (skip_prefix(line, "option ", &rest))
		return take_option(h, rest, err);
	if (skip_prefix(line, "stateless-connect ", &rest))
		return remote_http_connect(h, rest, err);
	if (!strcmp(line, "list"))
		return list(h, err);
	if (!strcmp(line, "list for-push"))
		return remote_http_list_for_push(h, err);
	if (starts_with(line, "fetch "))
		return fetch(h, line, err);
	if (starts_with(line, "push "))
		return remote_http_push(h, line, err);
	if (skip_prefix(line, "get ", &rest))
		return get(h, rest, err);
	return err_set(err, ERR_INVALID, "unknown command '%s' from git", line);
}

/* 1: the input ends before the empty line, or the command, that ends it. */
static int remote_http_run(struct http_helper *h, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && !strbuf_getline_lf(&line, stdin))
		rc = run_command_line(h, line.buf, err);
	strbuf_release(&line);
	return rc < 0 ? rc : !rc;
}

/* As in Git, the URL ends with a slash in messages. */
static int check_url(const char *text, struct err *err)
{
	const char *end = ends_with(text, "/") ? "" : "/";
	char *url = xstrfmt("%s%s", text, end);
	struct credential c;
	struct err why = ERR_INIT;
	int rc;

	credential_init(&c);
	rc = credential_from_url(&c, url, &why);
	if (rc < 0) {
		warning("%s", err_message(&why));
		rc = err_set(err, ERR_INVALID, "credential url cannot be parsed: %s", url);
	}
	err_release(&why);
	credential_release(&c);
	free(url);
	return rc;
}

int remote_http_main(int argc, const char **argv)
{
	struct http_helper h = HTTP_HELPER_INIT;
	struct err err = ERR_INIT;
	int rc;

	if (argc < 2)
		return error("remote-curl: usage: git remote-curl <remote> [<url>]"), 1;
	trace2_start(argv);
	trace2_cmd_name("remote-curl");
	h.url = argc > 2 ? argv[2] : argv[1];
	h.name = argc > 2 && strcmp(argv[1], argv[2]) ? argv[1] : NULL;
	signal(SIGPIPE, SIG_DFL);
	/* What follows a command is not for stdio. */
	setvbuf(stdin, NULL, _IONBF, 0);
	rc = remote_http_begin(&h, &err);
	if (!rc)
		rc = check_url(h.url, &err);
	if (!rc)
		rc = remote_http_run(&h, &err);
	if (rc < 0)
		rc = h.serving ? report_error(&err) : report_fatal(&err);
	remote_http_end(&h);
	trace2_exit(rc);
	remote_http_die_of_signal();
	return rc;
}
