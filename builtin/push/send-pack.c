/* SPDX-License-Identifier: GPL-2.0-only */
/* git-send-pack(1): a push as scripts give it, without remotes and their configuration. */
#include "compat/posix.h"
#include <signal.h>
#include "builtin/fetch/fetch-common.h"
#include "builtin/push/push-meter.h"
#include "builtin/push/push-report.h"
#include "cli/cli.h"
#include "builtin/builtin.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git send-pack [--mirror] [--dry-run] [--force] [--receive-pack=<git-receive-pack>]\n"
	"              [--verbose] [--thin] [--atomic] [--[no-]signed | --signed=(true|false|if-asked)]\n"
	"              [<host>:]<directory> (--all | <ref>...)",
	NULL
};

#define LINES_MAX 20000000u

struct send_pack {
	struct repository *r;
	struct refspec specs;
	struct push_list list;
	struct strvec push_options;
	enum push_signed sign;
	const char *receive_pack;
	bool unmatched;
	int all, mirror, dry_run, force, verbose, quiet, thin, atomic, progress, from_stdin;
};

static int send_pack_opt_signed(const struct option *opt, const char *arg, int unset)
{
	struct send_pack *p = opt->value;
	int truth = arg ? config_parse_maybe_bool(arg) : !unset;

	if (truth < 0 && strcasecmp(arg, "if-asked") != 0)
		die("bad signed argument: %s", arg);
	p->sign = truth < 0 ? PUSH_SIGNED_IF_ASKED : truth ? PUSH_SIGNED_ALWAYS : PUSH_SIGNED_NEVER;
	return 0;
}

static void add_spec(struct send_pack *p, const char *text)
{
	struct err err = ERR_INIT;

	if (refspec_add(&p->specs, text, p->r->algo, &err) < 0)
		die_err(&err);
}

/* One in a line. */
static void add_from_stdin(struct send_pack *p)
{
	struct strbuf line = STRBUF_INIT;
	size_t nr = 0;

	while (!strbuf_getline_lf(&line, stdin)) {
		if (++nr > LINES_MAX)
			die("too many refs on standard input");
		add_spec(p, line.buf);
	}
	strbuf_release(&line);
}

static void send_pack_choose_refspecs(struct send_pack *p, int argc, const char **argv)
{
	for (int i = 0; i < argc; i++)
		add_spec(p, argv[i]);
	if (p->from_stdin)
		add_from_stdin(p);
	if (p->specs.nr && (p->all || p->mirror))
		usage_with_options(usage, NULL);
	if (p->all)
		add_spec(p, "refs/heads/*");
	else if (!p->mirror && !p->specs.nr)
		add_spec(p, ":");
}

static int send_pack_connect(struct send_pack *p, const char *url, struct push_session **out,
			     struct err *err)
{
	struct connect_options co = { .config = p->r->config, .verbosity = p->verbose - p->quiet, .program = p->receive_pack,
				      .gitdir = p->r->gitdir_abs };
	const struct push_session_options so = { .algo = p->r->algo, .config = p->r->config, .url = url,
						 .tell = show_remote_words };
	int rc = client_protocol_version(p->r->config, &co.version, err);

	/* There is no push in version 2. */
	if (co.version == 2)
		co.version = 0;
	return rc < 0 ? rc : push_session_open_url(out, url, &co, &so, err);
}

