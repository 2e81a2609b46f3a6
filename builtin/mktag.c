/* SPDX-License-Identifier: GPL-2.0-only */
/* git-mktag(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "fs/file.h"
#include "object/fsck.h"
#include "object/tag.h"
#include "operation/operation.h"

static const char *const usage[] = { "git mktag", NULL };

struct mktag {
	int strict;
	struct fsck_options checks;
};

static int report_problem(void *data, const struct object_id *oid UNUSED,
			  enum object_type type UNUSED,
		enum fsck_severity severity, const char *msg_id, const char *text)
{
	struct mktag *m = data;
	bool bad = severity == FSCK_ERROR || m->strict;

	fprintf(stderr, "%s: tag input does not pass fsck: %s: %s\n",
		bad ? "error" : "warning", msg_id, text);
	return bad;
}

/* Extra headers are found here, though fsck lets them pass; fsck.<msg-id> decides. */
static void set_severities(struct mktag *m, const struct config_set *c)
{
	struct err err = ERR_INIT;

	if (fsck_set_severity(&m->checks, "extraHeaderEntry", "warn", &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);
		const char *id;

		if (!skip_prefix(e->key, "fsck.", &id) || !fsck_msg_id_exists(id))
			continue;
		if (fsck_set_severity(&m->checks, id, e->value ? e->value : "", &err) < 0)
			die_err(&err);
	}
}

static void mktag_check_target(struct repository *r, const struct strbuf *text)
{
	struct object_info info;
	struct err err = ERR_INIT;
	struct tag_view tag;

	if (tag_parse(&tag, text->buf, text->len, r->algo, &err) < 0)
		die_err(&err);
	if (odb_type(r->odb, &tag.target, &info.type, &info.size, NULL) < 0)
		die("could not read tagged object '%s'", oid_hex(&tag.target));
	if (info.type != tag.target_type)
		die("object '%s' tagged as '%s', but is a '%s' type", oid_hex(&tag.target),
		    object_type_name(tag.target_type), object_type_name(info.type));
}

int cmd_mktag(int argc, const char **argv, struct command_ctx *ctx)
{
	struct mktag m = { .strict = 1 };
	struct repository *r = ctx->repo;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct object_id oid;
	struct option opts[] = {
		OPT_BOOL(0, "strict", &m.strict, "enable more strict checking"),
		OPT_END()
	};

	parse_options(argc, argv, opts, usage, 0);
	if (read_fd(&text, 0, 0, "standard input", &err) < 0)
		die("could not read from stdin: %s", err_message(&err));
	m.checks.report = report_problem;
	m.checks.data = &m;
	set_severities(&m, r->config);
	if (hash_object_buf(r->algo, "tag", text.buf, text.len, &oid, &err) < 0)
		die_err(&err);
	if (fsck_object(&m.checks, &oid, OBJ_TAG, text.buf, text.len, r->algo))
		die("tag on stdin did not pass our strict fsck check");
	mktag_check_target(r, &text);
	if (repo_operation_write_object(r, OBJ_TAG, text.buf, text.len, &oid, &err) < 0)
		die("unable to write tag file: %s", err_message(&err));
	fsck_options_release(&m.checks);
	strbuf_release(&text);
	puts(oid_hex(&oid));
	return finish_stdout() ? 128 : 0;
}
