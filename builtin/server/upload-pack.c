/* SPDX-License-Identifier: GPL-2.0-only */
/* git-upload-pack(1) */
#include "compat/posix.h"
#include <signal.h>
#include "builtin/builtin.h"
#include "repo/enter.h"
#include "upload-pack.h"
#include "wire/version.h"

static const char *const usage[] = {
	"git-upload-pack [--[no-]strict] [--timeout=<n>] [--stateless-rpc]\n"
	"                [--advertise-refs] <directory>",
	NULL
};

int cmd_upload_pack(int argc, const char **argv, struct command_ctx *ctx UNUSED)
{
	struct upload_pack_options o = { .in = 0, .out = 1, .confine = true };
	int stateless = 0, advertise = 0, strict = 0, timeout = 0, rc;
	struct option opts[] = {
		OPT_BOOL(0, "stateless-rpc", &stateless,
			 "quit after a single request/response exchange"),
		OPT_BOOL(0, "http-backend-info-refs", &advertise,
			 "serve up the info/refs for git-http-backend"),
		OPT_BOOL(0, "advertise-refs", &advertise, "another name of that"),
		OPT_BOOL(0, "strict", &strict,
			 "do not try <directory>/.git/ if <directory> is no Git directory"),
		OPT_INTEGER(0, "timeout", &timeout,
			    "interrupt transfer after <n> seconds of inactivity"),
		OPT_END()
	};
	struct repository *r;
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 1)
		usage_with_options(usage, opts);
	o.stateless_rpc = stateless;
	o.advertise_only = advertise;
	o.timeout_s = timeout > 0 ? (unsigned)timeout : 0;
	o.version = protocol_version_requested();
	if (repo_enter(argv[0], REPO_ENTER_ANY_OWNER | (strict ? REPO_ENTER_STRICT : 0), NULL, &err) < 0 ||
	    repo_open_at(&r, ".", NULL, &err) < 0)
		return report_fatal(&err);
	r->warn = warning_callback;
	/* A client that hangs up, and a file that may not grow, are errors like others. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	rc = upload_pack_serve(r, &o, &err);
	if (rc == UPLOAD_PACK_BROKER) {
		if (err.code)
			error("%s", err_message(&err));
		_exit(err.code ? 1 : 0);
	}
	repo_free(r);
	return rc < 0 ? report_fatal(&err) : 0;
}
