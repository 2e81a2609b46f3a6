/* SPDX-License-Identifier: GPL-2.0-only */
/* git-receive-pack(1) */
#include "compat/posix.h"
#include <signal.h>
#include "builtin/builtin.h"
#include "cli/git-options.h"
#include "porcelain/auto-maintenance.h"
#include "receive-pack.h"
#include "repo/enter.h"
#include "wire/version.h"

static const char *const usage[] = { "git receive-pack <git-dir>", NULL };

/* ---- after a push ---- */

static int pack_refs(struct repository *r, struct strvec *args, struct err *err)
{
	bool due = false;
	int rc = refs_pack_is_due(r->refs, &due, err);

	if (rc < 0 || !due)
		return rc;
	push_own_command(args, "pack-refs");
	strvec_pushl(args, "--all", "--auto", NULL);
	return 1;
}

static int next_upkeep(struct repository *r, const struct receive_config *c, unsigned step, struct strvec *args,
		       struct err *err)
{
	switch (step) {
	case 0:
		return c->auto_gc ? pack_refs(r, args, err) : 0;
	case 1:
		return c->auto_gc ? auto_maintenance_command(r, true, args, err) : 0;
	case 2:
		if (!c->update_server_info)
			return 0;
		push_own_command(args, "update-server-info");
		return 1;
	default:
		return RECEIVE_UPKEEP_END;
	}
}

int cmd_receive_pack(int argc, const char **argv, struct command_ctx *ctx UNUSED)
{
	struct receive_pack_options o = { .in = 0, .out = 1, .upkeep = next_upkeep,
					  .confine = true };
	int stateless = 0, advertise = 0, skip = 0, quiet = 0, version, rc;
	struct option opts[] = {
		OPT_BOOL('q', "quiet", &quiet, "be quiet"),
		OPT_BOOL(0, "skip-connectivity-check", &skip, "do not check that all objects are there"),
		OPT_BOOL(0, "stateless-rpc", &stateless, "quit after a single request/response exchange"),
		OPT_BOOL(0, "http-backend-info-refs", &advertise, "serve up the info/refs for git-http-backend"),
		OPT_BOOL(0, "advertise-refs", &advertise, "another name of that"),
		OPT_END()
	};
	struct repository *r;
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 1)
		usage_with_options(usage, opts);
	version = protocol_version_requested();
	o.version = version == 1; /* there is no push in version 2: it gets version 0 */
	o.stateless_rpc = stateless;
	o.advertise_only = advertise;
	o.skip_connectivity = skip;
	if (repo_enter(argv[0], 0, NULL, &err) < 0 || repo_open_at(&r, ".", NULL, &err) < 0)
		return report_fatal(&err);
	r->warn = warning_callback;
	/* A client that hangs up, and a file that may not grow, are errors like others. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	rc = receive_pack_serve(r, &o, &err);
	repo_free(r);
	return rc < 0 ? report_fatal(&err) : 0;
}