static int send_pack_send(struct send_pack *p, struct push_session *s, struct err *err)
{
	const struct push_rules rules = { .atomic = p->atomic };
	unsigned flags = (p->mirror ? PUSH_MATCH_MIRROR | PUSH_MATCH_FORCE : 0) | (p->force ? PUSH_MATCH_FORCE : 0) |
			 (advice_enabled(p->r, "pushUnqualifiedRefName") ? PUSH_MATCH_ADVISE : 0);
	struct push_meters meters = { 0 };
	bool shown = !p->quiet && (p->progress > 0 || (p->progress < 0 && isatty(2)));
	struct push_request_options o = {
		.atomic = p->atomic, .thin = p->thin, .quiet = !shown, .dry_run = p->dry_run, .sign = p->sign,
		.push_options = &p->push_options, .meter = shown ? push_meters_show : NULL,
		.tell = push_meters_tell, .meter_data = &meters,
	};
	int rc = push_match(&p->list, p->r, push_session_refs(s), &p->specs, flags, err);

	p->unmatched = rc == ERR_INVALID;
	if (!rc)
		rc = push_check(&p->list, p->r, &rules, err);
	if (!rc && !p->list.nr && !push_session_refs(s)->nr)
		rc = err_set(err, ERR_NOT_FOUND, PUSH_NOTHING_TEXT);
	if (!rc)
		rc = push_session_send(s, p->r, &o, &p->list, err);
	push_meters_stop(&meters);
	return rc;
}

static int run(struct send_pack *p, const char *url)
{
	const struct push_table t = { .r = p->r, .url = url, .verbose = p->verbose > 0 };
	struct push_session *s = NULL;
	struct err err = ERR_INIT;
	bool changed = false;
	int rc = send_pack_connect(p, url, &s, &err);

	if (!rc)
		rc = push_session_end(s, send_pack_send(p, s, &err), &err);
	if (rc < 0 && rc != ERR_ABORTED && rc != ERR_INVALID)
		return report_fatal(&err);
	if (rc < 0 && err.msg)
		error("%s", err_message(&err));
	err_release(&err);
	if (p->atomic)
		push_tell_atomic(&p->list);
	if (p->list.nr && (!p->quiet || push_has_errors(&p->list)))
		push_table_print(&t, &p->list);
	for (size_t i = 0; i < p->list.nr; i++)
		changed |= p->list.items[i].status != PUSH_UP_TO_DATE;
	if (!rc && !changed && !p->quiet)
		fprintf(stderr, "Everything up-to-date\n");
	if (p->unmatched)
		return 255; /* Git's code for refspecs that do not match */
	return rc < 0 || push_has_errors(&p->list) ? 1 : 0;
}

int cmd_send_pack(int argc, const char **argv, struct command_ctx *ctx)
{
	struct send_pack p = { .r = ctx->repo, .specs = REFSPEC_INIT(REFSPEC_PUSH), .progress = -1, .push_options = STRVEC_INIT };
	struct option opts[] = {
		OPT_COUNTUP('v', "verbose", &p.verbose, "be more verbose"),
		OPT_COUNTUP('q', "quiet", &p.quiet, "be more quiet"),
		OPT_STRING(0, "receive-pack", &p.receive_pack, "receive-pack", "receive pack program"),
		OPT_STRING(0, "exec", &p.receive_pack, "receive-pack", "receive pack program"),
		OPT_BOOL('n', "dry-run", &p.dry_run, "dry run"),
		OPT_BOOL(0, "mirror", &p.mirror, "mirror all refs"),
		OPT_BOOL('f', "force", &p.force, "force updates"),
		OPT_CALLBACK_F(0, "signed", &p, "(yes|no|if-asked)", "GPG sign the push",
			       PARSE_OPT_OPTARG, send_pack_opt_signed),
		OPT_STRVEC(0, "push-option", &p.push_options, "server-specific", "option to transmit"),
		OPT_BOOL(0, "progress", &p.progress, "force progress reporting"),
		OPT_BOOL(0, "thin", &p.thin, "use thin pack"),
		OPT_BOOL(0, "atomic", &p.atomic, "request atomic transaction on remote side"),
		OPT_BOOL(0, "all", &p.all, "push all branches"),
		OPT_BOOL(0, "stdin", &p.from_stdin, "read refs from stdin"),
		OPT_END()
	};
	int code;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc < 1)
		usage_with_options(usage, opts);
	signal(SIGPIPE, SIG_IGN);
	send_pack_choose_refspecs(&p, argc - 1, argv + 1);
	code = run(&p, argv[0]);
	push_list_release(&p.list);
	refspec_release(&p.specs);
	strvec_clear(&p.push_options);
	return code;
}
